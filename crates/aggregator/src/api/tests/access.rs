#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::os::unix::fs::PermissionsExt as _;

use quorate_core::time::Moment;
use reqwest::Method;
use serde_json::json;

use super::House;
use crate::api::access::Known;
use crate::api::access::new_token;
use crate::serve::ADMIN_TOKEN_FILE;
use crate::store::{Store, TokenScope};

#[tokio::test]
async fn a_scope_opens_its_own_doors_and_no_others() {
    let house = House::with_fleet().await;
    let (read, feed) = (house.token("read").await, house.token("feed").await);
    let ask = async |method: &Method, path: &str, token: &str| {
        house.answer(house.request(method.clone(), path).bearer_auth(token)).await.status.as_u16()
    };
    let doors = [
        (Method::GET, "/api/v1/fleet", [200, 200, 403]),
        (Method::GET, "/api/v1/servers/a", [200, 200, 403]),
        (Method::GET, "/metrics", [200, 200, 403]),
        (Method::GET, "/api/v1/routes/all/feed", [200, 200, 200]),
        (Method::GET, "/api/v1/tokens", [200, 403, 403]),
        (Method::GET, "/api/v1/audit", [200, 403, 403]),
        (Method::POST, "/api/v1/servers/a/enrolment", [201, 403, 403]),
        (Method::DELETE, "/api/v1/servers/zz", [404, 403, 403]),
    ];
    for (method, path, expected) in doors {
        let mut found = Vec::new();
        for token in [&house.token, &read, &feed] {
            found.push(ask(&method, path, token).await);
        }
        assert_eq!(found, expected, "{method} {path} with admin, read, feed");
    }
    house.close().await;
}

#[tokio::test]
async fn without_a_good_token_nothing_is_told() {
    let house = House::with_fleet().await;
    for path in ["/api/v1/fleet", "/api/v1/servers/zz", "/metrics", "/badge/a.svg", "/api/v1/events"] {
        for token in ["", "qt1.wrong", &"x".repeat(5000)] {
            let answer = house.answer(house.request(Method::GET, path).bearer_auth(token)).await;
            assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (401, "unauthorized"), "{path}");
            assert!(answer.header("www-authenticate").starts_with("Bearer"));
        }
    }
    let bare = house.answer(house.request(Method::GET, "/api/v1/fleet?token=").query(&[("token", &house.token)])).await;
    assert_eq!(bare.status, 401, "a token in the address opens badges alone");
    house.close().await;
}

#[tokio::test]
async fn the_first_admin_token_is_in_a_private_file_and_a_revoked_one_opens_nothing() {
    let house = House::open().await;
    let file = house.folder.path().join("data").join(ADMIN_TOKEN_FILE);
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), house.token);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let made = house.send(Method::POST, "/api/v1/tokens", &json!({"name": "panel", "scope": "read"})).await.json();
    let (id, secret) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    let ask = async || house.answer(house.request(Method::GET, "/api/v1/fleet").bearer_auth(secret)).await.status;
    assert_eq!(ask().await, 200);
    let listed = house.get("/api/v1/tokens").await;
    assert!(!listed.text.contains(secret), "a list shows no secret");
    assert_eq!(house.act(Method::DELETE, &format!("/api/v1/tokens/{id}")).await.status, 204);
    assert_eq!(ask().await, 401);
    assert_eq!(house.act(Method::DELETE, &format!("/api/v1/tokens/{id}")).await.problem(), "not_found");

    let expired = json!({"name": "short", "scope": "read", "valid_for_s": 0});
    let expired = house.send(Method::POST, "/api/v1/tokens", &expired).await.json();
    let answer = house.request(Method::GET, "/api/v1/fleet").bearer_auth(expired["token"].as_str().unwrap());
    assert_eq!(house.answer(answer).await.status, 401, "an expired token opens nothing");
    for bad in [json!({"name": "", "scope": "read"}), json!({"name": "x", "scope": "root"}), json!({"name": "x"})] {
        assert_eq!(house.send(Method::POST, "/api/v1/tokens", &bad).await.problem(), "unprocessable", "{bad}");
    }
    house.close().await;
}

#[tokio::test]
async fn every_change_is_audited_with_who_and_from_where() {
    let house = House::with_fleet().await;
    let server = json!({"id": "x", "address": "192.0.2.1"});
    assert_eq!(house.send(Method::PUT, "/api/v1/servers/x", &server).await.status, 200);
    assert_eq!(house.send(Method::PUT, "/api/v1/policy", &json!({"quorum": 3})).await.status, 200);
    assert_eq!(house.act(Method::DELETE, "/api/v1/servers/x").await.status, 200);
    let audit = house.get("/api/v1/audit?limit=1000").await.json();
    let rows: Vec<_> = audit["items"].as_array().unwrap().iter().rev().collect();
    let acts: Vec<&str> = rows.iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(acts, ["token.create", "server.set", "policy.set", "server.remove"]);
    let (set, removed) = (rows[1], rows[3]);
    assert_eq!((set["by"].as_str(), set["subject"].as_str()), (Some("admin"), Some("x")));
    assert!(set["detail"].as_str().unwrap().starts_with("from 127.0.0.1:"), "{set}");
    assert_ne!(set["detail"], removed["detail"], "digests of before and after");
    house.close().await;
}

#[tokio::test]
async fn readers_are_answered_while_the_store_is_away() {
    let house = House::with_fleet().await;
    let read = house.token("read").await;
    let ask = async |path: &str, token: &str| house.answer(house.request(Method::GET, path).bearer_auth(token)).await;
    assert_eq!(ask("/api/v1/routes/all/feed", &read).await.status, 200);
    house.running.store.close().await;
    assert_eq!(ask("/api/v1/routes/all/feed", &read).await.status, 200);
    let stranger = ask("/api/v1/routes/all/feed", "qt1.wrong").await;
    assert_eq!((stranger.status.as_u16(), stranger.problem().as_str()), (503, "unavailable"));
    let readiness = ask("/readyz", "").await;
    assert_eq!((readiness.status.as_u16(), readiness.problem().as_str()), (503, "unavailable"));
    house.close().await;
}

#[tokio::test]
async fn a_porter_remembers_for_a_while_and_longer_while_the_list_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&format!("sqlite:{}", folder.path().join("quorate.db").display())).await.unwrap();
    let at = |s: u64| Moment::from_ms(1_000_000 + s * 1000);
    let (token, _) = new_token("panel", TokenScope::Read, None, at(0)).unwrap();
    store.create_token(&token).await.unwrap();
    let known = Known::default();
    let find =
        async |s: u64| known.find(&token.hash, at(s), store.find_token(&token.hash)).await.map(|found| found.is_some());
    assert!(find(0).await.unwrap());
    store.revoke_token(&token.id).await.unwrap();
    assert!(find(4).await.unwrap(), "what another aggregator revoked holds for a few seconds");
    assert!(!find(5).await.unwrap(), "and no longer");

    store.create_token(&token).await.unwrap();
    assert!(find(6).await.unwrap());
    store.close().await;
    assert!(find(3600).await.unwrap(), "the store is away");
    known.forget_all();
    assert!(find(3601).await.is_err(), "who is not remembered waits for the store");
}

#[tokio::test]
async fn the_audit_is_read_page_by_page_from_the_newest_on() {
    let house = House::open().await;
    for name in ["one", "two", "three"] {
        let made = house.send(Method::POST, "/api/v1/tokens", &json!({"name": name, "scope": "feed"})).await;
        assert_eq!(made.status, 201);
    }
    let whole = house.get("/api/v1/audit").await.json();
    assert!(whole["next"].is_null());
    let (mut read, mut after) = (Vec::new(), String::new());
    for _ in 0..9 {
        let page = house.get(&format!("/api/v1/audit?limit=3{after}")).await.json();
        read.extend(page["items"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!((read.len(), &read), (4, whole["items"].as_array().unwrap()), "the first token's, and three more");
    let refused = house.get("/api/v1/audit?after=x").await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (400, "bad_request"));
    house.close().await;
}
