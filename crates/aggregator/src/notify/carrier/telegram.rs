//! Telegram: one `sendMessage` of the Bot API. The token stands in the request's path, so no address is ever told of.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{client, send};
use super::{Parcel, Refusal};
use crate::notify::channel::TelegramEntry;
use crate::notify::text;

/// Telegram's own.
const API: &str = "https://api.telegram.org";

/// What the Bot API answers.
#[derive(Debug, Deserialize)]
struct Answered {
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Debug, Default, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
}

pub(super) async fn carry(entry: &TelegramEntry, parcel: Parcel<'_>) -> Result<String, Refusal> {
    let token = entry.token.as_ref().ok_or_else(|| Refusal::refused("the channel has no token"))?;
    let api = entry.api.as_deref().unwrap_or(API).trim_end_matches('/');
    let chat = entry.chat.parse::<i64>().map_or_else(|_| Value::from(entry.chat.as_str()), Value::from);
    let mut message = json!({
        "chat_id": chat,
        "text": text::telegram(parcel.message),
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": true},
    });
    if let Some(thread) = entry.thread {
        message["message_thread_id"] = thread.into();
    }
    let request = client(entry.ca.as_deref())?.post(format!("{api}/bot{}/sendMessage", token.reveal()));
    let mut answer = send(request.json(&message)).await?;
    let answered: Option<Answered> = serde_json::from_str(&answer.body).ok();
    let mut after = None;
    if let Some(answered) = answered {
        after = answered.parameters.retry_after.map(Duration::from_secs);
        // A message that arrived comes back whole.
        answer.body = answered.description;
    }
    answer.settled(after)
}
