#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use quorate_core::verdict::Status;
use serde_json::{Value, json};

use super::House;
use crate::api::badges::image;
use crate::api::badges::words::Language;
use crate::api::label;

/// d and e (RU) fail on a/tls until it is unreachable.
async fn blocked() -> House {
    let house = House::with_fleet().await;
    for sequence in 1..=3 {
        house.round(sequence, &["d", "e"], "a/tls").await;
    }
    house.wait_for("a", Status::Unreachable).await;
    house
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_unreachable_server_is_shown_with_its_evidence() {
    let house = blocked().await;
    let server = house.get("/api/v1/servers/a").await.json();
    assert_eq!(server["status"], "unreachable");
    assert_eq!(server["text"], "Unreachable from your servers: 2 of 5 cannot see it (RU 2/2)");
    assert_eq!(server["stale"], false);
    assert_eq!(server["conditions"][0]["status"], "unreachable");
    let point = &server["evidence"][0];
    assert_eq!((texts(&point["unreachable_in"]), texts(&point["vouchers"])), (vec!["RU"], vec!["b", "c", "f"]));
    let accusers: Vec<_> =
        point["accusers"].as_array().unwrap().iter().map(|one| (&one["server"], &one["streak"])).collect();
    assert_eq!(accusers, [(&json!("d"), &json!(3)), (&json!("e"), &json!(3))]);
    assert_eq!(server["last_report"]["metrics"]["cpu_percent"], 12.5);
    let told: Vec<&str> =
        server["explanation"].as_array().unwrap().iter().map(|said| said["text"].as_str().unwrap()).collect();
    assert!(told.len() > 2);
    let how = told.iter().find(|text| text.starts_with("How the last knocks on a/tls failed: ")).unwrap();
    assert!(how.contains("d by connection_reset in tls_handshake"), "{how}");

    let witness = house.get("/api/v1/servers/d").await.json();
    let outcome = &witness["last_report"]["outcomes"][0];
    assert_eq!(outcome["entry_point"], "a/tls");
    assert_eq!((&outcome["operation"], &outcome["word"]), (&json!("tls_handshake"), &json!("connection_reset")));

    let fleet = house.get("/api/v1/fleet").await.json();
    assert_eq!((&fleet["servers"]["unreachable"], &fleet["verdicts_stand"]), (&json!(1), &json!(true)));
    house.close().await;
}

#[tokio::test]
async fn votes_and_matrix_say_who_sees_whom() {
    let house = blocked().await;
    let votes = house.get("/api/v1/servers/a/votes").await.json();
    let votes: Vec<_> = votes["votes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vote| ["witness", "word", "counts_as"].map(|name| vote[name].as_str().unwrap().to_owned()))
        .collect();
    let is = |words: [&str; 3]| words.map(str::to_owned);
    assert_eq!(
        votes,
        [
            is(["b", "sees", "vouches"]),
            is(["c", "sees", "vouches"]),
            is(["d", "sustained", "accuses"]),
            is(["e", "sustained", "accuses"]),
            is(["f", "sees", "vouches"])
        ]
    );
    let matrix = house.get("/api/v1/matrix?witness=d").await.json();
    assert_eq!(texts(&matrix["entry_points"]), ["a/tls", "b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]);
    let cells = matrix["rows"][0]["cells"].as_array().unwrap();
    let states: Vec<_> = cells.iter().map(|cell| cell["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["sustained", "sees", "sees", "not_probed", "sees", "sees"]);
    assert_eq!((&cells[0]["streak"], &cells[0]["failure"]), (&json!(3), &json!("tls_handshake connection_reset")));
    assert_eq!(cells[1]["latency_ms"], 12.0);

    house.stalled("d", 4).await;
    let matrix = house.get("/api/v1/matrix?witness=d").await.json();
    let cell = &matrix["rows"][0]["cells"][0];
    assert_eq!((&cell["streak"], &cell["inconclusive"]), (&json!(3), &json!("stalled")), "it changes no streak (R4)");
    assert_eq!(cell["failure"], json!(null), "and is no failure");
    house.close().await;
}

#[tokio::test]
async fn a_feed_withholds_what_is_unreachable_and_not_from_those_who_see_it() {
    let house = blocked().await;
    let delivered = async |query: &str| {
        let feed = house.get(&format!("/api/v1/routes/all/feed{query}")).await.json();
        let of = |name: &str| {
            feed[name].as_array().unwrap().iter().map(|one| one["entry_point"].as_str().unwrap().to_owned()).collect()
        };
        let (deliver, withheld): (Vec<String>, Vec<String>) = (of("deliver"), of("withheld"));
        (deliver, withheld, feed)
    };
    let (deliver, withheld, feed) = delivered("").await;
    assert_eq!(deliver, ["b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]);
    assert_eq!(withheld, ["a/tls"]);
    let held = &feed["withheld"][0];
    assert_eq!((&held["tier"], &held["state"]), (&json!(3), &json!("unreachable")));
    assert_eq!(held["reason"], "2 of 5 sites cannot see it (where: RU)");
    assert!(held["failing_since_ms"].as_u64().unwrap() > 0 && feed["generated_at_ms"].as_u64().unwrap() > 0);
    assert_eq!((&feed["last_resort"], &feed["ttl_s"]), (&json!(false), &json!(180)));

    // R18: a client in the Netherlands can reach it.
    assert_eq!(delivered("?country=NL").await.0, ["a/tls", "b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]);
    assert_eq!(delivered("?country=RU").await.1, ["a/tls"]);
    // R17: the same subscriber gets the same.
    let chosen = delivered("?subscriber=u42&count=2").await.0;
    assert_eq!(chosen.len(), 2);
    assert_eq!(delivered("?subscriber=u42&count=2").await.0, chosen);
    assert_eq!(delivered("?subscriber=u42&count=3").await.0[..2], chosen);
    house.close().await;
}

#[tokio::test]
async fn a_badge_says_the_status_in_a_shape_and_words() {
    let house = blocked().await;
    let svg = house.answer(house.request(reqwest::Method::GET, &format!("/badge/a.svg?token={}", house.token))).await;
    assert_eq!((svg.status.as_u16(), svg.header("content-type")), (200, "image/svg+xml"));
    assert!(svg.header("cache-control").contains("max-age=10"));
    assert!(svg.text.contains("Unreachable from your servers: 2 of 5 cannot see it (RU 2/2)"), "{}", svg.text);
    assert!(svg.text.contains("<path d=\"M1.5 1.5l7 7m0-7l-7 7\""), "a cross");
    let shield = house.get("/badge/b.json").await.json();
    let expected = json!({"schemaVersion": 1, "label": "b", "message": "OK", "color": "1a7f37", "isError": false});
    assert_eq!(shield, expected);
    house.close().await;
}

#[tokio::test]
async fn a_badge_older_than_three_intervals_says_so() {
    let house = House::with_fleet().await;
    let snapshot = house.running.engine.snapshot();
    let a = snapshot.fleet.find_server("a").unwrap();
    let read_after = |seconds: u64| label::badge(&snapshot, a, snapshot.at.after(Duration::from_secs(seconds)));
    assert_eq!(read_after(180).shown(), "Waiting for the first report");
    assert_eq!(read_after(181).shown(), "Waiting for the first report (stale)");
    assert!(image::svg("a", &read_after(181), Language::En).contains("#57606a"), "grey, whatever it was");
    house.close().await;
}

#[tokio::test]
async fn a_badge_lets_no_markup_through() {
    let house = House::with_fleet().await;
    let snapshot = house.running.engine.snapshot();
    let label = label::badge(&snapshot, snapshot.fleet.find_server("a").unwrap(), snapshot.at);
    let svg = image::svg("<script>\"&'\u{1}", &label, Language::En);
    assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;&quot;&amp;&#39; "), "{svg}");
    house.close().await;
}

#[tokio::test]
async fn a_server_whose_agent_refuses_the_plan_does_not_look_well_until_it_follows_it() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.wait_for("a", Status::Ok).await;
    assert_eq!(house.get("/api/v1/fleet").await.json()["verdicts_stand"], false);
    let mut snapshots = house.running.engine.watch();
    let mut refused = async |wanted: bool| {
        let found = snapshots.wait_for(|snapshot| snapshot.refusals.contains_key("a") == wanted);
        tokio::time::timeout(Duration::from_secs(10), found).await.expect("it is known").unwrap();
    };
    house.running.engine.plan_refused("a", "10.0.0.20 is a private address").await.unwrap();
    refused(true).await;

    let server = house.get("/api/v1/servers/a").await.json();
    assert_eq!((&server["status"], &server["plan_refused"]), (&json!("ok"), &json!("10.0.0.20 is a private address")));
    assert_eq!(server["reason"], "its agent refuses the plan: 10.0.0.20 is a private address");
    let told = server["explanation"].to_string();
    assert!(told.contains("Its agent refuses the plan since "), "{told}");
    let fleet = house.get("/api/v1/fleet").await.json();
    assert_eq!((texts(&fleet["plan_refused"]), &fleet["verdicts_stand"]), (vec!["a"], &json!(true)));
    let route = house.get("/api/v1/routes/all").await.json();
    let why = "nothing stands against it, but its server's agent refuses the plan";
    assert_eq!(route["feed"]["deliver"][0]["reason"], why);
    assert!(route["feed"]["deliver"][1]["reason"].is_null());

    house.round(2, &[], "").await;
    refused(false).await;
    assert!(house.get("/api/v1/servers/a").await.json()["reason"].is_null());
    house.close().await;
}

#[tokio::test]
async fn the_self_check_and_knocks_that_do_not_count_yet_are_told_before_what_to_do() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.round(2, &["d"], "a/tls").await;
    house.unwell("a", 3, "nginx").await;
    house.wait_for("a", Status::Down).await;
    let server = house.get("/api/v1/servers/a").await.json();
    let told = server["explanation"].as_array().unwrap().iter();
    let told: Vec<&str> = told.map(|said| said["text"].as_str().unwrap()).collect();
    let check = "Its own last look at itself found failing: nginx (not active), a/tls (connect: connection_refused).";
    let knocks = "How the last knocks on a/tls failed: d by connection_reset in tls_handshake.";
    let at = |text: &str| told.iter().position(|said| *said == text).unwrap_or_else(|| panic!("{text} in {told:#?}"));
    assert!(at(check) < at(knocks));
    assert!(told.last().unwrap().starts_with("What to do: look on a itself"), "{told:#?}");
    house.close().await;
}

#[tokio::test]
async fn what_is_delivered_in_spite_of_its_state_says_why() {
    let house = blocked().await;
    let feed = house.get("/api/v1/routes/all/feed?country=NL").await.json();
    let spared = &feed["deliver"][0];
    assert_eq!((&spared["entry_point"], &spared["tier"]), (&json!("a/tls"), &json!(0)));
    assert_eq!(spared["reason"], "2 of 5 sites cannot see it (where: RU), which is not where its users are");
    house.close().await;
}
