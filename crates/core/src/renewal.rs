//! The life of an agent's certificate: when it is renewed, and what it is still good for.
//!
//! Like a passport: one sees to the next while the present one is good, may still see to it for a while after its end,
//! and must come in person after that. Who has which certificate is the aggregator's to know; here are only its dates.
//!
//! All moments are the aggregator's wall clock: it dates certificates, so no other clock can be wrong about them. An agent
//! knows that clock from its sessions and decides nothing by its own.

use core::time::Duration;

use crate::time::Moment;

mod asking;
mod showing;
#[cfg(test)]
mod tests;

pub use asking::Asking;
pub use showing::{Errand, Held, Showing};

/// How long after its end a certificate may be renewed: a server that was switched off for a season comes back by itself.
pub const RENEWABLE_FOR: Duration = Duration::from_hours(90 * 24);

/// From when to when a certificate is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// Its first moment.
    pub not_before: Moment,
    /// Its last moment.
    pub not_after: Moment,
}

/// What a certificate is good for at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Everything; nobody need think of it.
    Fresh,
    /// Everything; its agent is about to renew it.
    Due,
    /// Everything; its agent should have renewed it by now.
    Late,
    /// To be renewed, and nothing else.
    Expired,
    /// Nothing: the server must be enrolled again.
    Lost,
}

impl Stage {
    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Due => "due",
            Self::Late => "late",
            Self::Expired => "expired",
            Self::Lost => "lost",
        }
    }
}

impl Lifetime {
    /// What the certificate is good for.
    pub fn stage(self, now: Moment) -> Stage {
        if now > self.not_after.after(RENEWABLE_FOR) {
            Stage::Lost
        } else if now > self.not_after {
            Stage::Expired
        } else if now >= self.late_from() {
            Stage::Late
        } else if now >= self.due_from() {
            Stage::Due
        } else {
            Stage::Fresh
        }
    }

    /// When its agent renews it: after two thirds of its life and up to a sixteenth more. `chance` is any number that
    /// differs from agent to agent; with 30 days of life a thousand servers that were enrolled in one hour come in over
    /// two days, one every three minutes.
    pub fn renew_at(self, chance: u64) -> Moment {
        let spread = self.length() / 16;
        let part = (u128::from(chance) * spread.as_millis()) >> u64::BITS;
        self.due_from().after(Duration::from_millis(part as u64))
    }

    fn due_from(self) -> Moment {
        self.not_after.before(self.length() / 3)
    }

    /// An eighth of the life later: a sixteenth for the spread and one for agents that were off for a while, which
    /// leaves a person six of the 30 days.
    fn late_from(self) -> Moment {
        self.due_from().after(self.length() / 8)
    }

    fn length(self) -> Duration {
        self.not_after.since(self.not_before)
    }
}
