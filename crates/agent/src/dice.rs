//! Chance from the system: seeds for what is jittered or shuffled, and names that nobody else has.

use ring::rand::SecureRandom as _;

/// A seed for the dice of a machine in core.
pub(crate) fn seed() -> u64 {
    u64::from_le_bytes(random())
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[cfg(feature = "simulation")]
    if let Some(host) = crate::simulated::host() {
        host.throw(&mut bytes);
        return bytes;
    }
    ring::rand::SystemRandom::new().fill(&mut bytes).expect("the kernel's random generator works since boot");
    bytes
}
