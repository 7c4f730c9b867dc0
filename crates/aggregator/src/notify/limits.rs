//! Bounds of what waits to be told.

use std::time::Duration;

/// Messages that wait on a channel at most; the oldest are given up. At two a minute that is a working day of a receiver
/// that is away.
pub const WAITING_MAX: usize = 1_000;

/// How long a message is tried: a receiver that was away over a night still gets it.
pub const TRIED_FOR: Duration = Duration::from_hours(24);

/// Attempts at least, however old a message is: one that is sent again by hand has its chance.
pub const ATTEMPTS_MIN: u64 = 3;

/// The wait after the first attempt; it doubles with each.
pub const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Longest wait between attempts.
pub const AGAIN_AFTER_MAX: Duration = Duration::from_secs(900);
