//! Our own pauses: an aggregator that was stopped, starved or cut off must not take its deafness for everybody's silence
//! (R6).

use std::time::Duration;

use quorate_core::policy::Policy;
use quorate_core::time::Moment;

/// Watches the regular ticks of the engine's loop.
#[derive(Debug)]
pub(super) struct Attention {
    last_tick_at: Moment,
    /// The store could not be reached: no report can be taken in, and none is missed.
    cut_off: bool,
}

/// What a tick shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tick {
    /// We were there all the time.
    Awake,
    /// We were away and are back: listening begins anew.
    Resumed,
    /// We are away: nothing that is not heard means anything.
    Away,
}

impl Attention {
    pub fn new(now: Moment) -> Self {
        Self { last_tick_at: now, cut_off: false }
    }

    /// How often to tick.
    pub fn period(policy: &Policy) -> Duration {
        (policy.interval / 8).clamp(Duration::from_millis(50), Duration::from_secs(1))
    }

    /// The longest gap between two ticks that is not taken for a pause. A quarter of a round: shorter gaps cannot make a
    /// punctual agent look silent, because `stale_after` is rounds long.
    fn patience(policy: &Policy) -> Duration {
        Self::period(policy) + (policy.interval / 4).max(Duration::from_millis(500))
    }

    pub fn handle_tick(&mut self, policy: &Policy, now: Moment, store_answers: bool) -> Tick {
        let gap = now.since(self.last_tick_at);
        self.last_tick_at = now;
        let was_cut_off = std::mem::replace(&mut self.cut_off, !store_answers);
        if !store_answers {
            Tick::Away
        } else if was_cut_off || gap > Self::patience(policy) {
            Tick::Resumed
        } else {
            Tick::Awake
        }
    }
}
