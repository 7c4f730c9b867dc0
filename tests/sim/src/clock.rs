//! How much processor time this thread has used. What is simulated has no clock; what it costs is told beside it.

use std::marker::PhantomData;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Laps of the calling thread's processor time; it cannot be handed to another thread.
#[derive(Debug)]
pub struct CpuClock {
    last: Duration,
    of_this_thread: PhantomData<*const ()>,
}

impl CpuClock {
    /// The first lap begins.
    #[allow(clippy::new_without_default, reason = "which thread it belongs to is not a default")]
    pub fn new() -> Self {
        Self { last: used(), of_this_thread: PhantomData }
    }

    /// How long this lap was; the next one begins.
    pub fn lap(&mut self) -> Duration {
        let now = used();
        let lap = now.saturating_sub(self.last);
        self.last = now;
        lap
    }
}

/// Zero where the kernel does not say.
fn used() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
