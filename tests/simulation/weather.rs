//! What becomes of each call of the aggregator's store: as operations asked, and nothing at all once the process is dead.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_aggregator::simulation::{Fate, Weather};
use tokio::sync::Notify;

/// The weather of one run of the aggregator. Clones share it.
#[derive(Clone, Default)]
pub struct Sky(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    died: Notify,
}

#[derive(Default)]
struct State {
    is_dead: bool,
    /// Calls until it dies, and whether that one is still done.
    dies_at: Option<(u32, bool)>,
    spell: Option<(u32, Fate)>,
    calls: u64,
    /// The last call that was not simply done.
    disturbed: u64,
}

impl Sky {
    /// From here on nobody gets an answer.
    pub fn dies(&self) {
        self.state().is_dead = true;
    }

    /// It dies at a later call.
    pub fn dies_at(&self, call: u32, done: bool) {
        self.state().dies_at = Some((call, done));
    }

    /// What becomes of the next calls.
    pub fn spell(&self, calls: u32, fate: Fate) {
        self.state().spell = Some((calls, fate));
    }

    /// It clears up.
    pub fn clears(&self) {
        let mut state = self.state();
        (state.dies_at, state.spell) = (None, None);
    }

    pub fn is_dead(&self) -> bool {
        self.state().is_dead
    }

    /// Whether one of the last so many calls was not simply done, or one is going to be.
    pub fn is_rough(&self, calls: u64) -> bool {
        let state = self.state();
        state.spell.is_some() || (state.disturbed > 0 && state.calls - state.disturbed < calls)
    }

    /// Returns when it died at a call.
    pub async fn died(&self) {
        loop {
            let died = self.0.died.notified();
            if self.is_dead() {
                return;
            }
            died.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Weather for Sky {
    fn fate(&self) -> Fate {
        let mut state = self.state();
        state.calls += 1;
        if state.is_dead {
            return Fate::DiesBefore;
        }
        match &mut state.dies_at {
            Some((0, done)) => {
                let done = *done;
                state.is_dead = true;
                self.0.died.notify_waiters();
                return if done { Fate::DiesAfter } else { Fate::DiesBefore };
            }
            Some((calls, _)) => *calls -= 1,
            None => {}
        }
        let Some((calls, fate)) = &mut state.spell else { return Fate::Done };
        let fate = *fate;
        *calls -= 1;
        if *calls == 0 {
            state.spell = None;
        }
        state.disturbed = state.calls;
        fate
    }
}

/// The weather of whoever only looks.
pub struct Calm;

impl Weather for Calm {
    fn fate(&self) -> Fate {
        Fate::Done
    }
}
