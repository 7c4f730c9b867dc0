//! The rules of Quorate as pure functions of (fleet, policy, reports, now).
//!
//! Nothing here has a clock, does I/O, logs or draws a random number: drivers in the agent and the aggregator carry bytes
//! and time in, and decisions out. The rules are numbered R1 to R19; each module names those that it decides.

#![no_std]

extern crate alloc;

pub mod assign;
pub mod chain;
pub mod fleet;
pub mod lane;
pub mod outcome;
pub mod pacing;
pub mod plan;
pub mod policy;
pub mod probe;
pub mod rendezvous;
pub mod report;
pub mod time;
pub mod verdict;
