//! What is told to people: one thing that changed, and why.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Something that changed, as told to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Grows by one with each event.
    pub id: u64,
    /// When, Unix milliseconds.
    pub at_ms: u64,
    /// `server_status`, `entry_point_state`, `half_blind`, `country_cut`, `route`, `inventory`, `session`, `aggregator`.
    pub kind: String,
    /// Whose: a server's, entry point's or route's id, or a country.
    pub subject: String,
    /// What it was.
    pub from: Option<String>,
    /// What it is.
    pub to: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
}
