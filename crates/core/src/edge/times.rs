//! How near an edge is, and when a nearer one is near enough to be worth a move.
//!
//! The way to buy fruit: taste three and go by the best, because the best tells the tree; and change the shop for a clear
//! gain only, because the way there costs something too.

use core::time::Duration;

/// Handshakes of a full measurement for each address. With one, 3 % of spikes would make two equal edges swap places about
/// 58 times a week, whatever the thresholds.
pub const SAMPLES: usize = 3;

/// Budget of one handshake, from the first SYN to the Welcome that answers the Hello. Each address has its own.
pub const PROBE_BUDGET: Duration = Duration::from_secs(3);

/// Least gain for which an edge is left: less is not felt by reports that are sent once a minute.
pub const GAIN_LEAST: Duration = Duration::from_millis(20);

/// Least gain as a share of the present time, in percent. Either threshold alone would approve 100 → 79 ms or 4 → 3 ms.
pub const GAIN_PERCENT_LEAST: u32 = 25;

/// What full handshakes with the gateway through one edge took: the least of each kind, over `samples` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// TCP connect: the way to the edge itself.
    pub tcp: Duration,
    /// From the first SYN to the end of the handshake with the gateway, through the edge and back. This one ranks.
    pub tls: Duration,
    /// How many handshakes were completed.
    pub samples: u8,
}

impl Times {
    /// One handshake.
    pub const fn once(tcp: Duration, tls: Duration) -> Self {
        Self { tcp, tls, samples: 1 }
    }

    /// Whether this edge is so much nearer than `other` that a session is worth moving.
    pub fn beats(&self, other: &Self) -> bool {
        self.gain_over(other).is_some_and(Gain::is_enough)
    }

    /// How much nearer than `other`; `None` if it is farther.
    pub fn gain_over(&self, other: &Self) -> Option<Gain> {
        let by = other.tls.checked_sub(self.tls)?;
        // Spans of handshakes are seconds; what a state file may claim beyond that saturates.
        let hundredths = by.as_nanos().saturating_mul(100);
        let percent = hundredths.checked_div(other.tls.as_nanos()).unwrap_or(0);
        Some(Gain { by, percent: u32::try_from(percent).unwrap_or(100) })
    }
}

/// How much nearer one edge is than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gain {
    /// In time.
    pub by: Duration,
    /// Of the other's time, in whole percent, rounded down.
    pub percent: u32,
}

impl Gain {
    /// Both thresholds are reached.
    pub fn is_enough(self) -> bool {
        self.by >= GAIN_LEAST && self.percent >= GAIN_PERCENT_LEAST
    }
}

/// The least of several handshakes with one address; `None` if none was completed.
pub fn best_of(samples: &[Option<Times>]) -> Option<Times> {
    samples.iter().flatten().copied().reduce(|best, next| Times {
        tcp: best.tcp.min(next.tcp),
        tls: best.tls.min(next.tls),
        samples: best.samples.saturating_add(next.samples),
    })
}

#[cfg(test)]
mod tests;
