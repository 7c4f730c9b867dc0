//! The agent on every VPN server: it checks itself, knocks on every peer as a client would, and reports.
//!
//! An [`AgentConfig`] and a token are all that an agent needs: [`enroll`] once, then [`run`] until it is told to stop.
//! Everything belongs to one instance; several agents can live in one process.
//!
//! Inside, one way: a plan arrives by the session and is checked against the own limits; rounds walk it and knock; each
//! finished round becomes a report with the self-check; the outbox keeps reports until the gateway acknowledges them.

mod agent;
pub mod cli;
mod clock;
pub mod config;
mod dice;
mod edges;
mod enroll;
mod files;
mod gateway;
mod identity;
pub mod limits;
mod outbox;
pub mod probe;
mod renewal;
mod reporter;
mod rounds;
mod selfcheck;
mod session;
mod shared;
#[cfg(feature = "simulation")]
mod simulated;
#[cfg(feature = "simulation")]
pub mod simulation;
mod spool;
mod tasks;

pub use agent::{RunError, run};
pub use config::AgentConfig;
pub use enroll::{EnrollError, EnrollRequest, Enrolled, enroll};
pub use gateway::GatewayError;
pub use identity::IdentityError;
