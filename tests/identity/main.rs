//! A real agent and a real aggregator over loopback, and how the one keeps its certificate with the other.
//!
//! Certificates are issued as if at other times, so nothing waits for one to grow old. Between the two stands a relay that a
//! test can cut between a commit and its answer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench;
mod enrolment;
mod lifetime;
mod relay;
mod renewal;
