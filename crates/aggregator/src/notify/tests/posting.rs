#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use expect_test::expect;
use quorate_core::time::Moment;
use serde_json::json;

use super::receiver::{Answer, Receiver};
use super::{carried, item, message};
use crate::notify::carrier::{Parcel, Refusal, carry, carry_within};
use crate::notify::channel::{AlertmanagerEntry, Settings, TelegramEntry, WebhookEntry};
use crate::notify::message::{Item, Message, News};
use crate::notify::secret::Secret;

fn webhook(url: &str) -> Settings {
    Settings::Webhook(WebhookEntry { url: url.to_owned(), secret: None, ca: None })
}

fn telegram(addr: SocketAddr) -> Settings {
    Settings::Telegram(TelegramEntry {
        token: Some(Secret::new("123456:ABC-DEF")),
        chat: "-1001234567890".to_owned(),
        thread: Some(7),
        api: Some(format!("http://{addr}")),
        ca: None,
    })
}

fn alertmanager(receiver: &Receiver) -> Settings {
    Settings::Alertmanager(AlertmanagerEntry {
        url: format!("http://{}/", receiver.addr),
        labels: BTreeMap::from([("team".to_owned(), "network".to_owned())]),
        username: Some("quorate".to_owned()),
        password: Some(Secret::new("open sesame")),
        ca: None,
    })
}

#[tokio::test]
async fn a_webhook_says_what_the_other_side_said() {
    let receiver = Receiver::open().await;
    receiver.will([
        Answer::With(202, "queued\n as 7".to_owned()),
        Answer::With(500, "oh dear".to_owned()),
        Answer::With(404, String::new()),
    ]);
    let settings = webhook(&receiver.url());
    assert_eq!(carried(&settings).await.unwrap(), "HTTP 202 Accepted: queued as 7");
    let later = Refusal::Later { said: "HTTP 500 Internal Server Error: oh dear".to_owned(), after: None };
    assert_eq!(carried(&settings).await.unwrap_err(), later);
    let refused = Refusal::Refused { said: "HTTP 404 Not Found".to_owned() };
    assert_eq!(carried(&settings).await.unwrap_err(), refused);
    let got = receiver.got();
    assert_eq!(got[0].header("x-quorate-delivery"), "0badcafe");
    assert_eq!(got[0].body, got[1].body, "the body of a delivery is the same at each attempt");
    assert_eq!(got[0].header("x-quorate-signature"), "", "nothing to sign with");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (receiver, other) = (Receiver::open().await, Receiver::open().await);
    receiver.will([Answer::Elsewhere(other.url())]);
    let refusal = carried(&webhook(&receiver.url())).await.unwrap_err();
    assert!(
        matches!(&refusal, Refusal::Refused { said } if said.contains("redirects are not followed")),
        "{refusal:?}"
    );
    assert_eq!(other.got().len(), 0);
}

#[tokio::test]
async fn of_an_answer_without_end_the_beginning_is_read() {
    let receiver = Receiver::open().await;
    receiver.will([Answer::Endlessly, Answer::With(200, "y".repeat(5 << 20))]);
    for begins in ["HTTP 200 OK: talk talk", "HTTP 200 OK: yyyy"] {
        let said = carried(&webhook(&receiver.url())).await.unwrap();
        assert!(said.starts_with(begins) && said.chars().count() < 400, "{said}");
    }
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left_in_time() {
    let receiver = Receiver::open().await;
    receiver.will([Answer::Never]);
    let message = message();
    let parcel = Parcel { name: "0badcafe", message: &message, now: Moment::from_ms(message.at_ms) };
    let refusal = carry_within(Duration::from_millis(300), &webhook(&receiver.url()), parcel).await.unwrap_err();
    assert!(matches!(&refusal, Refusal::Later { .. }), "{refusal:?}");
}

#[tokio::test]
async fn nobody_at_home_is_told_without_the_address() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for settings in [webhook(&format!("http://{free}/hook")), telegram(free)] {
        let refusal = carried(&settings).await.unwrap_err();
        assert!(matches!(&refusal, Refusal::Later { after: None, .. }), "{refusal:?}");
        assert!(!refusal.to_string().contains("ABC-DEF"), "{refusal}");
    }
}

#[tokio::test]
async fn the_body_of_a_webhook_is_in_the_habit_of_panels() {
    let receiver = Receiver::open().await;
    carried(&webhook(&receiver.url())).await.unwrap();
    let body = receiver.got()[0].json();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["data", "event", "scope", "timestamp"]);
    assert_eq!((&body["scope"], &body["event"]), (&json!("server"), &json!("server.blocked")));
    assert_eq!(body["timestamp"], "2026-11-30T14:02:07.250Z");
    assert_eq!(body["data"]["items"][0]["addresses"], json!(["198.51.100.7:443"]));
}

#[tokio::test]
async fn a_message_about_several_things_says_so() {
    let receiver = Receiver::open().await;
    let route = Item { event: "route".to_owned(), word: "last_resort".to_owned(), ..item() };
    let down = Item { word: "down".to_owned(), ..item() };
    for (items, scope, event) in [
        (vec![item(), item()], "server", "server.blocked"),
        (vec![item(), down], "server", "server.changed"),
        (vec![item(), route], "fleet", "fleet.changed"),
    ] {
        let message = Message { items, ..message() };
        let parcel = Parcel { name: "n", message: &message, now: Moment::from_ms(message.at_ms) };
        carry(&webhook(&receiver.url()), parcel).await.unwrap();
        let body = receiver.got().last().unwrap().json();
        assert_eq!((&body["scope"], &body["event"]), (&json!(scope), &json!(event)));
    }
}

#[tokio::test]
async fn telegram_gets_escaped_html_and_says_how_long_to_wait() {
    let receiver = Receiver::open().await;
    let slow = json!({"ok": false, "error_code": 429, "description": "Too Many Requests: retry after 35",
        "parameters": {"retry_after": 35}});
    receiver
        .will([Answer::With(200, json!({"ok": true, "result": {}}).to_string()), Answer::With(429, slow.to_string())]);
    let settings = telegram(receiver.addr);
    let said = carried(&settings).await.unwrap();
    assert_eq!(said, "HTTP 200 OK");
    let got = &receiver.got()[0];
    assert_eq!(got.path, "/bot123456:ABC-DEF/sendMessage");
    let body = got.json();
    assert_eq!((&body["chat_id"], &body["message_thread_id"]), (&json!(-1_001_234_567_890_i64), &json!(7)));
    assert_eq!(body["parse_mode"], "HTML");
    expect![[r"
        <b>nl-1 (NL): Address blocked, as seen from ru-1</b>

        The address is 198.51.100.7:443.
        nl-1/tls is blocked in RU: ru-1 (RU), whose word you trust, cannot reach it. &lt;&amp;&gt;
        Since 2026-11-30 14:00:00 UTC.
        What to do: change its address."]]
    .assert_eq(body["text"].as_str().unwrap());

    let refusal = carried(&settings).await.unwrap_err();
    let after = Some(Duration::from_secs(35));
    let said = "HTTP 429 Too Many Requests: Too Many Requests: retry after 35".to_owned();
    assert_eq!(refusal, Refusal::Later { said, after });
}

#[tokio::test]
async fn alertmanager_gets_an_alert_that_begins_and_ends() {
    let receiver = Receiver::open().await;
    let settings = alertmanager(&receiver);
    carried(&settings).await.unwrap();
    let over = Item { news: News::Recovery, was: Some("blocked".to_owned()), word: "ok".to_owned(), ..item() };
    let message = Message { items: vec![over], ..message() };
    let parcel = Parcel { name: "n", message: &message, now: Moment::from_ms(message.at_ms) };
    carry(&settings, parcel).await.unwrap();
    let got = receiver.got();
    assert_eq!(got[0].path, "/api/v2/alerts");
    assert_eq!(got[0].header("authorization"), "Basic cXVvcmF0ZTpvcGVuIHNlc2FtZQ==");
    let (begun, ended) = (&got[0].json()[0], &got[1].json()[0]);
    assert_eq!(begun["labels"], ended["labels"], "the labels are what an alert is known by");
    assert_eq!(
        begun["labels"],
        json!({"alertname": "QuorateServerStatus", "event": "server_status", "subject": "nl-1", "server": "nl-1",
            "state": "blocked", "severity": "warning", "team": "network"})
    );
    assert_eq!(begun["startsAt"], "2026-11-30T14:00:00.000Z");
    assert_eq!(begun["endsAt"], "2026-11-30T14:12:07.250Z");
    assert_eq!(ended["endsAt"], "2026-11-30T14:02:07.250Z");
    assert_eq!(begun["annotations"]["summary"], "nl-1 (NL): Address blocked, as seen from ru-1");
}

#[tokio::test]
async fn another_word_is_another_alert_and_ends_the_first() {
    let receiver = Receiver::open().await;
    let change =
        Item { news: News::Change, was: Some("down".to_owned()), was_severity: Some("info".to_owned()), ..item() };
    let message = Message { items: vec![change], ..message() };
    let parcel = Parcel { name: "n", message: &message, now: Moment::from_ms(message.at_ms) };
    carry(&alertmanager(&receiver), parcel).await.unwrap();
    let body = receiver.got()[0].json();
    let shown = |n: usize| (body[n]["labels"]["state"].clone(), body[n]["labels"]["severity"].clone());
    assert_eq!(shown(0), (json!("down"), json!("info")));
    assert_eq!(body[0]["endsAt"], "2026-11-30T14:02:07.250Z");
    assert_eq!(shown(1), (json!("blocked"), json!("warning")));
}
