//! The rules of Quorate as pure functions of (fleet, policy, reports, now).
//!
//! Nothing here has a clock, does I/O, logs or draws a random number: drivers in the agent and the aggregator carry bytes
//! and time in, and decisions out. The rules are numbered R1 to R19; each module names those that it decides.

#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod address;
pub mod assign;
pub mod balance;
pub mod chain;
mod cut;
mod dice;
pub mod edge;
pub mod edge_watch;
pub mod evaluate;
pub mod explain;
pub mod fleet;
pub mod fold;
mod hold;
pub mod islands;
mod knock;
pub mod label;
pub mod lane;
pub mod ledger;
mod mesh;
pub mod notify;
pub mod one_line;
pub mod outcome;
pub mod pacing;
mod pair;
pub mod pattern;
pub mod plan;
pub mod policy;
mod presence;
pub mod probe;
pub mod proxy;
mod quorum;
pub mod rendezvous;
pub mod renewal;
pub mod report;
pub mod scope;
pub mod servers;
mod status;
pub mod streak;
mod tally;
pub mod time;
pub mod verdict;
mod verifier;
mod witness;
mod words;

#[cfg(test)]
mod tests;
