#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

//! Messages as their readers get them: a whole aggregator, receivers on real sockets.

mod alertmanager;
mod api;
mod house;
mod mailing;
mod posting;
mod receiver;
mod sink;
mod telling;

use quorate_core::time::Moment;

use super::carrier::{Parcel, Refusal, carry};
use super::channel::Settings;
use super::message::{Item, Message, News};

/// 2026-11-30 14:02:07.250 UTC.
const AT_MS: u64 = 1_796_047_327_250;

pub(super) fn item() -> Item {
    Item {
        news: News::Alarm,
        event: "server_status".to_owned(),
        subject: "nl-1".to_owned(),
        word: "blocked".to_owned(),
        was: None,
        severity: "warning".to_owned(),
        was_severity: None,
        since_ms: 1_796_047_200_000,
        servers: vec!["nl-1".to_owned()],
        addresses: vec!["198.51.100.7:443".to_owned()],
        title: "nl-1 (NL): Address blocked, as seen from ru-1".to_owned(),
        facts: vec![
            "The address is 198.51.100.7:443.".to_owned(),
            "nl-1/tls is blocked in RU: ru-1 (RU), whose word you trust, cannot reach it. <&>".to_owned(),
        ],
        advice: vec!["What to do: change its address.".to_owned()],
        link: None,
    }
}

pub(super) fn message() -> Message {
    let title = item().title;
    Message { title, severity: "warning".to_owned(), at_ms: AT_MS, items: vec![item()], more: 0, link: None }
}

/// One attempt to carry the message.
async fn carried(settings: &Settings) -> Result<String, Refusal> {
    let message = message();
    carry(settings, Parcel { name: "0badcafe", message: &message, now: Moment::from_ms(AT_MS) }).await
}
