#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use reqwest::Method;
use serde_json::{Value, json};

use super::House;

#[tokio::test]
async fn every_refusal_is_a_problem_document() {
    let house = House::with_fleet().await;
    let auth = |method, path: &str| house.request(method, path).bearer_auth(&house.token);
    let json_type = ("content-type", "application/json");
    let put = || auth(Method::PUT, "/api/v1/servers/x").header(json_type.0, json_type.1);
    let cases = [
        (auth(Method::GET, "/nowhere"), 404, "not_found"),
        (auth(Method::GET, "/api/v1/nowhere"), 404, "not_found"),
        (auth(Method::GET, "/api/v1/servers/zz"), 404, "not_found"),
        (auth(Method::GET, "/api/v1/entry-points/a/zz"), 404, "not_found"),
        (auth(Method::GET, "/api/v1/routes/zz/feed"), 404, "not_found"),
        (auth(Method::GET, "/badge/zz.svg"), 404, "not_found"),
        (auth(Method::GET, "/badge/a.png"), 400, "bad_request"),
        (auth(Method::POST, "/api/v1/fleet"), 405, "method_not_allowed"),
        (auth(Method::GET, "/api/v1/servers?limit=0"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/servers?limit=1001"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/servers?limit=many"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/servers?status=fine"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/servers?country=nl"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/servers/%ff"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/routes/all/feed?count=0"), 400, "bad_request"),
        (auth(Method::GET, "/api/v1/routes/all/feed?country=xx"), 400, "bad_request"),
        (auth(Method::PUT, "/api/v1/servers/x").body("{}"), 415, "unsupported_media_type"),
        (put().body("{"), 400, "bad_request"),
        (put().body("{}"), 422, "unprocessable"),
        (put().body(vec![b' '; 2 << 20]), 413, "too_large"),
    ];
    for (request, status, word) in cases {
        let shown = format!("{request:?}");
        let answer = house.answer(request).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (status, word), "{shown}");
    }
    house.close().await;
}

#[tokio::test]
async fn pages_follow_each_other_and_miss_nobody() {
    let house = House::with_fleet().await;
    let mut seen = Vec::new();
    let mut path = "/api/v1/servers?limit=2".to_owned();
    for _ in 0..3 {
        let page = house.get(&path).await.json();
        seen.extend(page["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        match page["next"].as_str() {
            Some(next) => path = format!("/api/v1/servers?limit=2&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["a", "b", "c", "d", "e", "f"]);
    let russian = house.get("/api/v1/servers?country=RU&status=pending,ok").await.json();
    assert_eq!(russian["items"].as_array().unwrap().len(), 2);
    assert_eq!(house.get("/api/v1/servers?status=down").await.json()["items"], json!([]));

    let first = house.get("/api/v1/matrix?limit=3").await.json();
    assert_eq!((first["rows"].as_array().unwrap().len(), &first["next"]), (3, &json!("c")));
    let rest = house.get("/api/v1/matrix?limit=3&after=c").await.json();
    assert_eq!((rest["rows"].as_array().unwrap().len(), &rest["next"]), (3, &Value::Null));
    house.close().await;
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let house = House::with_fleet().await;
    let paths = [
        "/api/v1/fleet",
        "/api/v1/servers",
        "/api/v1/servers/a",
        "/api/v1/entry-points/a/tls",
        "/api/v1/routes/all/feed",
        "/api/v1/policy",
        "/badge/a.svg",
        "/badge/a.json",
    ];
    for path in paths {
        let first = house.get(path).await;
        let tag = first.header("etag").to_owned();
        assert!(first.status == 200 && !tag.is_empty(), "{path}");
        let again = house.request(Method::GET, path).bearer_auth(&house.token).header("if-none-match", &tag);
        let again = house.answer(again).await;
        assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""), "{path}");
        let other = house.request(Method::GET, path).bearer_auth(&house.token).header("if-none-match", "\"other\"");
        assert_eq!(house.answer(other).await.status, 200, "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_description_lists_every_resource() {
    let house = House::open().await;
    let described = house.answer(house.request(Method::GET, "/api/v1/openapi.json")).await.json();
    let paths = described["paths"].as_object().unwrap();
    for path in ["/api/v1/fleet", "/api/v1/routes/{id}/feed", "/api/v1/events", "/api/v1/servers/{id}/votes"] {
        assert!(paths.contains_key(path), "{path}");
    }
    assert!(described["components"]["securitySchemes"]["bearer"].is_object());
    house.close().await;
}

#[tokio::test]
async fn the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline() {
    let house = House::open().await;
    let page = house.answer(house.request(Method::GET, "/")).await;
    assert!(page.header("content-security-policy").contains("script-src 'self'"));
    assert!(!page.text.contains("<script>") && !page.text.contains("http"), "{}", page.text);
    let named = page.text.split([' ', '\n', '>']).filter_map(|word| {
        let address = word.strip_prefix("src=\"").or_else(|| word.strip_prefix("href=\""))?;
        address.trim_end_matches('"').strip_prefix("./")
    });
    for path in named.chain(["healthz", "readyz"]) {
        assert_eq!(house.answer(house.request(Method::GET, &format!("/{path}"))).await.status, 200, "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn metrics_are_lines_that_prometheus_reads() {
    let house = House::with_fleet().await;
    let text = house.get("/metrics").await.text;
    assert!(text.contains("\nquorate_servers{status=\"pending\"} 6\n"), "{text}");
    assert!(text.contains("\nquorate_reports_total{result=\"stored\"} 0\n"), "{text}");
    assert!(text.contains("\nquorate_proxy_headers_total{result=\"off_policy\"} 0\n"), "{text}");
    let number = |name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name} in {text}"));
        line.trim().parse().unwrap()
    };
    assert!(number("quorate_evaluation_microseconds_count ") > 0);
    let (last, max) = (number("quorate_evaluation_last_microseconds "), number("quorate_evaluation_max_microseconds "));
    assert!(last <= max && max <= number("quorate_evaluation_microseconds_sum "));
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
    house.close().await;
}

#[tokio::test]
async fn the_enrolments_command_names_the_gateway_and_nothing_else() {
    let house = House::with_fleet().await;
    let made = house.act(Method::POST, "/api/v1/servers/a/enrolment").await;
    assert_eq!(made.status, 201);
    let command = made.json()["command"].as_str().unwrap().to_owned();
    let port = house.running.gateway_addr.port();
    assert!(command.starts_with(&format!("quorate-agent enroll --gateway watch.example.org:{port} q1.")), "{command}");
    assert_eq!(house.act(Method::POST, "/api/v1/servers/zz/enrolment").await.problem(), "not_found");
    assert_eq!(house.act(Method::POST, "/api/v1/servers/a/revoke").await.status, 204);
    house.close().await;
}

/// The pages' client is generated from that file: `npm run api -- URL` in `web/` fetches it from an aggregator and writes both.
#[test]
fn the_description_that_the_pages_are_built_from_is_the_api_s_own() {
    let kept: Value = serde_json::from_str(include_str!("../../../../../web/openapi.json")).unwrap();
    let own = serde_json::to_value(crate::api::openapi()).unwrap();
    assert!(kept == own, "web/openapi.json is of another version of the API: see above how it is made anew");
}
