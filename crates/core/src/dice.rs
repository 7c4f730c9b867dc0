//! Numbers that nobody can guess without the seed, and that are the same for the same seed: `SipHash` of a counter.

use core::hash::Hasher as _;
use core::time::Duration;

use siphasher::sip::SipHasher24;

/// A sequence of numbers that follows from its seed.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    seed: u64,
    /// Keeps the numbers of one machine apart from those of another that has the same seed.
    game: u64,
    thrown: u64,
}

impl Dice {
    /// `game` names what the numbers are for.
    pub(crate) const fn new(seed: u64, game: u64) -> Self {
        Self { seed, game, thrown: 0 }
    }

    /// The next number, evenly spread over 0..2^64.
    pub(crate) fn throw(&mut self) -> u64 {
        let mut hasher = SipHasher24::new_with_keys(self.seed, self.game);
        hasher.write(&self.thrown.to_le_bytes());
        self.thrown += 1;
        hasher.finish()
    }

    /// A number under `bound`, which is at least 1. The bias of one part in 2^64 / bound shows nowhere.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.throw()) * u128::from(bound)) >> 64) as u64
    }

    /// A span in whole milliseconds, evenly between nothing and `longest`: full jitter.
    pub(crate) fn up_to(&mut self, longest: Duration) -> Duration {
        let longest_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.below(longest_ms.saturating_add(1)))
    }

    /// Shuffles in place.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
