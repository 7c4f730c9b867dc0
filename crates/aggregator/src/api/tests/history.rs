//! Earlier moments, series and back-tests over HTTP.

use std::time::Duration;

use quorate_core::verdict::Status;
use reqwest::Method;
use serde_json::{Value, json};

use super::House;

/// Rounds in which d and e cannot see a, and the moment of a snapshot in which that is known.
async fn blocked(house: &House) -> u64 {
    house.round(1, &[], "").await;
    house.wait_for("a", Status::Ok).await;
    for sequence in 2..=4 {
        house.round(sequence, &["d", "e"], "a/tls").await;
    }
    house.wait_for("a", Status::Unreachable).await;
    house.running.engine.read(|_| ()).await.unwrap();
    let handled = house.running.engine.snapshot().generation;
    let mut snapshots = house.running.engine.watch();
    let next = snapshots.wait_for(|snapshot| snapshot.generation > handled + 1).await.unwrap().at;
    next.as_ms()
}

#[tokio::test]
async fn a_moment_is_shown_as_it_was_known_and_as_it_was_said_after_it_is_over() {
    let house = House::with_fleet().await;
    let during = blocked(&house).await;
    let live = house.get("/api/v1/servers/a").await.json();
    house.round(5, &[], "").await;
    house.wait_for("a", Status::Ok).await;

    let moment = house.get(&format!("/api/v1/history/moment?at_ms={during}")).await;
    assert_eq!(moment.status, 200, "{}", moment.text);
    let moment = moment.json();
    let a = &moment["known"]["servers"][0];
    assert_eq!((&a["id"], &a["status"], &a["text"]), (&live["id"], &live["status"], &live["text"]));
    assert_eq!(a["since_ms"], live["since_ms"]);
    assert_eq!(moment["known"]["counts"], json!({"ok": 5, "unreachable": 1}));
    assert_eq!(moment["known"]["routes"][0]["withheld"], json!(["a/tls"]));
    assert_eq!(moment["said"][0]["status"], "unreachable");
    assert_eq!(moment["differs"], json!([]));
    assert_eq!(moment["footing"]["kind"], "exact");

    let matrix = house.get(&format!("/api/v1/history/matrix?at_ms={during}&target=a")).await.json();
    let cells = |witness: &str| -> Value {
        let row = matrix["rows"].as_array().unwrap().iter().find(|row| row["witness"] == witness).unwrap();
        row["cells"][0].clone()
    };
    assert_eq!(
        (&cells("d")["state"], &cells("d")["failure"]),
        (&json!("sustained"), &json!("tls_handshake connection_reset"))
    );
    assert_eq!((&cells("b")["state"], &cells("b")["latency_ms"]), (&json!("sees"), &json!(12.0)));
    assert_eq!(cells("a")["state"], "not_probed");

    let told = house.get(&format!("/api/v1/history/explain?at_ms={during}&id=a")).await.json();
    assert_eq!(told["sentences"], live["explanation"]);
    let spans = house.get("/api/v1/servers/a/history").await.json();
    let statuses: Vec<_> = spans["spans"].as_array().unwrap().iter().map(|span| span["status"].clone()).collect();
    assert_eq!(statuses, ["pending", "ok", "unreachable", "ok"]);
    house.close().await;
}

#[tokio::test]
async fn moments_that_are_not_there_are_refused() {
    let house = House::with_fleet().await;
    blocked(&house).await;
    let range = house.get("/api/v1/history").await.json();
    let to = range["to_ms"].as_u64().unwrap();
    assert!(range["from_ms"].as_u64().unwrap() <= to);
    let ahead = house.get(&format!("/api/v1/history/moment?at_ms={}", to + 3_600_000)).await;
    assert_eq!((ahead.status.as_u16(), ahead.problem().as_str()), (400, "bad_request"));
    let early = house.get("/api/v1/history/moment?at_ms=5").await;
    assert_eq!((early.status.as_u16(), early.problem().as_str()), (404, "not_found"));
    let nobody = house.get(&format!("/api/v1/history/explain?at_ms={to}&id=nobody")).await;
    assert_eq!((nobody.status.as_u16(), nobody.problem().as_str()), (404, "not_found"));
    for path in ["servers/a/history?from_ms=9&to_ms=8", "servers/a/metrics?points=1", "metrics/lines?points=61"] {
        assert_eq!(house.get(&format!("/api/v1/{path}")).await.problem(), "bad_request", "{path}");
    }
    assert_eq!(house.get("/api/v1/servers/nobody/history").await.status, 404);
    let unknown = house.request(Method::GET, "/api/v1/history/moment?at_ms=1");
    assert_eq!(house.answer(unknown).await.status, 401);
    house.close().await;
}

#[tokio::test]
async fn what_servers_measured_is_a_series_and_a_line() {
    let house = House::with_fleet().await;
    blocked(&house).await;
    let series = house.get("/api/v1/servers/a/metrics?hours=1&points=60").await.json();
    let (at, cpu) = (series["at_ms"].as_array().unwrap(), series["values"]["cpu_percent"].as_array().unwrap());
    assert_eq!((at.len(), cpu.len(), &series["step_ms"]), (60, 60, &json!(60_000)));
    assert!(cpu.iter().all(|value| value.is_null() || *value == json!(12.5)));
    assert!(cpu.contains(&json!(12.5)));
    let latency = series["values"]["latency_ms"].as_array().unwrap();
    assert!(latency.iter().any(|value| *value == json!(12.0)), "{latency:?}");
    assert!(series["values"].get("load_per_core").is_none(), "nothing was measured of it");

    let lines = house.get("/api/v1/metrics/lines?points=30").await.json();
    assert_eq!(lines["at_ms"].as_array().unwrap().len(), 30);
    let b = &lines["servers"]["b"];
    assert!(b["cpu_percent"].as_array().unwrap().contains(&json!(12.5)), "{lines}");
    assert!(b["latency_ms"].as_array().unwrap().contains(&json!(12.0)), "{lines}");
    assert_eq!(b["memory_used_share"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn events_and_spans_are_exported_as_text_that_is_no_formula() {
    let house = House::with_fleet().await;
    blocked(&house).await;
    let csv = house.get("/api/v1/history/export").await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert!(csv.header("content-disposition").contains(".csv\""));
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines[0], "row,at_ms,at,until_ms,kind,subject,from,to,reason");
    assert!(lines.iter().any(|line| line.starts_with("event,") && line.contains(",server_status,a,ok,unreachable,")));
    assert!(lines.iter().any(|line| line.starts_with("span,") && line.contains(",status_span,a,,unreachable,")));
    let jsonl = house.get("/api/v1/history/export?format=jsonl").await;
    let rows: Vec<Value> = jsonl.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len() + 1, lines.len());
    assert!(rows.iter().any(|row| row["row"] == "span" && row["server"] == "a" && row["status"] == "unreachable"));
    assert_eq!(house.get("/api/v1/history/export?format=xml").await.problem(), "bad_request");
    house.close().await;
}

async fn ended(house: &House, id: &str) -> Value {
    for _ in 0..600 {
        let now = house.get(&format!("/api/v1/backtests/{id}")).await.json();
        if now["state"] != "running" {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it does not end");
}

#[tokio::test]
async fn a_back_test_runs_as_a_job_until_it_has_a_result() {
    let house = House::with_fleet().await;
    blocked(&house).await;
    let order = json!({"hours": 1, "policy": {"quorum": 2}});
    let begun = house.send(Method::POST, "/api/v1/backtests", &order).await;
    assert_eq!(begun.status, 202, "{}", begun.text);
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let done = ended(&house, &id).await;
    assert_eq!((&done["state"], &done["done_share"]), (&json!("done"), &json!(1.0)), "{done}");
    let result = &done["result"];
    assert_eq!(result["reports"], 24);
    let first = result["sentences"][0].as_str().unwrap();
    assert!(first.starts_with("With quorum 2, everything would have been said just the same: "), "{first}");
    let listed = house.get("/api/v1/backtests").await.json();
    assert_eq!(listed["items"][0]["title"], "quorum 2");
    assert!(listed["items"][0].get("result").is_none());
    assert_eq!(house.act(Method::DELETE, &format!("/api/v1/backtests/{id}")).await.status, 204);
    assert_eq!(house.get(&format!("/api/v1/backtests/{id}")).await.problem(), "not_found");
    house.close().await;
}

#[tokio::test]
async fn what_cannot_be_tried_is_refused_with_the_field_that_is_wrong() {
    let house = House::with_fleet().await;
    blocked(&house).await;
    for (order, detail) in [
        (json!({"hours": 1, "policy": {}}), "no number is given"),
        (json!({"hours": 1, "policy": {"interval_ms": 30_000}}), "interval_ms cannot be tried"),
        (json!({"hours": 1, "policy": {"quorum": 1}}), "quorum"),
        (json!({"hours": 0, "policy": {"quorum": 3}}), "hours is 0"),
        (json!({"policy": {"quorum": 3}}), "give hours"),
        (json!({"hours": 1, "from_ms": 1, "policy": {"quorum": 3}}), "not both"),
        (json!({"from_ms": 9, "to_ms": 8, "policy": {"quorum": 3}}), "is not before"),
        (json!({"hours": 1, "policy": {"quorun": 3}}), "quorun"),
    ] {
        let refused = house.send(Method::POST, "/api/v1/backtests", &order).await;
        assert_eq!(refused.status, 422, "{order}: {}", refused.text);
        assert!(refused.json()["detail"].as_str().unwrap().contains(detail), "{}", refused.text);
    }
    let nothing = json!({"from_ms": 1, "to_ms": 2, "policy": {"quorum": 3}});
    let begun = house.send(Method::POST, "/api/v1/backtests", &nothing).await.json();
    let failed = ended(&house, begun["id"].as_str().unwrap()).await;
    assert_eq!(failed["state"], "failed");
    assert!(failed["problem"].as_str().unwrap().contains("nothing is archived"), "{failed}");
    house.close().await;
}
