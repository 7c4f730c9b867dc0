//! What is told to people: one thing that changed, and why.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A server's status.
    ServerStatus,
    /// An entry point's state.
    EntryPointState,
    /// A witness that fails to see too many (R10).
    HalfBlind,
    /// A country whose servers lost sight of others at once (R12).
    CountryCut,
    /// What a route delivers.
    Route,
    /// An edge, or the set of them.
    Edge,
    /// A server's credentials.
    Session,
    /// This aggregator's own pauses (R6).
    Aggregator,
}

impl Kind {
    /// Those that come from verdicts.
    pub const OF_VERDICTS: [Self; 5] =
        [Self::ServerStatus, Self::EntryPointState, Self::HalfBlind, Self::CountryCut, Self::Route];

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ServerStatus,
        Self::EntryPointState,
        Self::HalfBlind,
        Self::CountryCut,
        Self::Route,
        Self::Edge,
        Self::Session,
        Self::Aggregator,
    ];

    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ServerStatus => "server_status",
            Self::EntryPointState => "entry_point_state",
            Self::HalfBlind => "half_blind",
            Self::CountryCut => "country_cut",
            Self::Route => "route",
            Self::Edge => "edge",
            Self::Session => "session",
            Self::Aggregator => "aggregator",
        }
    }
}

/// Something that changed, as told to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Grows by one with each event.
    pub id: u64,
    /// When, Unix milliseconds.
    pub at_ms: u64,
    /// `server_status`, `entry_point_state`, `half_blind`, `country_cut`, `route`, `edge`, `session` or `aggregator`.
    pub kind: String,
    /// Whose: a server's, entry point's, route's or edge's id, a country, an address, the gateway or the aggregator.
    pub subject: String,
    /// What it was.
    pub from: Option<String>,
    /// What it is.
    pub to: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
}
