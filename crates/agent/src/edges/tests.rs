//! A whole agent, a gateway with real TLS, and edges on loopback that forward, refuse, freeze and come back.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod choosing;
mod discovery;
mod losing;
mod remembering;
mod stage;
