#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use ring::hmac;
use serde_json::{Value, json};

use super::house::Mesh;
use super::receiver::{Answer, Got, Receiver};
use crate::api::tests::House;
use crate::store::DeliveryState;

const SECRET: &[u8] = b"0123456789abcdef";
const ALL_BUT_A: [&str; 5] = ["b", "c", "d", "e", "f"];

/// As a receiver checks it.
fn is_signed(got: &Got) -> bool {
    let signed = [got.header("x-quorate-timestamp").as_bytes(), b".", &got.body].concat();
    let signature = got.header("x-quorate-signature");
    let bytes: Vec<u8> =
        (0..signature.len() / 2).map(|n| u8::from_str_radix(&signature[2 * n..2 * n + 2], 16).unwrap()).collect();
    hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, SECRET), &signed, &bytes).is_ok()
}

/// "alarm a unreachable", for each thing in each message that was taken.
fn news(receiver: &Receiver) -> Vec<String> {
    let taken = receiver.got().into_iter().filter(|got| got.status == 200);
    let mut known = BTreeSet::new();
    let new = taken.filter(|got| known.insert(got.header("x-quorate-delivery").to_owned()));
    let items = new.flat_map(|got| got.json()["data"]["items"].as_array().unwrap().clone());
    let word = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    items.map(|item| format!("{} {} {}", word(&item, "news"), word(&item, "subject"), word(&item, "word"))).collect()
}

async fn store_has(house: &House, state: DeliveryState, count: usize) -> Option<()> {
    let found = house.running.store.deliveries(Some(state), None, None, 100).await.unwrap();
    (found.len() >= count).then_some(())
}

#[tokio::test]
async fn a_webhook_is_told_of_an_unreachable_server_and_once_that_it_is_back() {
    let receiver = Receiver::open().await;
    let mut mesh = Mesh::open(&receiver.url()).await;

    mesh.trouble(&ALL_BUT_A, "a/tls");
    let got = mesh.until(async |_| receiver.got().first().cloned()).await;
    assert!(is_signed(&got), "{got:?}");
    let body = got.json();
    assert_eq!((&body["scope"], &body["event"]), (&json!("server"), &json!("server.unreachable")), "{body:#}");
    let item = &body["data"]["items"][0];
    assert_eq!(item["subject"], "a");
    let title = "a (NL): Unreachable from your servers: 5 of 5 cannot see it (NL 3/3, RU 2/2)";
    assert_eq!(item["title"], title, "{body:#}");
    assert_eq!(item["facts"][0], "The address is 198.51.0.7:443.", "{body:#}");

    mesh.trouble(&[], "");
    let got = mesh.until(async |_| receiver.got().get(1).cloned()).await;
    assert!(is_signed(&got));
    assert_eq!(got.json()["event"], "server.recovered", "{:#}", got.json());
    mesh.house.close().await;
    assert_eq!(news(&receiver), ["alarm a unreachable", "recovery a ok"]);
}

#[tokio::test]
async fn an_alarm_of_before_a_restart_has_its_recovery_after_it_and_just_one() {
    let receiver = Receiver::open().await;
    let mut mesh = Mesh::open(&receiver.url()).await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    mesh.until(async |_| receiver.got().first().cloned()).await;
    // It heals while nobody watches.
    mesh.trouble(&[], "");
    let mut mesh = mesh.reopen().await;
    mesh.until(async |house| store_has(house, DeliveryState::Sent, 2).await).await;
    let mesh = mesh.reopen().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    mesh.house.close().await;
    assert_eq!(news(&receiver), ["alarm a unreachable", "recovery a ok"]);
}

#[tokio::test]
async fn a_message_that_was_not_taken_before_a_restart_comes_after_it_under_its_name() {
    let receiver = Receiver::open().await;
    receiver.will(vec![Answer::With(503, String::new()); 2]);
    let mut mesh = Mesh::open(&receiver.url()).await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    mesh.until(async |_| receiver.got().first().cloned()).await;
    let mut mesh = mesh.reopen().await;
    mesh.until(async |house| store_has(house, DeliveryState::Sent, 1).await).await;
    mesh.house.close().await;
    let names: BTreeSet<String> =
        receiver.got().iter().map(|got| got.header("x-quorate-delivery").to_owned()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(receiver.got().len() >= 3 && receiver.got().iter().all(is_signed));
    assert_eq!(news(&receiver), ["alarm a unreachable"]);
}

#[tokio::test]
async fn a_new_channel_is_not_told_what_stands_already() {
    let receiver = Receiver::open().await;
    let mut mesh = Mesh::without_channel().await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    let unreachable = async |house: &House| {
        let server = house.get("/api/v1/servers/a").await.json();
        (server["status"] == "unreachable").then_some(())
    };
    mesh.until(unreachable).await;
    let hook = json!({"id": "hook", "kind": "webhook", "url": receiver.url()});
    mesh.put("/api/v1/notifications/channels/hook", &hook).await;
    let settled = async |house: &House| {
        house.running.store.channels().await.unwrap().iter().all(|channel| channel.settled).then_some(())
    };
    mesh.until(settled).await;
    mesh.trouble(&["a", "b", "c", "d", "e"], "f/tls");
    mesh.until(async |_| receiver.got().first().cloned()).await;
    mesh.house.close().await;
    assert_eq!(news(&receiver)[..1], ["alarm f unreachable"], "and nothing of a");
    assert!(!news(&receiver).contains(&"recovery a ok".to_owned()));
}

#[tokio::test]
async fn a_receiver_that_hangs_holds_up_no_other_and_no_verdict() {
    let (receiver, hanging) = (Receiver::open().await, Receiver::open().await);
    hanging.will(vec![Answer::Never; 9]);
    let mut mesh = Mesh::open(&receiver.url()).await;
    let hook = json!({"id": "a-slow-one", "kind": "webhook", "url": hanging.url()});
    mesh.put("/api/v1/notifications/channels/a-slow-one", &hook).await;
    let settled = async |house: &House| {
        house.running.store.channels().await.unwrap().iter().all(|channel| channel.settled).then_some(())
    };
    mesh.until(settled).await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    mesh.until(async |_| hanging.got().first().cloned()).await;
    mesh.until(async |_| receiver.got().first().cloned()).await;
    mesh.house.close().await;
}

#[tokio::test]
async fn what_is_refused_is_given_up_and_can_be_sent_again() {
    let receiver = Receiver::open().await;
    receiver.will(vec![Answer::With(400, "no".to_owned()); 3]);
    let mut mesh = Mesh::open(&receiver.url()).await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    // 5 s and 10 s between the attempts.
    mesh.until(async |house| store_has(house, DeliveryState::Dead, 1).await).await;
    let dead = mesh.house.get("/api/v1/notifications/deliveries?state=dead").await.json();
    let dead = &dead["items"][0];
    assert_eq!((&dead["attempts"], &dead["said"]), (&json!(3), &json!("HTTP 400 Bad Request: no")), "{dead:#}");
    let path = format!("/api/v1/notifications/deliveries/{}/redeliver", dead["id"]);
    assert_eq!(mesh.house.act(Method::POST, &path).await.status, 200);
    mesh.until(async |house| store_has(house, DeliveryState::Sent, 1).await).await;
    let got = receiver.got();
    assert_eq!(got[3].header("x-quorate-delivery"), got[0].header("x-quorate-delivery"));
    assert_eq!(
        mesh.house.act(Method::POST, "/api/v1/notifications/deliveries/999/redeliver").await.problem(),
        "not_found"
    );
    mesh.house.close().await;
}

#[tokio::test]
async fn of_a_muted_server_nothing_is_told_until_that_is_over() {
    let receiver = Receiver::open().await;
    let mut mesh = Mesh::open(&receiver.url()).await;
    mesh.put("/api/v1/notifications/mutes/a", &json!({"for_s": 3600})).await;
    mesh.trouble(&ALL_BUT_A, "a/tls");
    let unreachable = async |house: &House| {
        let server = house.get("/api/v1/servers/a").await.json();
        (server["status"] == "unreachable").then_some(())
    };
    mesh.until(unreachable).await;
    let mut looks = 0;
    let a_while = async |_: &House| {
        looks += 1;
        (looks > 12).then_some(())
    };
    mesh.until(a_while).await;
    assert_eq!(receiver.got().len(), 0);
    mesh.house.act(Method::DELETE, "/api/v1/notifications/mutes/a").await;
    mesh.until(async |_| receiver.got().first().cloned()).await;
    mesh.house.close().await;
    assert_eq!(news(&receiver), ["alarm a unreachable"]);
}
