//! Numbers that nobody can guess without the seed, and that are the same for the same seed: `SipHash` of a counter.

use core::hash::Hasher as _;

use siphasher::sip::SipHasher24;

/// A sequence of numbers that follows from its seed.
#[derive(Debug, Clone)]
pub(super) struct Dice {
    seed: u64,
    thrown: u64,
}

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, thrown: 0 }
    }

    /// The next number, evenly spread over 0..2^64.
    pub(super) fn throw(&mut self) -> u64 {
        // The second half of the key keeps these numbers apart from other uses of SipHash.
        let mut hasher = SipHasher24::new_with_keys(self.seed, 0x7061_6369_6e67);
        hasher.write(&self.thrown.to_le_bytes());
        self.thrown += 1;
        hasher.finish()
    }

    /// A number under `bound`, which is at least 1. The bias of one part in 2^64 / bound shows nowhere.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.throw()) * u128::from(bound)) >> 64) as u64
    }

    /// Shuffles in place.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
