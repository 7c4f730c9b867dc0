//! How fast secrets may be guessed, from one place and by strangers together.
//!
//! Like a porter who lets anybody try ten keys, and then one every few seconds. He does not mind people whose key has fitted
//! before, nor one who tries the same wrong key over and over: that is a panel with a revoked token, not a thief. So a
//! stranger who guesses slows down himself and other strangers, and nobody who is known.
//!
//! Always true: a key that has fitted is looked at whoever else is guessing; strangers from wherever share one allowance, and
//! a place from which a key has fitted has its own alone; nothing here grows with the number of guesses. A secret has 256
//! bits, so this keeps guesses out of the store and the log rather than out of the house.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_core::time::Moment;

use super::origin::Origin;
use crate::rate::{Meter, Meters};

/// From one place: ten typing errors at once, and then one in six seconds.
const ONE_PLACE: (u32, Duration) = (10, Duration::from_secs(6));
/// By strangers from everywhere together: whoever has a thousand addresses guesses no faster than this.
const STRANGERS: (u32, Duration) = (60, Duration::from_secs(1));
/// Most places that are counted one by one; strangers together cannot fill them within the minute that a place is counted.
const PLACES_MAX: usize = 4096;
/// Most places, and most keys, that are remembered as good, and most keys as wrong. Forgotten ones are met anew.
const REMEMBERED_MAX: usize = 4096;

/// The memory of guesses.
#[derive(Debug, Default)]
pub struct Guesses(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    places: Meters<Origin>,
    strangers: Meter,
    /// Places from which a key has fitted.
    familiar: Recent<Origin>,
    fitted: Recent<[u8; 32]>,
    wrong: Recent<[u8; 32]>,
    /// Being looked up at this moment, paid for by whoever came first with it.
    looked_up: BTreeSet<[u8; 32]>,
}

/// What is to be done with a secret.
pub enum Answer<'a> {
    /// Look it up, and say how that went.
    Look(Attempt<'a>),
    /// It was looked up before and is none.
    Wrong,
    /// Too many were wrong: try again after this span.
    TooFast(Duration),
}

/// A secret that is being looked up. Dropped without a word, it counts as not tried.
pub struct Attempt<'a> {
    guesses: &'a Guesses,
    origin: Origin,
    hash: [u8; 32],
    paid: Paid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paid {
    /// The key has fitted before, or somebody else looks it up already.
    Nothing,
    Place,
    PlaceAndStrangers,
}

impl Guesses {
    /// Somebody at `origin` shows the secret of that hash.
    pub fn show(&self, origin: Origin, hash: [u8; 32], now: Moment) -> Answer<'_> {
        let mut memory = self.memory();
        if memory.wrong.has(&hash) {
            return Answer::Wrong;
        }
        let paid = match memory.pay(origin, &hash, now) {
            Ok(paid) => paid,
            Err(wait) => return Answer::TooFast(wait),
        };
        if paid != Paid::Nothing {
            memory.looked_up.insert(hash);
        }
        Answer::Look(Attempt { guesses: self, origin, hash, paid })
    }

    /// A secret that was made here is one that fits.
    pub fn made(&self, hash: [u8; 32]) {
        self.memory().fitted.add(hash);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Every change is whole before anything could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn pay(&mut self, origin: Origin, hash: &[u8; 32], now: Moment) -> Result<Paid, Duration> {
        if self.fitted.has(hash) || self.looked_up.contains(hash) {
            return Ok(Paid::Nothing);
        }
        self.places.take(origin, now, ONE_PLACE, PLACES_MAX)?;
        if origin == Origin::Here || self.familiar.has(&origin) {
            return Ok(Paid::Place);
        }
        let (burst, every) = STRANGERS;
        if let Err(wait) = self.strangers.take(now, burst, every) {
            self.places.give_back(&origin, ONE_PLACE.1);
            return Err(wait);
        }
        Ok(Paid::PlaceAndStrangers)
    }
}

impl Attempt<'_> {
    /// It stands for something.
    pub fn fits(self) {
        let mut memory = self.guesses.memory();
        memory.fitted.add(self.hash);
        memory.familiar.add(self.origin);
    }

    /// It stands for nothing.
    pub fn fails(mut self) {
        let mut memory = self.guesses.memory();
        if self.paid != Paid::Nothing {
            memory.looked_up.remove(&self.hash);
        }
        // It stays paid.
        self.paid = Paid::Nothing;
        memory.fitted.remove(&self.hash);
        memory.wrong.add(self.hash);
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if self.paid == Paid::Nothing {
            return;
        }
        let mut memory = self.guesses.memory();
        memory.looked_up.remove(&self.hash);
        memory.places.give_back(&self.origin, ONE_PLACE.1);
        if self.paid == Paid::PlaceAndStrangers {
            memory.strangers.give_back(STRANGERS.1);
        }
    }
}

/// The last [`REMEMBERED_MAX`] that were added.
#[derive(Debug)]
struct Recent<T> {
    all: BTreeSet<T>,
    /// Oldest first; what was removed is skipped when its turn comes.
    order: VecDeque<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { all: BTreeSet::new(), order: VecDeque::new() }
    }
}

impl<T: Ord + Copy> Recent<T> {
    fn has(&self, one: &T) -> bool {
        self.all.contains(one)
    }

    fn add(&mut self, one: T) {
        if !self.all.insert(one) {
            return;
        }
        self.order.push_back(one);
        if self.order.len() > REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.all.remove(&oldest);
        }
    }

    fn remove(&mut self, one: &T) {
        if self.all.remove(one) {
            self.order.retain(|known| known != one);
        }
    }
}

#[cfg(test)]
mod tests;
