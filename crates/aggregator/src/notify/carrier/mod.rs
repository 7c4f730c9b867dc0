//! Carriers: how a message reaches the other side of a channel, once, and what that side said.
//!
//! Always true: an attempt has an end in time; of an answer only a beginning is read; no redirect is followed, since a
//! signed message or a password would go with it to somebody else; what is said of a failure holds no secret.

mod alertmanager;
mod http;
mod mail;
mod pipe;
mod telegram;
mod tls;
mod webhook;

use std::time::Duration;

use quorate_core::time::Moment;

use super::channel::Settings;
use super::message::Message;

pub use alertmanager::{STANDING_EVERY, keep as keep_alerts};

/// Longest that one attempt may take, connecting included.
pub const ATTEMPT_MAX: Duration = Duration::from_secs(30);
/// Longest that a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Most characters of what the other side said that are kept.
const SAID_CHARS_MAX: usize = 300;

/// A message under the name that the other side knows it by.
#[derive(Debug, Clone, Copy)]
pub struct Parcel<'a> {
    /// The same at each attempt.
    pub name: &'a str,
    /// The message.
    pub message: &'a Message,
    /// When this attempt is made.
    pub now: Moment,
}

/// Why a message did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody answered, or asked to come again.
    #[error("{said}")]
    Later {
        /// What was said, or seen.
        said: String,
        /// When the other side wants to be asked again.
        after: Option<Duration>,
    },
    /// It was understood and not wanted: somebody must change something.
    #[error("{said}")]
    Refused {
        /// What was said.
        said: String,
    },
}

impl Refusal {
    fn later(said: impl Into<String>) -> Self {
        Self::Later { said: said.into(), after: None }
    }

    fn refused(said: impl Into<String>) -> Self {
        Self::Refused { said: said.into() }
    }
}

/// Carries a message; what the other side said to it.
pub async fn carry(settings: &Settings, parcel: Parcel<'_>) -> Result<String, Refusal> {
    carry_within(ATTEMPT_MAX, settings, parcel).await
}

/// The same with another end in time.
pub(super) async fn carry_within(most: Duration, settings: &Settings, parcel: Parcel<'_>) -> Result<String, Refusal> {
    let carried = async {
        match settings {
            Settings::Webhook(entry) => webhook::carry(entry, parcel).await,
            Settings::Mail(entry) => mail::carry(entry, parcel).await,
            Settings::Telegram(entry) => telegram::carry(entry, parcel).await,
            Settings::Alertmanager(entry) => alertmanager::carry(entry, parcel).await,
        }
    };
    let within = tokio::time::timeout(most, carried).await;
    within.unwrap_or_else(|_| Err(Refusal::later(format!("no answer within {} s", most.as_secs_f32()))))
}

/// The beginning of what somebody said, on one line that can be printed.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let printable = words.chars().filter(|c| !c.is_control());
    let mut said: String = printable.take(SAID_CHARS_MAX).collect();
    if words.chars().count() > SAID_CHARS_MAX {
        said.push('…');
    }
    said
}

/// What trusts nobody in particular, for a test that asks a receiver by itself.
#[cfg(test)]
pub(super) fn tls_for_tests() -> rustls::ClientConfig {
    tls::config(None).expect("the public authorities are there")
}
