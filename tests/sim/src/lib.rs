//! Whole fleets simulated from a seed, and detectors compared on the same evidence.
//!
//! A [`world`] makes a [`tape`]: all that reaches an aggregator, in order, and the [`truth`] beside it, which no detector sees.
//! Any [`detector`] is fed from a tape, Quorate like its rivals, and what it takes away is held against the truth. Time is a
//! number on the tape: what is simulated has no clock, and a seed gives the same tape on every machine.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::float_cmp,
        reason = "a test may fail where it stands, and compares exact figures"
    )
)]

pub mod board;
pub mod clock;
pub mod detector;
pub mod dice;
pub mod engine;
pub mod invariant;
pub mod random;
pub mod recorded;
pub mod rival;
pub mod scenario;
pub mod score;
pub mod stat;
pub mod tape;
pub mod truth;
pub mod world;
