//! The test of a channel: one message, sent at once, past the queue and the rules.

use std::time::Duration;

use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::carrier::{self, Parcel};
use super::channel::Settings;
use super::message::Message;
use super::names::{self, NoRandom};
use crate::clock::Stopwatch;

/// Longest that a test may take: less than the API gives an answer.
const TEST_MAX: Duration = Duration::from_secs(20);

/// What became of a test.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Tested {
    /// Whether the other side took it.
    pub ok: bool,
    /// What the other side said, or why it could not be asked.
    pub said: String,
    /// How long it took.
    pub took_ms: u64,
}

/// Sends it, and tells what the other side said.
pub async fn send(channel: &str, settings: &Settings, by: &str, now: Moment) -> Result<Tested, NoRandom> {
    let message = Message {
        title: format!("This is a test of channel '{channel}', asked for by '{by}': messages reach you here."),
        severity: "info".to_owned(),
        at_ms: now.as_ms(),
        items: Vec::new(),
        more: 0,
        link: None,
    };
    let name = names::of_delivery()?;
    let watch = Stopwatch::start();
    let carried = carrier::carry_within(TEST_MAX, settings, Parcel { name: &name, message: &message, now }).await;
    let took_ms = watch.elapsed().as_millis() as u64;
    let (ok, said) = match carried {
        Ok(said) => (true, said),
        Err(refusal) => (false, refusal.to_string()),
    };
    Ok(Tested { ok, said, took_ms })
}
