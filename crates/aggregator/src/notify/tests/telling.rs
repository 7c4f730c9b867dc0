#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ring::hmac;
use serde_json::json;

use super::house::Mesh;
use super::receiver::{Got, Receiver};

const SECRET: &[u8] = b"0123456789abcdef";

/// As a receiver checks it.
fn is_signed(got: &Got) -> bool {
    let signed = [got.header("x-quorate-timestamp").as_bytes(), b".", &got.body].concat();
    let signature = got.header("x-quorate-signature");
    let bytes: Vec<u8> =
        (0..signature.len() / 2).map(|n| u8::from_str_radix(&signature[2 * n..2 * n + 2], 16).unwrap()).collect();
    hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, SECRET), &signed, &bytes).is_ok()
}

#[tokio::test]
async fn a_webhook_is_told_of_an_unreachable_server_and_once_that_it_is_back() {
    let receiver = Receiver::open().await;
    let mut mesh = Mesh::open(&receiver.url()).await;

    mesh.trouble(&["b", "c", "d", "e", "f"], "a/tls");
    let got = mesh.until(async |_| receiver.got().first().cloned()).await;
    assert!(is_signed(&got), "{got:?}");
    let body = got.json();
    assert_eq!((&body["scope"], &body["event"]), (&json!("server"), &json!("server.unreachable")), "{body:#}");
    let item = &body["data"]["items"][0];
    assert_eq!(item["subject"], "a");
    assert_eq!(
        item["title"], "a (NL): Unreachable from your servers: 5 of 5 cannot see it (RU 2/2, NL 3/3)",
        "{body:#}"
    );

    mesh.trouble(&[], "");
    let got = mesh.until(async |_| receiver.got().get(1).cloned()).await;
    assert!(is_signed(&got));
    assert_eq!(got.json()["event"], "server.recovered", "{:#}", got.json());
    mesh.house.close().await;
    assert_eq!(receiver.got().len(), 2);
}
