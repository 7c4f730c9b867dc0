//! Chance, as integers that follow from a seed: the same on every machine.
//!
//! PCG (O'Neill 2014) by its Rust project's crate. Everybody who draws has dice of their own, named after what they draw,
//! so that one draw more of one of them moves nothing in the others. No floats: a gap between two rare events is found by
//! halving, in whole numbers.

use std::time::Duration;

use rand_core::Rng as _;
use rand_pcg::Pcg64;

/// One million: chances are given in parts of it.
pub const MILLION: u32 = 1_000_000;

/// A sequence of draws.
#[derive(Debug, Clone)]
pub struct Dice(Pcg64);

impl Dice {
    /// The dice of that name in the world of that seed.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a: names are short, and only have to differ.
        let hash =
            |start: u64| name.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let stream = u128::from(hash(0xcbf2_9ce4_8422_2325));
        let mut dice = Self(Pcg64::new(u128::from(seed) << 64 | stream, stream));
        // The first draws of neighbouring seeds are neighbours too.
        for _ in 0..4 {
            dice.throw();
        }
        dice
    }

    /// Evenly over all numbers.
    pub fn throw(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Evenly under `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.throw()) * u128::from(bound)) >> 64) as u64
    }

    /// Evenly from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A span of whole milliseconds, evenly from `low` to `high`.
    pub fn span(&mut self, low: Duration, high: Duration) -> Duration {
        Duration::from_millis(self.between(low.as_millis() as u64, high.as_millis() as u64))
    }

    /// Whether something of that chance in a million happens.
    pub fn happens(&mut self, ppm: u32) -> bool {
        ppm > 0 && self.below(u64::from(MILLION)) < u64::from(ppm)
    }

    /// One of some, which are not none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }

    /// `count` different numbers under `bound`, ascending; all of them if there are fewer.
    pub fn some(&mut self, count: usize, bound: usize) -> Vec<u16> {
        let mut all: Vec<u16> = (0..bound).map(|n| n as u16).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }

    /// Shuffles in place.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// How many tries pass before one of a small chance succeeds: drawn in one go, so that what does not happen costs nothing.
#[derive(Debug, Clone)]
pub struct Gap {
    /// The chance that none of 2^n tries succeeds, in parts of 2^64; none where no try ever does.
    none_of: Option<Vec<u64>>,
}

impl Gap {
    /// Of a chance in a million.
    pub fn new(ppm: u32) -> Self {
        let ppm = ppm.min(MILLION);
        if ppm == 0 {
            return Self { none_of: None };
        }
        let fails = (u128::from(MILLION - ppm) << 64) / u128::from(MILLION);
        let mut none = fails as u64;
        let mut none_of = Vec::new();
        while none > 0 {
            none_of.push(none);
            none = times(none, none);
        }
        Self { none_of: Some(none_of) }
    }

    /// How many tries fail before the next success; for ever, if it has no chance.
    pub fn draw(&self, dice: &mut Dice) -> u64 {
        let Some(none_of) = &self.none_of else { return u64::MAX };
        // The largest number of tries of which none succeeding is still likelier than what was thrown.
        let thrown = dice.throw();
        let (mut tries, mut none) = (0, u64::MAX);
        for (power, none_of) in none_of.iter().enumerate().rev() {
            let further = times(none, *none_of);
            if further > thrown {
                none = further;
                tries += 1 << power;
            }
        }
        tries
    }
}

fn times(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

#[cfg(test)]
mod tests;
