//! Whole fleets simulated from a seed, and detectors compared on the same evidence.
//!
//! A [`world`] makes a [`tape`]: all that reaches an aggregator, in order, and the [`truth`] beside it, which no detector sees.
//! Any [`detector`] is fed from a tape, Quorate like its rivals, and what it takes away is held against the truth. Time is a
//! number on the tape: nothing here has a clock, and a seed gives the same tape on every machine.

pub mod detector;
pub mod dice;
pub mod engine;
pub mod invariant;
pub mod random;
pub mod scenario;
pub mod tape;
pub mod truth;
pub mod world;
