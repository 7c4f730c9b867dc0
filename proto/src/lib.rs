//! The wire between agent and aggregator: the generated `quorate.v1` messages and their conversions to core types.
//!
//! What comes in is checked here once, and is a core type after. Nothing that a peer sends can panic these functions or
//! make them reserve more than a small multiple of what it sent.

pub mod outcomes;
pub mod plan;

/// Version 1 of the wire.
#[allow(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    reason = "generated from the .proto files, which carry the documentation"
)]
pub mod v1 {
    tonic::include_proto!("quorate.v1");
}

/// Longest encoded [`v1::Report`]. A round over all 40,000 entry points, each failed, with the longest codes, is 520 KB;
/// the rest is for the self-check.
pub const REPORT_BYTES_MAX: usize = 1 << 20;

/// Longest encoded [`v1::Plan`], and so the longest message either side accepts: 10,000 targets of 400 bytes.
pub const PLAN_BYTES_MAX: usize = 4 << 20;
