//! Chance that needs no secrecy: jitter, shuffles, phases. Seeded from the system once; secrets come from `ring`.

use ring::rand::SecureRandom as _;

/// `SplitMix64`: one word of state, good enough to keep agents from moving in step.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        let seed: [u8; 8] = random();
        Self(u64::from_le_bytes(seed))
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.roll() % bound }
    }

    /// A span up to `longest`: "full jitter".
    pub(crate) fn up_to(&mut self, longest: std::time::Duration) -> std::time::Duration {
        std::time::Duration::from_millis(self.below(longest.as_millis() as u64 + 1))
    }
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    ring::rand::SystemRandom::new().fill(&mut bytes).expect("the kernel's random generator works since boot");
    bytes
}
