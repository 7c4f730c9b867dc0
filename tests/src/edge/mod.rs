//! Edges as operators run them: HAProxy and the rules on the aggregator's host, by the files that are shipped.

pub mod delay;
pub mod haproxy;
pub mod rules;
pub mod swallow;

use std::path::{Path, PathBuf};

pub use self::haproxy::{Edge, available};

/// Where an edge listens, and the gateway behind it.
pub const PORT: u16 = 8443;

/// A file of `deploy/edge`.
pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/edge").join(name)
}
