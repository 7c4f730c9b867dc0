//! The policy: the spans, counts and shares that the rules compare with. Out of bounds is refused on construction, so
//! that no rule has to doubt it.

use core::fmt;
use core::time::Duration;

/// A share in 0..=1 with at most three decimals, compared exactly in integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u16);

impl Share {
    /// `thousandths` / 1000, or none if that is over 1.
    pub const fn from_thousandths(thousandths: u16) -> Option<Self> {
        if thousandths <= 1000 { Some(Self(thousandths)) } else { None }
    }

    /// A decimal number as people write it, or none if it is not within 0..=1 or has more than three decimals.
    pub fn from_decimal(number: f64) -> Option<Self> {
        let thousandths = libm::round(number * 1000.0);
        // Both are the double nearest to the same decimal, if it has no more than three places.
        #[allow(clippy::float_cmp, reason = "a fourth decimal, however small, is refused")]
        let exact = thousandths / 1000.0 == number && (0.0..=1000.0).contains(&thousandths);
        #[allow(clippy::cast_sign_loss, reason = "checked to lie within 0..=1000")]
        if exact { Self::from_thousandths(thousandths as u16) } else { None }
    }

    /// The share in thousandths.
    pub const fn thousandths(self) -> u16 {
        self.0
    }

    /// `part` < share × `whole`.
    pub const fn is_above(self, part: usize, whole: usize) -> bool {
        1000 * (part as u64) < self.0 as u64 * whole as u64
    }

    /// `part` > share × `whole`.
    pub const fn is_below(self, part: usize, whole: usize) -> bool {
        1000 * (part as u64) > self.0 as u64 * whole as u64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// What the rules compare with; built by [`Policy::checked`] or [`Policy::default`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// One round of every agent.
    pub interval: Duration,
    /// Evidence and reports older than this say nothing (R5, R6).
    pub stale_after: Duration,
    /// Failures in a row before a pair counts as failing (R5).
    pub sustain_rounds: u16,
    /// Time from the first to the last of them (R5).
    pub sustain_for: Duration,
    /// Share of its neighbours that a witness must see to be believed (R3).
    pub witness_floor: Share,
    /// Sites that must accuse (R7).
    pub quorum: u32,
    /// Share of the sites that gave evidence which must accuse (R7).
    pub quorum_share: Share,
    /// Share of its peers a witness may fail to see before that is said about the witness (R10).
    pub half_blind_share: Share,
    /// How long a standing verdict outlives the silence of its witnesses (R14).
    pub hold_for: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(60),
            stale_after: Duration::from_secs(180),
            sustain_rounds: 3,
            sustain_for: Duration::from_secs(90),
            witness_floor: Share(500),
            quorum: 2,
            quorum_share: Share(500),
            half_blind_share: Share(250),
            hold_for: Duration::from_secs(900),
        }
    }
}

/// Why a policy was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// One server's word would be a verdict.
    #[error("quorum is {0}: use at least 2")]
    Quorum(u32),
    /// No failure at all would be a series.
    #[error("sustain_rounds is 0: use at least 1")]
    SustainRounds,
    /// A verdict would be lifted by silence.
    #[error("hold_for is {hold_for:?}, shorter than stale_after {stale_after:?}: make it at least as long")]
    HoldFor {
        /// The refused span.
        hold_for: Duration,
        /// What it must reach.
        stale_after: Duration,
    },
    /// A round that takes no time.
    #[error("interval is 0: use at least 1 ms")]
    Interval,
}

impl Policy {
    /// The policy itself if it is within its bounds.
    pub fn checked(self) -> Result<Self, PolicyError> {
        if self.quorum < 2 {
            return Err(PolicyError::Quorum(self.quorum));
        }
        if self.sustain_rounds < 1 {
            return Err(PolicyError::SustainRounds);
        }
        if self.hold_for < self.stale_after {
            return Err(PolicyError::HoldFor { hold_for: self.hold_for, stale_after: self.stale_after });
        }
        if self.interval.is_zero() {
            return Err(PolicyError::Interval);
        }
        Ok(self)
    }

    /// The same policy with every span divided by `factor`: what a demo or a lab runs on.
    #[must_use]
    pub fn sped_up(&self, factor: u32) -> Self {
        let factor = factor.max(1);
        Self {
            interval: self.interval / factor,
            stale_after: self.stale_after / factor,
            sustain_for: self.sustain_for / factor,
            hold_for: self.hold_for / factor,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests;
