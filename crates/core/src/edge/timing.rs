//! How often an agent looks at its edges, and how long it waits before it believes what it sees.

use core::time::Duration;

/// The periods of edge choice. What real networks take (handshakes, staggers, pauses after an error) is not in here: it
/// does not shrink when a lab lets time run faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Between two resolutions of the gateway's name beside a live session. An edge taken out of DNS is left after two of
    /// them; the system's resolver keeps answers for a TTL anyway, so asking it is cheap.
    pub resolve_every: Duration,
    /// Between two rounds of the watch, on average. Long enough that ten thousand agents cost a gateway 33 handshakes a
    /// second, short enough that an edge that is back has its agents within a quarter of an hour.
    pub watch_every: Duration,
    /// Age from which the last full measurement is made anew. Routes change with the time of day, not with the minute.
    pub stale_after: Duration,
    /// Least time on an edge before it is left for a better one, and after any move before the next one that is not
    /// forced.
    pub dwell: Duration,
    /// How long the last good set of addresses stands in for a resolver that fails: longer than a weekend in which nobody
    /// notices, shorter than an address takes to find another owner.
    pub set_kept: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            resolve_every: Duration::from_mins(1),
            watch_every: Duration::from_mins(5),
            stale_after: Duration::from_hours(6),
            dwell: Duration::from_mins(10),
            set_kept: Duration::from_hours(7 * 24),
        }
    }
}

impl Timing {
    /// The defaults divided by `divisor` (0 counts as 1): a lab in which a minute passes in a second.
    pub fn scaled(divisor: u32) -> Self {
        let timing = Self::default();
        let divisor = divisor.max(1);
        Self {
            resolve_every: timing.resolve_every / divisor,
            watch_every: timing.watch_every / divisor,
            stale_after: timing.stale_after / divisor,
            dwell: timing.dwell / divisor,
            set_kept: timing.set_kept / divisor,
        }
    }
}
