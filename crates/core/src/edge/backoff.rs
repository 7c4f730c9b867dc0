//! How long to wait before the next session: at once after an end that was agreed on, ever longer after errors.
//!
//! Somebody who was asked to ring again does so; somebody who hears nothing but a dead line waits a little longer each
//! time, and not as long as the neighbour, so that a whole street does not ring at the same moment.

use core::time::Duration;

use crate::dice::Dice;
use crate::time::Moment;

/// First pause after an error; it doubles.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
/// Longest pause: an aggregator that is back has all its agents a minute later.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// One aggregator that restarts ends all its sessions as planned: they come back spread over this long.
const PLANNED_WITHIN: Duration = Duration::from_secs(5);
/// What the dice are thrown for: "backoff".
const GAME: u64 = 0x0062_6163_6b6f_6666;

/// How a session, or an attempt at one, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As agreed: a move of the agent's own, `draining`, `renewed`.
    Planned,
    /// It broke, was refused, or never came to be.
    Error,
}

/// Remembers how patient to be. All pauses are jittered in full: evenly between nothing and their length.
#[derive(Debug, Clone)]
pub struct Backoff {
    dice: Dice,
    /// The next pause after an error, before jitter.
    pause: Duration,
    /// Since when there is a session.
    opened_at: Option<Moment>,
    /// A planned end was followed up, and no session has come of it yet.
    followed_up: bool,
}

impl Backoff {
    /// Two agents with different seeds wait differently.
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed, GAME), pause: PAUSE_FIRST, opened_at: None, followed_up: false }
    }

    /// The gateway let the agent in.
    pub fn handle_opened(&mut self, now: Moment) {
        self.opened_at = Some(now);
        self.followed_up = false;
    }

    /// A session or an attempt has ended; how long to wait before the next attempt.
    ///
    /// A planned end is followed up within 5 s, whatever errors came before, and leaves the doubling as it is. Once: a
    /// second one with no session in between is a refusal, and waits like an error. A session wipes the doubling out when
    /// it has lasted longer than the pause that would follow: a gateway that lets agents in and drops them at once is not
    /// hammered.
    pub fn handle_ended(&mut self, ended: Ended, now: Moment) -> Duration {
        let lasted = self.opened_at.take().map(|opened_at| now.since(opened_at));
        if lasted.is_some_and(|lasted| lasted >= self.pause) {
            self.pause = PAUSE_FIRST;
        }
        if ended == Ended::Planned && !self.followed_up {
            self.followed_up = true;
            return self.dice.up_to(PLANNED_WITHIN);
        }
        let wait = self.dice.up_to(self.pause);
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        wait
    }
}

#[cfg(test)]
mod tests;
