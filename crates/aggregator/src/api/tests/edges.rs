#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use reqwest::Method;
use serde_json::json;

use super::House;

#[tokio::test]
async fn edges_are_added_changed_and_removed_and_nothing_else_moves() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.wait_for("a", quorate_core::verdict::Status::Ok).await;
    let plans = house.running.engine.plans().borrow().version;
    let before = house.running.engine.snapshot().at.as_ms();
    let edge = json!({"id": "fra", "networks": ["192.0.2.7", "2001:db8::/48"], "optional_since_ms": 1});
    let added = house.send(Method::PUT, "/api/v1/edges/fra", &edge).await.json();
    assert_eq!(added["changed"], true);
    let found = house.get("/api/v1/edges/fra").await.json();
    assert_eq!((&found["networks"][1], &found["proxy"]), (&json!("2001:db8::/48"), &json!("optional")));
    let since = found["optional_since_ms"].as_u64().unwrap();
    assert!(since >= before, "{since}");
    assert_eq!(house.send(Method::PUT, "/api/v1/edges/fra", &edge).await.json()["changed"], false);

    let require = json!({"id": "fra", "networks": ["192.0.2.7"], "proxy": "require"});
    assert_eq!(house.send(Method::PUT, "/api/v1/edges/fra", &require).await.status, 200);
    assert_eq!(
        house.send(Method::PUT, "/api/v1/edges/ams", &json!({"id": "ams", "networks": ["192.0.2.8"]})).await.status,
        200
    );
    let listed = house.get("/api/v1/edges?limit=1").await.json();
    assert_eq!((&listed["items"][0]["id"], &listed["next"]), (&json!("ams"), &json!("ams")));
    assert_eq!(house.get("/api/v1/edges?after=ams").await.json()["items"][0]["proxy"], "require");
    assert_eq!(house.get("/api/v1/inventory").await.json()["edges"][0]["id"], "fra");

    assert_eq!(house.running.engine.plans().borrow().version, plans, "no agent gets a new plan for it");
    assert_eq!(house.get("/api/v1/servers/a").await.json()["status"], "ok", "no evidence is gathered anew");
    let audit = house.get("/api/v1/audit").await.json();
    assert_eq!((&audit["items"][0]["action"], &audit["items"][0]["subject"]), (&json!("edge.set"), &json!("ams")));

    assert_eq!(house.act(Method::DELETE, "/api/v1/edges/fra").await.status, 200);
    assert_eq!(house.act(Method::DELETE, "/api/v1/edges/fra").await.problem(), "not_found");
    assert_eq!(house.get("/api/v1/edges/fra").await.problem(), "not_found");
    house.close().await;
}

#[tokio::test]
async fn a_wrong_edge_is_refused_with_owner_and_field() {
    let house = House::open().await;
    let put = async |edge| house.send(Method::PUT, "/api/v1/edges/fra", &edge).await.json();
    let all = put(json!({"id": "fra", "networks": ["0.0.0.0/0"]})).await;
    assert_eq!((&all["status"], &all["owner"], &all["field"]), (&json!(422), &json!("edge 'fra'"), &json!("networks")));
    let other = put(json!({"id": "ams", "networks": ["192.0.2.7"]})).await;
    assert_eq!((&other["owner"], &other["field"]), (&json!("edge 'ams'"), &json!("id")));
    let word = put(json!({"id": "fra", "networks": ["192.0.2.7"], "proxy": "on"})).await;
    assert!(word["detail"].as_str().unwrap().contains("expected `optional` or `require`"), "{word}");
    assert_eq!(house.get("/api/v1/edges").await.json()["items"], json!([]));
    house.close().await;
}
