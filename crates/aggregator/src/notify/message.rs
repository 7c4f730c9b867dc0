//! A message as it is kept and sent: one or several things that changed together, in words and in numbers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Most things in one message by themselves; the rest is counted. A message is kept in one row and read by a person.
pub const ITEMS_MAX: usize = 200;

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// What it says, in a line.
    pub title: String,
    /// How bad the worst of it is: `info`, `warning` or `critical`.
    pub severity: String,
    /// When it was written, Unix milliseconds.
    pub at_ms: u64,
    /// What changed, the worst first.
    pub items: Vec<Item>,
    /// How many more changed than `items` has.
    #[serde(default)]
    pub more: usize,
    /// The page, if its address is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// One thing that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Item {
    /// `alarm`, `change` (another word for what was told), `recovery` or `note` (it happened and is over).
    pub news: News,
    /// What kind of thing: `server_status`, `pair`, `half_blind`, `country_cut`, `route`, `edge`, `plan_refused`,
    /// `certificate`, `aggregator`, `session`.
    pub event: String,
    /// Whose: a server's, route's or edge's id, two servers, a country and lane, the aggregator.
    pub subject: String,
    /// What it is, like `unreachable`; `ok` for a recovery.
    pub word: String,
    /// What was told before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// `info`, `warning` or `critical`; of a recovery, how bad it was.
    pub severity: String,
    /// How bad what was told before was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was_severity: Option<String>,
    /// Since when it stands, or stood until now, Unix milliseconds.
    pub since_ms: u64,
    /// Servers that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// Addresses that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// It in a line, with numbers.
    pub title: String,
    /// More of it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// What to do, in sentences; empty where there is nothing to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// Its page, if its address is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// What kind of news an [`Item`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// Something is not as it should be.
    Alarm,
    /// What was told has another word.
    Change,
    /// What was told is over.
    Recovery,
    /// It happened and is over.
    Note,
}
