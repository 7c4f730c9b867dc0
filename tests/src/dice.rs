//! Instants and choices that follow from a seed: a fault at a random instant that was found bad is made again by its seed.

use std::time::Duration;

/// `SplitMix64` (Steele, Lea and Flood, 2014): a counter and a mixing of its bits.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The same numbers for the same seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Evenly spread over 0..2^64.
    pub const fn throw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A span in whole milliseconds up to and including `longest`.
    pub fn up_to(&mut self, longest: Duration) -> Duration {
        Duration::from_millis(self.throw() % (longest.as_millis() as u64 + 1))
    }

    /// One of several.
    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.throw() % of.len() as u64) as usize]
    }

    /// Bytes that mean nothing.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| self.throw().to_le_bytes()).collect();
        bytes.truncate(count);
        bytes
    }
}
