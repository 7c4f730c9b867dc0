//! The agent's clocks, and the only place that reads them.
//!
//! Three of them, because each lies in its own way: a stopwatch for the length of a probe, the time since boot (which
//! counts on while the machine is suspended) for everything that is compared with a later moment, and the wall clock, a
//! claim that is passed on and never calculated with, but to compare it with the aggregator's.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::time::{ClockId, clock_gettime};
use quorate_core::time::Moment;
use tokio::time::Instant;

#[cfg(feature = "simulation")]
use crate::simulated::host;

/// Measures one span, to the microsecond.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Time since boot, suspended time included.
pub(crate) fn since_boot() -> Moment {
    #[cfg(feature = "simulation")]
    if let Some(host) = host() {
        return host.since_boot();
    }
    let time = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("every kernel since 2.6.39 has CLOCK_BOOTTIME");
    Moment::from_ms(Duration::from(time).as_millis() as u64)
}

/// The wall clock, Unix milliseconds.
pub(crate) fn wall() -> Moment {
    #[cfg(feature = "simulation")]
    if let Some(host) = host() {
        return host.wall();
    }
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment::from_ms(since_epoch.as_millis() as u64)
}

/// Names this boot of the machine: moments since boot of two boots cannot be compared. No process sees two.
pub(crate) fn boot_id() -> [u8; 16] {
    static ID: OnceLock<[u8; 16]> = OnceLock::new();
    #[cfg(feature = "simulation")]
    if let Some(host) = host() {
        return host.boot_id();
    }
    *ID.get_or_init(read_boot_id)
}

fn read_boot_id() -> [u8; 16] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let mut id = [0; 16];
    let mut digits = text.chars().filter_map(|c| c.to_digit(16));
    for byte in &mut id {
        let (Some(high), Some(low)) = (digits.next(), digits.next()) else { break };
        *byte = (high << 4 | low) as u8;
    }
    id
}

/// How far the own wall clock is from the aggregator's: what was told at the last Welcome, carried on by time since boot,
/// so that a step of the own wall clock shows at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reference {
    /// The aggregator's wall clock then.
    pub(crate) their_wall: Moment,
    /// The own time since boot then.
    pub(crate) since_boot: Moment,
}

impl Reference {
    /// The aggregator's wall clock at this moment.
    pub(crate) fn their_now(self) -> Moment {
        self.their_wall.after(since_boot().since(self.since_boot))
    }

    /// Own minus theirs, in ms.
    pub(crate) fn offset_ms(self) -> i64 {
        wall().as_ms().cast_signed() - self.their_now().as_ms().cast_signed()
    }
}
