#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};

use quorate_core::verdict::Status;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::{Answer, House};

const LINKS: &str = "/api/v1/badge-links";
const BADGE_A: &str = "/api/v1/badges/servers/a";

impl House {
    async fn link(&self, what: Value) -> Value {
        let mut request = json!({"valid_for_s": 3600});
        request.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        let made = self.send(Method::POST, LINKS, &request).await;
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()
    }

    /// Without any token.
    async fn open_to(&self, path: &str) -> Answer {
        self.answer(self.request(Method::GET, path)).await
    }

    async fn stream(&self, path: &str) -> Events {
        let request = self.request(Method::GET, path).header("accept", "text/event-stream");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Events { response, text: String::new() }
    }
}

struct Events {
    response: Response,
    text: String,
}

impl Events {
    /// The next event's name and data; none at the end.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
                let event = (field("event: "), serde_json::from_str(&field("data: ")).unwrap());
                self.text = rest.to_owned();
                return Some(event);
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk()).await.expect("it goes on");
            self.text.push_str(std::str::from_utf8(&chunk.unwrap()?).unwrap());
        }
    }
}

fn end_of(link: &Value) -> &str {
    link["query"].as_str().unwrap()
}

#[tokio::test]
async fn a_badge_has_its_words_as_values_and_says_how_long_it_may_be_shown() {
    let house = House::with_fleet().await;
    for sequence in 1..=3 {
        house.round(sequence, &["d", "e"], "a/tls").await;
    }
    house.wait_for("a", Status::Unreachable).await;
    let answer = house.get(BADGE_A).await;
    let badge = answer.json();
    let label = json!({"key": "unreachable", "values": {
        "cannot_see": 2, "asked": 5, "countries": [{"country": "RU", "cannot_see": 2, "asked": 2}]
    }});
    assert_eq!((&badge["label"], &badge["status"]), (&label, &json!("unreachable")));
    assert_eq!((&badge["server"], &badge["country"], &badge["stale"]), (&json!("a"), &json!("NL"), &json!(false)));
    let fresh_for = badge["fresh_for_ms"].as_u64().unwrap();
    assert!((170_000..=180_000).contains(&fresh_for), "three intervals: {fresh_for}");
    assert_eq!(house.get("/api/v1/servers/a").await.json()["label"], label);
    assert_eq!(house.get("/api/v1/badges/servers/b").await.json()["label"], json!({"key": "ok", "values": {}}));
    let again =
        house.request(Method::GET, BADGE_A).bearer_auth(&house.token).header("if-none-match", answer.header("etag"));
    assert_eq!(house.answer(again).await.status, 304);
    assert_eq!(house.get("/api/v1/badges/servers/zz").await.problem(), "not_found");
    house.close().await;
}

#[tokio::test]
async fn a_link_shows_what_it_names_to_anybody_and_nothing_else() {
    let house = House::with_fleet().await;
    let link = house.link(json!({"server": "a"})).await;
    let end = end_of(&link);
    for path in [format!("{BADGE_A}?{end}"), format!("/badge/a.svg?{end}"), format!("/badge/a.json?{end}&lang=ru")] {
        let answer = house.open_to(&path).await;
        assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (200, "*"), "{path}");
    }
    for path in ["/api/v1/badges/servers/b", "/badge/b.svg", "/api/v1/badges/routes/all", "/api/v1/badges/servers/zz"] {
        let answer = house.open_to(&format!("{path}?{end}")).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (403, "link_invalid"), "{path}");
    }
    for path in ["/api/v1/fleet", "/api/v1/servers/a", "/metrics", "/api/v1/routes/all/feed"] {
        assert_eq!(house.open_to(&format!("{path}?{end}")).await.status, 401, "{path}");
    }
    // Both ends of the address at once: what is judged is the link.
    let both = format!("/api/v1/badges/servers/b?{end}&token={}", house.token);
    assert_eq!(house.open_to(&both).await.problem(), "link_invalid");
    house.close().await;
}

#[tokio::test]
async fn a_forged_an_expired_and_an_ended_link_show_nothing() {
    let house = House::with_fleet().await;
    let link = house.link(json!({"server": "a"})).await;
    let end = end_of(&link);
    let (until, sig) = (link["until_s"].as_u64().unwrap(), end.split("sig=").nth(1).unwrap());
    let longer = format!("until={}&sig={sig}", until + 1);
    let cut = &end[..end.len() - 1];
    for forged in [
        longer.as_str(),
        cut,
        "until=9999999999&sig=",
        "until=x&sig=y",
        &format!("sig={sig}"),
        &format!("until={until}"),
    ] {
        let answer = house.open_to(&format!("{BADGE_A}?{forged}")).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (403, "link_invalid"), "{forged}");
    }
    let short = house.send(Method::POST, LINKS, &json!({"server": "a", "valid_for_s": 1})).await.json();
    let path = format!("{BADGE_A}?{}", end_of(&short));
    let expired = loop {
        let answer = house.open_to(&path).await;
        if answer.status != 200 {
            break answer;
        }
    };
    assert_eq!((expired.status.as_u16(), expired.problem().as_str()), (410, "link_expired"));
    assert_eq!(expired.header("access-control-allow-origin"), "*", "a page may read why");

    assert_eq!(house.act(Method::DELETE, LINKS).await.status, 204);
    assert_eq!(house.open_to(&format!("{BADGE_A}?{end}")).await.problem(), "link_invalid");
    let next = house.link(json!({"server": "a"})).await;
    assert_eq!(house.open_to(&format!("{BADGE_A}?{}", end_of(&next))).await.status, 200);
    let path = format!("{BADGE_A}?{}", end_of(&next));
    let house = house.reopen().await;
    assert_eq!(house.open_to(&path).await.status, 200, "a link survives a restart");
    house.close().await;
}

#[tokio::test]
async fn a_link_to_a_route_is_for_the_reader_that_it_names() {
    let house = House::with_fleet().await;
    let what = json!({"route": "all", "subscriber": "u 42", "count": 2});
    let link = house.link(what).await;
    let end = end_of(&link);
    assert!(end.starts_with("subscriber=u%2042&count=2&until="), "{end}");
    assert!(link.get("svg").is_none() && link.get("shield").is_none());
    let shown = house.open_to(&format!("/api/v1/badges/routes/all?{end}")).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert_eq!(shown.json()["servers"].as_array().unwrap().len(), 2);
    let seal = &end[end.find("until=").unwrap()..];
    for other in ["", "subscriber=u%2043&count=2", "subscriber=u%2042&count=6", "subscriber=u%2042&count=2&country=RU"]
    {
        let answer = house.open_to(&format!("/api/v1/badges/routes/all?{other}&{seal}")).await;
        assert_eq!(answer.problem(), "link_invalid", "{other}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_link_is_made_with_all_that_one_pastes_and_by_admins_alone() {
    let public = "https://example.org/quorate";
    let house = House::open_with(|config| config.public_url = Some(public.parse().unwrap())).await.unwrap();
    let server = json!({"id": "nl-1", "address": "198.51.100.7"});
    assert_eq!(house.send(Method::PUT, "/api/v1/servers/nl-1", &server).await.status, 200);
    let route = json!({"id": "eu", "entry_points": ["nl-1/tls"]});
    assert_eq!(house.send(Method::PUT, "/api/v1/routes/eu", &route).await.status, 200);
    let link = house.link(json!({"server": "nl-1"})).await;
    let end = end_of(&link);
    assert_eq!(link["svg"], format!("{public}/badge/nl-1.svg?{end}"));
    assert_eq!(link["shield"], format!("{public}/badge/nl-1.json?{end}"));
    assert_eq!(link["api"], format!("{public}/api/v1/badges/servers/nl-1?{end}"));
    let element = format!(
        "<script type=\"module\" src=\"{public}/badge.js\"></script>\n<quorate-badge server=\"nl-1\" link=\"{}\"></quorate-badge>",
        end.replace('&', "&amp;")
    );
    assert_eq!(link["element"], element);
    let link = house.link(json!({"route": "eu", "subscriber": "\"><script>"})).await;
    let element = link["element"].as_str().unwrap();
    assert!(
        element.contains("<quorate-servers route=\"eu\" subscriber=\"&quot;&gt;&lt;script&gt;\" link=\"until="),
        "{element}"
    );

    for (bad, word) in [
        (json!({"valid_for_s": 60}), "unprocessable"),
        (json!({"server": "nl-1"}), "unprocessable"),
        (json!({"server": "nl-1", "valid_for_s": 0}), "unprocessable"),
        (json!({"server": "nl-1", "valid_for_s": 999_999_999_999_u64}), "unprocessable"),
        (json!({"server": "nl-1", "route": "eu", "valid_for_s": 60}), "unprocessable"),
        (json!({"server": "nl-1", "subscriber": "u", "valid_for_s": 60}), "unprocessable"),
        (json!({"server": "zz", "valid_for_s": 60}), "not_found"),
        (json!({"route": "zz", "valid_for_s": 60}), "not_found"),
        (json!({"route": "eu", "count": 0, "valid_for_s": 60}), "bad_request"),
        (json!({"route": "eu", "country": "xx", "valid_for_s": 60}), "bad_request"),
    ] {
        assert_eq!(house.send(Method::POST, LINKS, &bad).await.problem(), word, "{bad}");
    }
    let read = house.token("read").await;
    let body = json!({"server": "nl-1", "valid_for_s": 60});
    let refused = house.answer(house.request(Method::POST, LINKS).bearer_auth(&read).json(&body)).await;
    assert_eq!(refused.problem(), "forbidden");
    house.close().await;
}

#[tokio::test]
async fn a_link_does_not_tell_what_is_the_operators_alone() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.wait_for("a", Status::Ok).await;
    let mut snapshots = house.running.engine.watch();
    house.running.engine.plan_refused("a", "10.0.0.20 is a private address").await.unwrap();
    let refused = snapshots.wait_for(|snapshot| snapshot.refusals.contains_key("a"));
    tokio::time::timeout(Duration::from_secs(10), refused).await.expect("it is known").unwrap();
    let link = house.link(json!({"server": "a"})).await;
    let end = end_of(&link);
    assert!(house.get(BADGE_A).await.json()["reason"].as_str().unwrap().contains("10.0.0.20"));
    for path in [BADGE_A, "/badge/a.svg", "/badge/a.json"] {
        let text = house.open_to(&format!("{path}?{end}")).await.text;
        assert!(!text.contains("10.0.0") && !text.contains("plan"), "{text}");
    }
    house.close().await;
}

#[tokio::test]
async fn pages_of_other_origins_read_what_a_link_or_token_opened_and_no_more() {
    let house = House::with_fleet().await;
    let link = house.link(json!({"server": "a"})).await;
    let allowed = |answer: &Answer| answer.header("access-control-allow-origin").to_owned();
    for path in [format!("{BADGE_A}?{}", end_of(&link)), format!("{BADGE_A}?token={}", house.token)] {
        let preflight = house.request(Method::OPTIONS, &path).header("origin", "https://panel.example");
        let preflight = preflight.header("access-control-request-method", "GET");
        let answer = house.answer(preflight.header("access-control-request-headers", "if-none-match")).await;
        assert_eq!((answer.status.as_u16(), allowed(&answer).as_str()), (204, "*"));
        assert!(answer.header("access-control-allow-headers").contains("if-none-match"));
        assert_eq!(answer.header("access-control-allow-methods"), "GET");
        assert_eq!(allowed(&house.open_to(&path).await), "*");
        assert_eq!(house.open_to(&path).await.header("cross-origin-resource-policy"), "cross-origin");
    }
    assert_eq!(allowed(&house.get(BADGE_A).await), "", "a bearer's answer");
    let cookie =
        house.answer(house.request(Method::POST, "/api/v1/session").json(&json!({"token": house.token}))).await;
    let cookie = cookie.header("set-cookie").split(';').next().unwrap().to_owned();
    let by_cookie = house.answer(house.request(Method::GET, BADGE_A).header("cookie", &cookie)).await;
    assert_eq!((by_cookie.status.as_u16(), allowed(&by_cookie).as_str()), (200, ""));
    let both = format!("{BADGE_A}?until=9999999999&sig=AAAA");
    let both = house.answer(house.request(Method::GET, &both).header("cookie", &cookie)).await;
    assert_eq!(both.status, 403, "a cookie opens nothing that a bad link did not");
    assert_eq!(allowed(&house.open_to("/api/v1/fleet?token=x").await), "");
    let feed = house.token("feed").await;
    assert_eq!(house.open_to(&format!("{BADGE_A}?token={feed}")).await.problem(), "forbidden");
    house.close().await;
}

#[tokio::test]
async fn a_badge_changes_within_two_seconds_of_the_verdict() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.wait_for("a", Status::Ok).await;
    let link = house.link(json!({"server": "a"})).await;
    let route = house.link(json!({"route": "all"})).await;
    let mut badge = house.stream(&format!("{BADGE_A}?{}", end_of(&link))).await;
    let mut badges = house.stream(&format!("/api/v1/badges/routes/all?{}", end_of(&route))).await;
    let (event, first) = badge.next().await.unwrap();
    assert_eq!((event.as_str(), &first["status"]), ("badge", &json!("ok")));
    let (event, first) = badges.next().await.unwrap();
    assert_eq!((event.as_str(), &first["servers"][0]["status"]), ("badges", &json!("ok")));

    for sequence in 2..=4 {
        house.round(sequence, &["d", "e"], "a/tls").await;
    }
    house.wait_for("a", Status::Unreachable).await;
    let verdict = Instant::now();
    while badge.next().await.unwrap().1["status"] != "unreachable" {}
    while badges.next().await.unwrap().1["servers"][0]["status"] != "unreachable" {}
    let took = verdict.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    house.close().await;
}

#[tokio::test]
async fn a_stream_says_the_state_again_and_ends_with_the_right_to_it() {
    let house = House::with_fleet().await;
    let made = house.send(Method::POST, "/api/v1/tokens", &json!({"name": "p", "scope": "read"})).await.json();
    let mut stream = house.stream(&format!("{BADGE_A}?token={}", made["token"].as_str().unwrap())).await;
    let began = Instant::now();
    let first = stream.next().await.unwrap().1;
    let again = stream.next().await.unwrap().1;
    assert_eq!(first["label"], again["label"]);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    house.act(Method::DELETE, &format!("/api/v1/tokens/{}", made["id"].as_str().unwrap())).await;
    while stream.next().await.is_some() {}
    house.close().await;
}

#[tokio::test]
async fn streams_of_badges_have_places_of_their_own_and_end_with_the_process() {
    let house = House::with_fleet().await;
    let path = format!("{BADGE_A}?token={}", house.token);
    let mut stream = house.stream(&path).await;
    stream.next().await.unwrap();
    let all = house.running.badge_places().available_permits();
    let taken = house.running.badge_places().try_acquire_many_owned(u32::try_from(all).unwrap()).unwrap();
    let request = house.request(Method::GET, &path).header("accept", "text/event-stream");
    assert_eq!(house.answer(request).await.problem(), "unavailable");
    assert_eq!(house.open_to(&path).await.status, 200, "who asks without a stream is answered");
    let events = house.request(Method::GET, "/api/v1/events").bearer_auth(&house.token);
    assert_eq!(events.header("accept", "text/event-stream").send().await.unwrap().status(), 200, "others have theirs");
    drop(taken);
    house.close().await;
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn an_image_speaks_the_language_that_it_is_asked_for() {
    let house = House::with_fleet().await;
    for (lang, text) in [
        ("en", "Waiting for the first report"),
        ("es", "A la espera del primer informe"),
        ("ro", "Se așteaptă primul raport"),
        ("ru", "Ожидается первый отчёт"),
    ] {
        let svg = house.get(&format!("/badge/a.svg?lang={lang}")).await;
        assert!(svg.text.contains(text), "{}", svg.text);
        assert_eq!(house.get(&format!("/badge/a.json?lang={lang}")).await.json()["message"], text);
    }
    assert_eq!(house.get("/badge/a.svg?lang=de").await.problem(), "bad_request");
    house.close().await;
}
