//! A report: one round of one witness, as the fold takes it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, ServerIx};
use crate::outcome::Outcome;
use crate::time::Moment;

/// What a server says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Its services run and its entry points answer locally.
    Ok,
    /// A service is not running, or no own entry point answers locally.
    Down,
}

/// The place of a report in its witness's outbox (R2): what tells a repeated one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// A new one whenever the agent's outbox begins anew.
    pub outbox: String,
    /// Grows by one with each report of an outbox.
    pub number: u64,
}

/// One round over the planned entry points, and the self-check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Who looked.
    pub witness: ServerIx,
    /// When; never later than when the report was received.
    pub observed_at: Moment,
    /// The self-check.
    pub health: Health,
    /// What was seen, at most one outcome for each entry point.
    pub outcomes: Vec<(EntryIx, Outcome)>,
    /// Place in the outbox; without one the report is always folded.
    pub sequence: Option<Sequence>,
}
