//! The aggregator's clock: Unix milliseconds that never go back and take no part in steps of the wall clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

#[cfg(feature = "simulation")]
pub mod simulated;

/// Reads the wall clock once, at start, and counts on monotonically from there.
#[derive(Debug, Clone)]
pub struct Clock {
    started_at: Moment,
    started: Instant,
}

impl Clock {
    /// Starts at the wall clock's time, or at `not_before` if the wall clock is behind what was stored already.
    pub fn start(not_before: Moment) -> Self {
        Self { started_at: wall().max(not_before), started: Instant::now() }
    }

    /// This moment.
    pub fn now(&self) -> Moment {
        self.started_at.after(self.started.elapsed())
    }
}

/// A moment of this boot of the machine, by its clock and by the time since the boot, which nobody moves: what tells a
/// later start whether the wall clock was moved meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    boot: String,
    since_boot_ms: u64,
    moment_ms: u64,
}

impl Mark {
    /// This moment; none where the machine does not say which boot it is in.
    pub fn of(clock: &Clock) -> Option<Self> {
        // A simulated wall clock has nothing to do with this machine's boot.
        #[cfg(feature = "simulation")]
        if simulated::wall().is_some() {
            return None;
        }
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        let since_boot_ms = Duration::from(clock_gettime(ClockId::CLOCK_BOOTTIME).ok()?).as_millis() as u64;
        Some(Self { boot, since_boot_ms, moment_ms: clock.now().as_ms() })
    }

    /// By how much the clock was moved ahead between `earlier` and this; nothing if it was not, or nobody can know.
    pub fn moved_since(&self, earlier: &Self) -> Duration {
        if self.boot != earlier.boot {
            return Duration::ZERO;
        }
        let passed_ms = self.since_boot_ms.saturating_sub(earlier.since_boot_ms);
        let moved = Duration::from_millis(self.moment_ms.saturating_sub(earlier.moment_ms.saturating_add(passed_ms)));
        if moved < MOVED_LEAST { Duration::ZERO } else { moved }
    }
}

/// Less is how clocks are kept right, and matters to nobody.
const MOVED_LEAST: Duration = Duration::from_secs(1);

/// Measures one span, finer than a [`Moment`].
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Since then.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// The wall clock, for comparison with the claims of others and for dates in certificates.
pub fn wall() -> Moment {
    #[cfg(feature = "simulation")]
    if let Some(wall) = simulated::wall() {
        return wall;
    }
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_ms(since_epoch.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Mark;

    fn mark(boot: &str, since_boot_s: u64, moment_s: u64) -> Mark {
        Mark { boot: boot.to_owned(), since_boot_ms: since_boot_s * 1000, moment_ms: moment_s * 1000 }
    }

    #[test]
    fn a_clock_that_was_moved_ahead_is_told_by_the_time_since_boot() {
        let earlier = mark("a", 100, 1_000);
        let moved = |later: &Mark| later.moved_since(&earlier).as_secs();
        assert_eq!(moved(&mark("a", 160, 1_060)), 0, "a minute later");
        assert_eq!(moved(&mark("a", 160, 4_660)), 3_600, "an hour ahead");
        assert_eq!(moved(&mark("a", 160, 1_000)), 0, "moved back, and going on from what was stored");
        assert_eq!(moved(&mark("b", 5, 9_000)), 0, "another boot: nobody can know");
        assert_eq!(mark("a", 100, 1_000).moved_since(&earlier), Duration::ZERO);
    }
}
