//! What a back-test found, as it is shown.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What would have been different.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestResult {
    /// All of it in plain words, the weightiest first; at least one sentence.
    pub sentences: Vec<String>,
    /// First moment compared.
    pub from_ms: u64,
    /// Last moment compared.
    pub to_ms: u64,
    /// Reports that were folded.
    pub reports: u64,
    /// All servers together.
    pub withheld_minutes: WasWould,
    /// Verdicts that were said and would not have been.
    pub verdicts_gone: usize,
    /// Verdicts that were not said and would have been.
    pub verdicts_new: usize,
    /// Servers with a difference, the largest first; at most 500.
    pub servers: Vec<BacktestServer>,
    /// Routes with a difference; at most 500.
    pub routes: Vec<BacktestRoute>,
    /// What was left out above because there was too much of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// A number under the policy in force, and under the one that is tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WasWould {
    /// As it was in force.
    pub was: f64,
    /// As it would have been.
    pub would: f64,
}

/// What would have been different for a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestServer {
    /// Which.
    pub server: String,
    /// How long at least one of its entry points was withheld from a route that lists it.
    pub withheld_minutes: WasWould,
    /// Its verdicts that differ, in order of time; at most 100, the longest.
    pub verdicts: Vec<BacktestVerdict>,
}

/// A verdict that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestVerdict {
    /// The status.
    pub status: String,
    /// How it differs.
    pub change: Change,
    /// When the earlier of the two began.
    pub from_ms: u64,
    /// When the later of the two ended.
    pub to_ms: u64,
    /// As it was in force; absent: it was not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<BacktestSpan>,
    /// As it would have been; absent: it would not have been said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<BacktestSpan>,
    /// The same in words.
    pub text: String,
}

/// How a verdict differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It would not have been said.
    Gone,
    /// It would have been said, and was not.
    New,
    /// It would have begun later.
    Later,
    /// It would have begun earlier.
    Earlier,
    /// It would have begun as it did, and ended later.
    Longer,
    /// It would have begun as it did, and ended earlier.
    Shorter,
}

/// From when to when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BacktestSpan {
    /// When it began; the start of the comparison if it was there already.
    pub from_ms: u64,
    /// When it ended; the end of the comparison if it lasted.
    pub to_ms: u64,
}

/// What would have been different for a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestRoute {
    /// Which.
    pub route: String,
    /// Minutes for which its entry points were withheld, each entry point counted.
    pub withheld_minutes: WasWould,
    /// Minutes for which it had nothing good left (R16).
    pub last_resort_minutes: WasWould,
}
