//! R4, R5 · Streaks: what one witness knows of one entry point, in 16 bytes, of which 8 are enough while nothing fails.
//!
//! The everyday picture: a tally sheet by the door. Every failed knock adds a stroke, one answer wipes the sheet, and a
//! sheet that nobody has touched for too long says nothing.

use core::time::Duration;

use crate::policy::Policy;
use crate::time::Moment;

/// The folded state of one pair (witness, entry point). `streak` is zero with evidence exactly when the last counted
/// evidence was `reached`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    recent: Recent,
    /// Moment of the series' first failure in the upper 48 bits; the lower 16 tell whether there is any evidence.
    first_and_known: u64,
}

/// The half of a pair with evidence that says all while nothing fails: the moment of the last counted evidence in the upper
/// 48 bits, the streak in the lower 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recent(u64);

const _: () = assert!(size_of::<Recent>() == 8, "a mesh of 1,000 servers has a million of these");

impl Recent {
    pub const fn success(at: Moment) -> Self {
        Self(at.as_ms() << 16)
    }

    pub const fn streak(self) -> u16 {
        self.0 as u16
    }

    pub const fn at(self) -> Moment {
        Moment::from_ms(self.0 >> 16)
    }

    /// The same, by a clock that was moved ahead by so much since.
    pub fn put_off(self, by: Duration) -> Self {
        Self(Self::success(self.at().after(by)).0 | u64::from(self.streak()))
    }
}

impl Default for Pair {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl core::fmt::Debug for Pair {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pair")
            .field("streak", &self.streak())
            .field("first_failed_at", &self.first_failed_at())
            .field("last_evidence_at", &self.last_evidence_at())
            .finish()
    }
}

impl Pair {
    /// No evidence yet.
    pub const UNKNOWN: Self = Self { recent: Recent(0), first_and_known: 0 };

    /// The pair as 16 bytes to be stored.
    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.recent.0.to_le_bytes());
        bytes[8..].copy_from_slice(&self.first_and_known.to_le_bytes());
        bytes
    }

    /// The pair that [`Self::to_bytes`] stored.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let number = |range: core::ops::Range<usize>| {
            bytes[range].iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        Self { recent: Recent(number(0..8)), first_and_known: number(8..16) }
    }

    fn new(streak: u16, first_failed_at: Moment, last_evidence_at: Moment) -> Self {
        let recent = Recent(last_evidence_at.as_ms() << 16 | u64::from(streak));
        Self { recent, first_and_known: first_failed_at.as_ms() << 16 | 1 }
    }

    /// The pair of these halves; only one with a streak has a first failure.
    pub(crate) fn of(recent: Recent, first_failed_at: Option<Moment>) -> Self {
        Self { recent, first_and_known: first_failed_at.unwrap_or(Moment::ZERO).as_ms() << 16 | 1 }
    }

    /// What says all while nothing fails.
    pub(crate) const fn recent(self) -> Recent {
        self.recent
    }

    /// Failures in a row; stops counting at 65,535.
    pub const fn streak(self) -> u16 {
        self.recent.streak()
    }

    /// When the last counted evidence was observed.
    pub const fn last_evidence_at(self) -> Option<Moment> {
        if self.first_and_known & 1 == 0 { None } else { Some(self.recent.at()) }
    }

    /// When the series of failures began, if there is one.
    pub const fn first_failed_at(self) -> Option<Moment> {
        if self.streak() == 0 { None } else { Some(Moment::from_ms(self.first_and_known >> 16)) }
    }

    /// R4: a success is proof, whoever tells it.
    #[must_use]
    pub fn reached(self, at: Moment) -> Self {
        Self::new(0, Moment::ZERO, at)
    }

    /// R4: a failure told by a witness that is credible on the lane.
    #[must_use]
    pub fn failed(self, at: Moment, policy: &Policy) -> Self {
        let in_series = self.last_evidence_at().is_some_and(|last| at.since(last) <= policy.hold_for);
        match self.first_failed_at() {
            Some(first) if in_series => Self::new(self.streak().saturating_add(1), first, at),
            _ => Self::new(1, at, at),
        }
    }

    /// R5: long enough a series, however old.
    pub fn has_full_series(self, policy: &Policy) -> bool {
        match (self.first_failed_at(), self.last_evidence_at()) {
            // A late report may put the last failure before the first: that is no span at all.
            (Some(first), Some(last)) => {
                self.streak() >= policy.sustain_rounds && last >= first && last.since(first) >= policy.sustain_for
            }
            _ => false,
        }
    }

    /// R5: what the pair says at `now`.
    pub fn word(self, policy: &Policy, now: Moment) -> Word {
        if !self.is_within(policy.stale_after, now) {
            Word::Unknown
        } else if self.streak() == 0 {
            Word::Sees
        } else if self.has_full_series(policy) {
            Word::Sustained
        } else {
            Word::Unknown
        }
    }

    /// Whether the last counted evidence is at most `span` old.
    pub fn is_within(self, span: Duration, now: Moment) -> bool {
        self.last_evidence_at().is_some_and(|last| now.since(last) <= span)
    }
}

/// What a pair says at a moment (R5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The last counted evidence is a success, and fresh.
    Sees,
    /// A full series of failures, and fresh.
    Sustained,
    /// Nothing that counts.
    Unknown,
}

#[cfg(test)]
mod tests;
