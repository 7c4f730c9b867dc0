#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{Answer, House};

const SESSION: &str = "/api/v1/session";

/// A browser that has signed in: it sends its cookie, and our page's header.
struct Browser<'a> {
    house: &'a House,
    cookie: String,
}

impl House {
    async fn try_to_sign_in(&self, token: &str) -> Answer {
        self.answer(self.request(Method::POST, SESSION).json(&json!({"token": token}))).await
    }

    async fn signed_in(&self, token: &str) -> Browser<'_> {
        let answer = self.try_to_sign_in(token).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Browser { house: self, cookie }
    }

    async fn session(&self, cookie: &str) -> u16 {
        self.answer(self.request(Method::GET, SESSION).header("cookie", cookie)).await.status.as_u16()
    }
}

impl Browser<'_> {
    /// What any page can make the browser send.
    fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.house.request(method, path).header("cookie", &self.cookie)
    }

    /// What our page sends.
    async fn send(&self, method: Method, path: &str) -> Answer {
        self.house.answer(self.bare(method, path).header("x-quorate-request", "1")).await
    }

    async fn get(&self, path: &str) -> u16 {
        self.send(Method::GET, path).await.status.as_u16()
    }
}

#[tokio::test]
async fn a_token_is_exchanged_for_a_cookie_that_opens_what_it_opens() {
    let house = House::with_fleet().await;
    let answer = house.try_to_sign_in(&house.token).await;
    let now = house.running.engine.snapshot().at.as_ms();
    assert_eq!(answer.status, 200);
    assert_eq!((&answer.json()["name"], &answer.json()["role"]), (&json!("admin"), &json!("admin")));
    let hours = (answer.json()["expires_at_ms"].as_u64().unwrap() - now) / 3_600_000;
    assert!((11..=12).contains(&hours), "12 h if it is not used: {hours}");
    assert_eq!(answer.header("cache-control"), "no-store");
    let cookie = answer.header("set-cookie");
    for part in ["quorate_session=qs1.", "; Path=/;", "; HttpOnly", "; SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!answer.text.contains("qs1."), "scripts see no secret");

    let admin = house.signed_in(&house.token).await;
    let again = admin.send(Method::GET, SESSION).await.json();
    assert_eq!((&again["name"], &again["role"]), (&json!("admin"), &json!("admin")));
    for path in ["/api/v1/fleet", "/api/v1/audit", "/metrics", "/badge/a.svg", "/api/v1/badges/servers/a"] {
        assert_eq!(admin.get(path).await, 200, "{path}");
    }
    let reader = house.signed_in(&house.token("read").await).await;
    assert_eq!(reader.send(Method::GET, SESSION).await.json()["role"], "read");
    assert_eq!((reader.get("/api/v1/fleet").await, reader.get("/api/v1/audit").await), (200, 403));
    house.close().await;
}

#[tokio::test]
async fn a_token_for_feeds_is_for_no_person_and_an_unknown_one_is_for_nobody() {
    let house = House::open().await;
    let feed = house.try_to_sign_in(&house.token("feed").await).await;
    assert_eq!((feed.status.as_u16(), feed.problem().as_str()), (403, "forbidden"));
    assert!(feed.text.contains("feeds alone"), "{}", feed.text);
    assert_eq!(feed.header("set-cookie"), "");
    for token in ["", "qt1.wrong", &"x".repeat(5000)] {
        let answer = house.try_to_sign_in(token).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (401, "unauthorized"));
    }
    let expired = json!({"name": "short", "scope": "read", "valid_for_s": 0});
    let expired = house.send(Method::POST, "/api/v1/tokens", &expired).await.json();
    assert_eq!(house.try_to_sign_in(expired["token"].as_str().unwrap()).await.problem(), "unauthorized");
    for bad in [json!({}), json!({"token": 5}), json!({"token": "x", "more": 1})] {
        let answer = house.answer(house.request(Method::POST, SESSION).json(&bad)).await;
        assert_eq!(answer.problem(), "unprocessable", "{bad}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_change_by_cookie_is_made_by_our_own_page_alone() {
    let house = House::with_fleet().await;
    let admin = house.signed_in(&house.token).await;
    let policy = || admin.bare(Method::PUT, "/api/v1/policy").json(&json!({"quorum": 3}));
    let refused = async |request: RequestBuilder, why: &str| {
        let answer = house.answer(request).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (403, "cross_site"), "{why}");
    };
    let own = |request: RequestBuilder| request.header("x-quorate-request", "1");
    refused(policy(), "a form's").await;
    refused(own(policy()).header("sec-fetch-site", "cross-site"), "another site's").await;
    refused(own(policy()).header("sec-fetch-site", "same-site"), "a neighbour's").await;
    refused(own(policy()).header("origin", "https://evil.example"), "another origin's").await;
    refused(own(policy()).header("origin", "null"), "a sandbox's").await;
    refused(admin.bare(Method::DELETE, SESSION), "a sign-out by a form").await;
    assert_eq!(house.get("/api/v1/policy").await.json()["effective"]["quorum"], 2, "nothing was changed");

    let origin = format!("http://{}", house.running.api_addr);
    let ours = own(policy()).header("origin", origin).header("sec-fetch-site", "same-origin");
    assert_eq!(house.answer(ours).await.status, 200);
    assert_eq!(house.get("/api/v1/policy").await.json()["effective"]["quorum"], 3);
    let foreign = house.request(Method::POST, SESSION).header("origin", "https://evil.example");
    refused(foreign.json(&json!({"token": house.token})), "a sign-in from elsewhere").await;
    let bearer = house.request(Method::PUT, "/api/v1/policy").bearer_auth(&house.token).json(&json!({"quorum": 2}));
    assert_eq!(house.answer(bearer).await.status, 200, "a program puts its token there itself");
    house.close().await;
}

#[tokio::test]
async fn a_sign_in_ends_with_its_token_or_when_one_signs_out() {
    let house = House::open().await;
    let made = house.send(Method::POST, "/api/v1/tokens", &json!({"name": "ann", "scope": "read"})).await.json();
    let secret = made["token"].as_str().unwrap();
    let (desk, phone) = (house.signed_in(secret).await, house.signed_in(secret).await);
    assert_eq!((desk.get("/api/v1/fleet").await, phone.get("/api/v1/fleet").await), (200, 200));

    let out = desk.send(Method::DELETE, SESSION).await;
    assert_eq!(out.status, 204);
    assert!(
        out.header("set-cookie").starts_with("quorate_session=; Path=/; Max-Age=0"),
        "{}",
        out.header("set-cookie")
    );
    assert_eq!((desk.get("/api/v1/fleet").await, phone.get("/api/v1/fleet").await), (401, 200));
    let twice = house.answer(house.request(Method::DELETE, SESSION).header("x-quorate-request", "1")).await;
    assert_eq!(twice.status, 204, "nobody to sign out");

    assert_eq!(
        house.act(Method::DELETE, &format!("/api/v1/tokens/{}", made["id"].as_str().unwrap())).await.status,
        204
    );
    assert_eq!(phone.get("/api/v1/fleet").await, 401);
    assert_eq!(house.session(&phone.cookie).await, 401);
    house.close().await;
}

#[tokio::test]
async fn a_sign_in_survives_a_restart() {
    let house = House::open().await;
    let cookie = house.signed_in(&house.token).await.cookie;
    let house = house.reopen().await;
    assert_eq!(house.session(&cookie).await, 200);
    assert_eq!(house.session(&cookie.replace("qs1.", "qs1.A")).await, 401);
    house.close().await;
}

#[tokio::test]
async fn who_signs_in_anew_leaves_the_old_cookie_behind() {
    let house = House::open().await;
    let first = house.signed_in(&house.token).await;
    let again = first.bare(Method::POST, SESSION).json(&json!({"token": house.token}));
    let second = house.answer(again).await.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!((house.session(&first.cookie).await, house.session(&second).await), (401, 200));
    house.close().await;
}

#[tokio::test]
async fn guesses_are_slowed_and_nobody_who_is_known_is_kept_out() {
    let house = House::with_fleet().await;
    let admin = house.signed_in(&house.token).await;
    let mut last = None;
    for n in 0..30 {
        let answer = house.try_to_sign_in(&format!("qt1.guess-{n}")).await;
        last = Some((answer.status.as_u16(), answer));
    }
    let (status, answer) = last.unwrap();
    assert_eq!((status, answer.problem().as_str()), (429, "too_many"));
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=6).contains(&wait), "{wait}");
    assert_eq!(answer.json()["retry_after_s"], wait);
    let bearer = house.request(Method::GET, "/api/v1/fleet").bearer_auth("qt1.another");
    assert_eq!(house.answer(bearer).await.status, 429, "a token in a header is a guess, too");
    let cookie = house.request(Method::GET, "/api/v1/fleet").header("cookie", "quorate_session=qs1.another");
    assert_eq!(house.answer(cookie).await.status, 429);

    assert_eq!(house.try_to_sign_in("qt1.guess-0").await.status, 401, "what is known to be wrong is no new guess");
    assert_eq!(admin.get("/api/v1/fleet").await, 200, "who is signed in");
    assert_eq!(house.get("/api/v1/fleet").await.status, 200, "a token that was used");
    assert_eq!(house.try_to_sign_in(&house.token).await.status, 200, "and it signs in anew");
    house.close().await;
}

#[tokio::test]
async fn behind_a_trusted_proxy_guesses_are_counted_where_they_come_from() {
    let house = House::open_with(|config| config.trusted_proxies = vec!["127.0.0.1".parse().unwrap()]).await.unwrap();
    let guess = async |from: &str, token: &str| {
        let request =
            house.request(Method::POST, SESSION).header("x-forwarded-for", from).json(&json!({"token": token}));
        house.answer(request).await.status.as_u16()
    };
    let mut statuses = Vec::new();
    for n in 0..12 {
        statuses.push(guess("203.0.113.9", &format!("qt1.{n}")).await);
    }
    assert_eq!((statuses[9], statuses[11]), (401, 429));
    assert_eq!(guess("192.0.2.1", &house.token).await, 200, "somebody from elsewhere");
    house.close().await;
}

#[tokio::test]
async fn without_a_trusted_proxy_guesses_through_one_leave_the_machine_itself_alone() {
    let house = House::open().await;
    for n in 0..30 {
        let forwarded = house.request(Method::POST, SESSION).header("x-forwarded-for", format!("203.0.113.{n}"));
        house.answer(forwarded.json(&json!({"token": format!("qt1.{n}")}))).await;
    }
    let more = house.request(Method::POST, SESSION).header("x-forwarded-for", "192.0.2.1");
    assert_eq!(house.answer(more.json(&json!({"token": "qt1.more"}))).await.status, 429, "a word is not taken");
    assert_eq!(house.try_to_sign_in(&house.token).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn a_public_url_gives_the_cookie_its_path_and_keeps_it_to_tls() {
    let public = "https://example.org/quorate";
    let house = House::open_with(|config| config.public_url = Some(public.parse().unwrap())).await.unwrap();
    let answer = house.try_to_sign_in(&house.token).await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.contains("; Path=/quorate;") && cookie.ends_with("; Secure"), "{cookie}");
    let admin = house.signed_in(&house.token).await;
    let change = admin.bare(Method::PUT, "/api/v1/policy").header("x-quorate-request", "1").json(&json!({}));
    assert_eq!(house.answer(change.header("origin", "https://example.org")).await.status, 200);
    house.close().await;
}

#[tokio::test]
async fn the_audit_has_what_was_before_and_after_and_no_secret() {
    let house = House::with_fleet().await;
    let row = async || house.get("/api/v1/audit?limit=1").await.json()["items"][0].clone();
    let sides = |row: &Value| (row["before"].clone(), row["after"].clone());

    house.send(Method::PUT, "/api/v1/policy", &json!({"quorum": 3})).await;
    let policy = |quorum: Value| json!({"policy": {"sustain_for_ms": quorum}});
    let (before, after) = sides(&row().await);
    assert_eq!((before, &after["policy"]["quorum"]), (policy(json!(0)), &json!(3)));

    house.send(Method::PUT, "/api/v1/servers/x", &json!({"id": "x", "address": "192.0.2.1"})).await;
    let (before, after) = sides(&row().await);
    assert_eq!((before, &after["servers"]["x"]["address"]), (json!({}), &json!("192.0.2.1")));
    house.act(Method::DELETE, "/api/v1/servers/a").await;
    let (before, after) = sides(&row().await);
    assert_eq!(before["servers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(after["servers"], Value::Null);
    assert_eq!(before["routes"]["all"]["entry_points"][0], "a/tls", "the route that lost it");
    assert_eq!(after["routes"]["all"]["entry_points"][0], "b/tls");

    let made = house.send(Method::POST, "/api/v1/tokens", &json!({"name": "panel", "scope": "read"})).await.json();
    let (before, after) = sides(&row().await);
    assert_eq!((before, &after["name"]), (Value::Null, &json!("panel")));
    house.act(Method::DELETE, &format!("/api/v1/tokens/{}", made["id"].as_str().unwrap())).await;
    let (before, after) = sides(&row().await);
    assert_eq!((&before["scopes"], after), (&json!(["read", "feed"]), Value::Null));

    let enrolment = house.act(Method::POST, "/api/v1/servers/x/enrolment").await.json();
    let link = house.send(Method::POST, "/api/v1/badge-links", &json!({"server": "x", "valid_for_s": 60})).await.json();
    house.act(Method::DELETE, "/api/v1/badge-links").await;
    let (before, after) = sides(&row().await);
    assert!(before["key"].as_str().unwrap().len() == 16 && before["key"] != after["key"], "{before} {after}");
    let all = house.get("/api/v1/audit").await.text;
    let sig = link["query"].as_str().unwrap().split("sig=").nth(1).unwrap();
    let secrets = [made["token"].as_str().unwrap(), enrolment["token"].as_str().unwrap(), sig];
    for secret in secrets.iter().chain([&house.token.as_str()]) {
        assert!(!all.contains(secret), "{secret}");
    }
    house.close().await;
}
