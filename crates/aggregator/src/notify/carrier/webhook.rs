//! Webhooks: one POST in the habit of VPN panels, `{"scope", "event", "timestamp", "data"}`, signed.
//!
//! The signature is HMAC-SHA256, in hexadecimal, over `X-Quorate-Timestamp`, a full stop and the body. The body of a
//! delivery is the same at each attempt, its name too; the time in the header is that of the attempt, so that a receiver can
//! refuse what somebody recorded.

use jiff::Timestamp;
use quorate_core::time::Moment;
use ring::hmac;
use serde::Serialize;

use super::http::{client, send};
use super::{Parcel, Refusal};
use crate::notify::channel::WebhookEntry;
use crate::notify::message::{Message, News};
use crate::notify::text;

/// The body of a webhook.
#[derive(Debug, Serialize)]
struct Body<'a> {
    scope: &'a str,
    event: String,
    timestamp: String,
    data: Inner<'a>,
}

#[derive(Debug, Serialize)]
struct Inner<'a> {
    /// The whole message in words.
    text: String,
    #[serde(flatten)]
    message: &'a Message,
}

pub(super) async fn carry(entry: &WebhookEntry, parcel: Parcel<'_>) -> Result<String, Refusal> {
    let body = serde_json::to_vec(&body(parcel.message))
        .map_err(|error| Refusal::refused(format!("cannot be written as JSON: {error}")))?;
    let timestamp = (parcel.now.as_ms() / 1000).to_string();
    let mut request = client(entry.ca.as_deref())?
        .post(&entry.url)
        .header("content-type", "application/json")
        .header("x-quorate-delivery", parcel.name)
        .header("x-quorate-timestamp", &timestamp);
    if let Some(secret) = &entry.secret {
        request = request.header("x-quorate-signature", signature(secret.reveal(), &timestamp, &body));
    }
    send(request.body(body)).await?.settled(None)
}

fn body(message: &Message) -> Body<'_> {
    let (scope, event) = scope_and_event(message);
    Body { scope, event, timestamp: timestamp(message.at_ms), data: Inner { text: text::plain(message), message } }
}

/// `server` and `server.unreachable`; where it is about several kinds of things or has several words, `fleet` and
/// `‹scope›.changed`.
fn scope_and_event(message: &Message) -> (&'static str, String) {
    let Some(first) = message.items.first() else { return ("aggregator", "aggregator.test".to_owned()) };
    let word = |news: News, word: &str| match news {
        News::Recovery => "recovered".to_owned(),
        News::Alarm | News::Change | News::Note => word.to_owned(),
    };
    let own = scope(&first.event);
    let scope = if message.items.iter().all(|item| scope(&item.event) == own) { own } else { "fleet" };
    let own = word(first.news, &first.word);
    let is_one = scope != "fleet" && message.items.iter().all(|item| word(item.news, &item.word) == own);
    (scope, if is_one { format!("{scope}.{own}") } else { format!("{scope}.changed") })
}

fn scope(event: &str) -> &'static str {
    match event {
        "route" => "route",
        "country_cut" => "country",
        "edge" => "edge",
        "aggregator" => "aggregator",
        // What is left is about servers and their agents.
        _ => "server",
    }
}

fn signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut signed = hmac::Context::with_key(&key);
    signed.update(timestamp.as_bytes());
    signed.update(b".");
    signed.update(body);
    signed.sign().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `2026-11-30T14:02:07.250Z`.
pub(super) fn timestamp(ms: u64) -> String {
    let ms = i64::try_from(Moment::from_ms(ms).as_ms()).expect("a moment has 48 bits");
    Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), |at| format!("{at:.3}"))
}
