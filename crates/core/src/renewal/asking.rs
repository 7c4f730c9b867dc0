//! When an agent may ask for a certificate again, after it has asked.
//!
//! # The order of calls
//!
//! ```text
//! wait until allowed_from(); handle_asked(now)       each time it asks, whatever comes of it
//! handle_taken_up(now)                               when the new certificate is in use
//! ```
//!
//! `now` is any clock that never goes back. An answer may be lost, refused, or end the session that it was awaited on; none
//! of that is told here. Who asked waits before asking again, and waits longer each time.

use core::time::Duration;

use crate::time::Moment;

/// First pause: a session that broke between question and answer is back by then.
const FIRST: Duration = Duration::from_secs(5);

/// Longest pause: ten days of tries are left at the time of the first one.
const LONGEST: Duration = Duration::from_hours(1);

/// After a new certificate was taken up: one that is due at once, because a clock is wrong somewhere, makes no loop.
const AFTER_SUCCESS: Duration = Duration::from_hours(1);

/// The pauses between questions.
#[derive(Debug, Clone)]
pub struct Asking {
    pause: Duration,
    allowed_from: Moment,
}

impl Default for Asking {
    fn default() -> Self {
        Self { pause: FIRST, allowed_from: Moment::ZERO }
    }
}

impl Asking {
    /// The earliest moment of the next question.
    pub fn allowed_from(&self) -> Moment {
        self.allowed_from
    }

    /// It asks; the next question waits.
    pub fn handle_asked(&mut self, now: Moment) {
        self.allowed_from = now.after(self.pause);
        self.pause = (self.pause * 2).min(LONGEST);
    }

    /// The new certificate is in use.
    pub fn handle_taken_up(&mut self, now: Moment) {
        self.pause = FIRST;
        self.allowed_from = now.after(AFTER_SUCCESS);
    }
}
