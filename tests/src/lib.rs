//! The lab: a fleet of hosts in network namespaces with real agents, real VPN servers and one real aggregator, and a
//! middlebox between them that makes the troubles which networks make.
//!
//! Everything stays on this machine: the middlebox has no way out. It runs as root, or as anybody where unprivileged user
//! namespaces are allowed; elsewhere each test skips itself by name.

#![allow(clippy::print_stderr, reason = "tests tell what they do on standard error")]
#![allow(clippy::format_push_string, reason = "batches of a few lines, built once")]
#![allow(clippy::unwrap_used, reason = "a lab that cannot be built is a failed test; the panic says where")]

pub mod caller;
pub mod certificate;
pub mod clock;
pub mod container;
pub mod decoy;
pub mod dice;
pub mod disk;
pub mod edge;
pub mod fleet;
pub mod http;
pub mod http2;
pub mod machine;
pub mod names;
pub mod namespace;
pub mod network;
pub mod postgres;
pub mod process;
pub mod resolver;
pub mod trouble;
pub mod vitals;
pub mod vpn;
pub mod wall;
