//! A probe plan: what one agent knocks on, as the aggregator hands it down.
//!
//! A shopping list with the pace to walk at. The order of [`ProbePlan::targets`] is a promise: the outcomes of a report
//! come in it, and nothing else says which outcome belongs to which entry point. A plan that crossed the wire was checked
//! there; what an agent's own file allows is checked by the agent.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::lane::Lane;
use crate::probe::Probe;

/// What one agent probes, and how gently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbePlan {
    /// Grows with each change; a report names the one that its outcomes follow.
    pub version: u64,
    /// One round.
    pub interval: Duration,
    /// Least time between the starts of two handshakes.
    pub min_spacing: Duration,
    /// What to knock on, in the order of outcomes.
    pub targets: Vec<Target>,
    /// The agent's own entry points, for the self-check.
    pub own: Vec<Target>,
    /// Neutral endpoints, `host:port`, that tell whether the witness itself has a network.
    pub controls: Vec<String>,
    /// Probe budgets are divided by this; 1 outside demo and lab.
    pub speed: u32,
}

/// One entry point of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Id of the entry point.
    pub entry_point: String,
    /// Id of the server whose it is.
    pub server: String,
    /// Transport and address family.
    pub lane: Lane,
    /// How it is dialled.
    pub probe: Probe,
}

impl ProbePlan {
    /// Most targets of one plan: at the default pace such a round takes five and a half hours, so what is beyond is a
    /// mistake or an attack.
    pub const TARGETS_MAX: usize = 10_000;
    /// Most entry points of one server.
    pub const OWN_MAX: usize = 256;
    /// Most neutral endpoints.
    pub const CONTROLS_MAX: usize = 16;
    /// Longest round: a day. Evidence older than that describes another internet.
    pub const INTERVAL_MAX: Duration = Duration::from_hours(24);
    /// Largest `speed`: a round of a minute in 60 ms, less than a handshake takes.
    pub const SPEED_MAX: u32 = 1_000;
}
