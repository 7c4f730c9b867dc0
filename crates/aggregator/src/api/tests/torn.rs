//! A fleet that is torn in two: its islands, and what the matrix shows in words.

use quorate_core::verdict::Status;
use serde_json::json;

use super::House;

/// a, b, c and f in NL, d and e in RU: nobody sees anybody on the other side.
async fn torn() -> House {
    let house = House::with_fleet().await;
    for sequence in 1..=3 {
        for witness in ["a", "b", "c", "d", "e", "f"] {
            let abroad = if ["d", "e"].contains(&witness) { "a/tls b/tls c/tls f/tls" } else { "d/tls e/tls" };
            house.report(witness, sequence, abroad).await;
        }
    }
    house.wait_for("d", Status::Unreachable).await;
    house.wait_for("e", Status::Unreachable).await;
    house
}

#[tokio::test]
async fn a_fleet_that_is_torn_in_two_has_two_islands_and_one_caption() {
    let house = torn().await;
    let fleet = house.get("/api/v1/fleet").await.json();
    assert_eq!(fleet["islands"], json!([["a", "b", "c", "f"], ["d", "e"]]));
    let captions = house.get("/api/v1/matrix/captions").await.json();
    assert_eq!(captions.as_array().unwrap().len(), 1, "{captions}");
    let block = &captions[0];
    assert_eq!(block["text"], "servers in NL and in RU cannot see each other (4 of 4, 2 of 2)");
    assert_eq!((&block["kind"], &block["cells"]), (&json!("block"), &json!(16)));
    assert_eq!(block["servers"], json!(["a", "b", "c", "d", "e", "f"]));
    assert_eq!(block["countries"], json!(["NL", "RU"]));
    assert_eq!(block["parts"][1], json!({"witnesses": ["d", "e"], "targets": ["a/tls", "b/tls", "c/tls", "f/tls"]}));
    house.close().await;
}

#[tokio::test]
async fn a_fleet_that_sees_itself_has_neither() {
    let house = House::with_fleet().await;
    house.round(1, &[], "").await;
    house.wait_for("f", Status::Ok).await;
    assert_eq!(house.get("/api/v1/fleet").await.json()["islands"], json!([]));
    let captions = house.get("/api/v1/matrix/captions").await;
    assert_eq!(captions.json(), json!([]));
    let again = house.request(reqwest::Method::GET, "/api/v1/matrix/captions").bearer_auth(&house.token);
    assert_eq!(house.answer(again.header("if-none-match", captions.header("etag"))).await.status, 304);
    house.close().await;
}
