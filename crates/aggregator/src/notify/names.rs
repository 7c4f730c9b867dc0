//! Names of deliveries: what the other side tells repeats by.

use ring::rand::{SecureRandom as _, SystemRandom};

/// The system has no random numbers.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system gives no random numbers for a delivery's name")]
pub struct NoRandom;

/// 128 random bits, so that two aggregators never give one name twice.
pub fn of_delivery() -> Result<String, NoRandom> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
