//! What the machine does, as a driver sees it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod by_hand;
mod choosing;
mod discovery;
mod invariants;
mod memory;
mod month;
mod returning;
pub(super) mod river;
