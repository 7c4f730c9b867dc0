//! Who probes whom: from the fleet alone, never from its health.
//!
//! In a village everyone looks after everyone. In a town each house has a fixed number of neighbours who look after it:
//! first the sworn wardens, then a few from each quarter, then whoever lives next to it in one of several directories,
//! each sorted in another way.
//!
//! Always true: the same fleet and policy give the same assignment on every machine; nobody probes itself; disabled servers
//! neither probe nor are probed; who probes a server probes all its entry points; and a server that joins or leaves moves
//! only its own share. Two numbers follow from the size of the fleet and move more when they change, which is seldom: how
//! many witnesses fit (when the mean of entry points per server passes a quarter), and how many verifiers a target gets.
//!
//! Refuses to know: verdicts, silence, load. An assignment that followed them would change its own evidence.

use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::policy::Policy;

mod ring;
mod thin;
mod town;

#[cfg(test)]
mod tests;

/// A span of the policy, and who chose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Nobody: it stretches with the round.
    Default(Duration),
    /// The operator: it stays.
    Set(Duration),
}

/// How thickly and how gently the fleet watches itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssignPolicy {
    /// One round.
    pub interval: Duration,
    /// Least time between two handshakes of one agent.
    pub min_spacing: Duration,
    /// Witnesses of each target where not everyone can probe everyone; the most that fit when none.
    pub witnesses_per_target: Option<u32>,
    /// Everyone probes everyone, however long a round takes.
    pub all: bool,
    /// Sites that make a verdict (R7): each country that has one more is asked for that many.
    pub quorum: u32,
    /// Evidence older than this says nothing (R5, R6).
    pub stale_after: Span,
    /// Time from the first to the last of a series of failures (R5).
    pub sustain_for: Span,
    /// How long a verdict outlives the silence of its witnesses (R14).
    pub hold_for: Span,
}

impl AssignPolicy {
    /// Least time between two handshakes of one agent, unless told otherwise: 30 a minute are fewer than one open
    /// browser makes.
    pub const MIN_SPACING: Duration = Duration::from_secs(2);

    /// A policy's spans as nobody's choice, at the default spacing.
    pub fn of(policy: &Policy) -> Self {
        Self {
            interval: policy.interval,
            min_spacing: Self::MIN_SPACING,
            witnesses_per_target: None,
            all: false,
            quorum: policy.quorum,
            stale_after: Span::Default(policy.stale_after),
            sustain_for: Span::Default(policy.sustain_for),
            hold_for: Span::Default(policy.hold_for),
        }
    }
}

/// What every server probes, and the spans that hold with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// One round: the policy's, or what the fullest witness needs.
    pub interval: Duration,
    /// Stretched with the interval unless the operator set it; so are the next two.
    pub stale_after: Duration,
    /// See `stale_after`.
    pub sustain_for: Duration,
    /// See `stale_after`.
    pub hold_for: Duration,
    /// Witnesses that each target is to have; none where everyone probes everyone.
    pub witnesses_per_target: Option<u32>,
    targets: Vec<Vec<EntryIx>>,
}

impl Assignment {
    /// What a server probes, by id: the order of its plan.
    pub fn targets(&self, witness: ServerIx) -> &[EntryIx] {
        &self.targets[witness.at()]
    }

    /// Whether a round was stretched beyond the policy's interval.
    pub fn is_stretched(&self, policy: &AssignPolicy) -> bool {
        self.interval > policy.interval
    }
}

/// Why there is no assignment; the one in force stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignError {
    /// No pace.
    #[error(
        "min_spacing {min_spacing:?} does not fit interval {interval:?}: use at least 1 ms and at most the interval"
    )]
    Spacing {
        /// The refused span.
        min_spacing: Duration,
        /// What it must fit.
        interval: Duration,
    },
    /// No witnesses.
    #[error("witnesses_per_target is 0: use at least 1")]
    NoWitnesses,
    /// Evidence would be stale before the next round brings some.
    #[error(
        "a round takes {round:?} ({probes} probes, {min_spacing:?} apart), more than half of stale_after {stale_after:?}: \
         make stale_after at least {:?}, or let fewer witnesses probe each target",
        .round.saturating_mul(2)
    )]
    RoundTooLong {
        /// How long a round takes.
        round: Duration,
        /// Probes of the fullest witness.
        probes: usize,
        /// How far apart.
        min_spacing: Duration,
        /// What half of which it exceeds.
        stale_after: Duration,
    },
}

/// Assigns every server what it probes.
pub fn assign(fleet: &Fleet, policy: &AssignPolicy) -> Result<Assignment, AssignError> {
    let (interval_ms, spacing_ms) = (policy.interval.as_millis(), policy.min_spacing.as_millis());
    if spacing_ms == 0 || spacing_ms > interval_ms {
        return Err(AssignError::Spacing { min_spacing: policy.min_spacing, interval: policy.interval });
    }
    if policy.witnesses_per_target == Some(0) {
        return Err(AssignError::NoWitnesses);
    }
    let capacity = (interval_ms / spacing_ms) as usize;
    let servers: Vec<ServerIx> = fleet.server_ixs().filter(|ix| fleet.server(*ix).intent != Intent::Disabled).collect();
    let total: usize = servers.iter().map(|ix| fleet.server(*ix).entry_points.len()).sum();
    let fewest = servers.iter().map(|ix| fleet.server(*ix).entry_points.len()).min().unwrap_or(0);

    let (watched, witnesses_per_target) = if policy.all || total - fewest <= capacity {
        (mesh(fleet, &servers), None)
    } else {
        let thickness = Thickness::of(policy, capacity, total, servers.len());
        (thin::watched(fleet, &servers, &thickness), Some(thickness.witnesses as u32))
    };
    let targets: Vec<Vec<EntryIx>> = watched.iter().map(|watched| entry_points(fleet, watched)).collect();
    let probes = targets.iter().map(Vec::len).max().unwrap_or(0);
    let round = policy.min_spacing.saturating_mul(u32::try_from(probes).unwrap_or(u32::MAX)).max(policy.interval);
    let stretched = |span: Span| match span {
        Span::Set(span) => span,
        Span::Default(span) => stretch(span, policy.interval, round),
    };
    let stale_after = stretched(policy.stale_after);
    if round > stale_after / 2 {
        return Err(AssignError::RoundTooLong { round, probes, min_spacing: policy.min_spacing, stale_after });
    }
    Ok(Assignment {
        interval: round,
        stale_after,
        sustain_for: stretched(policy.sustain_for),
        hold_for: stretched(policy.hold_for),
        witnesses_per_target,
        targets,
    })
}

/// How many witnesses a target is to have, and how many probes a witness can take.
struct Thickness {
    witnesses: usize,
    /// Probes of one witness in a round.
    capacity: usize,
    /// Entry points per server, in quarters.
    mean_quarters: usize,
    quorum: usize,
}

impl Thickness {
    fn of(policy: &AssignPolicy, capacity: usize, entry_points: usize, servers: usize) -> Self {
        let servers = servers.max(1);
        // In quarters, so that a server more or less hardly ever changes how many witnesses everyone gets.
        let mean_quarters = ((entry_points * 4 + servers / 2) / servers).max(4);
        let fits = (capacity * 4 / mean_quarters).max(1);
        let (witnesses, capacity) = match policy.witnesses_per_target {
            None => (fits, capacity),
            // A quarter more than the mean, so that an uneven share is not cut to an even one.
            Some(wanted) => (wanted as usize, capacity.max((wanted as usize * mean_quarters * 5).div_ceil(16))),
        };
        Self { witnesses, capacity, mean_quarters, quorum: policy.quorum as usize }
    }
}

/// Everyone watches everyone else.
fn mesh(fleet: &Fleet, servers: &[ServerIx]) -> Vec<Vec<ServerIx>> {
    let mut watched = vec![Vec::new(); fleet.servers().len()];
    for witness in servers {
        watched[witness.at()] = servers.iter().copied().filter(|target| target != witness).collect();
    }
    watched
}

/// The entry points of the watched servers, by id.
fn entry_points(fleet: &Fleet, watched: &[ServerIx]) -> Vec<EntryIx> {
    let mut entry_points: Vec<EntryIx> =
        watched.iter().flat_map(|target| fleet.server(*target).entry_points.iter().copied()).collect();
    entry_points.sort_unstable();
    entry_points
}

/// A span that keeps its proportion to the interval, rounded up to whole milliseconds.
fn stretch(span: Duration, interval: Duration, round: Duration) -> Duration {
    if round == interval {
        return span;
    }
    let ms = (span.as_millis() * round.as_millis()).div_ceil(interval.as_millis());
    Duration::from_millis(u64::try_from(ms).unwrap_or(u64::MAX))
}
