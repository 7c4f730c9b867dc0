//! The wire between agent and aggregator: the generated `quorate.v1` messages and their conversions to core types.

/// Version 1 of the wire.
#[allow(missing_docs, clippy::pedantic, reason = "generated from the .proto files, which carry the documentation")]
pub mod v1 {
    tonic::include_proto!("quorate.v1");
}
