//! The aggregator's clock: Unix milliseconds that never go back and take no part in steps of the wall clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quorate_core::time::Moment;
use tokio::time::Instant;

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
    if let Some(wall) = crate::simulation::wall() {
        return wall;
    }
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_ms(since_epoch.as_millis() as u64)
}
