//! The fleet as it is declared, by names: what [`Fleet::new`](super::Fleet::new) checks.

use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use super::Country;
use crate::lane::Lane;
use crate::probe::Probe;

/// What the operator wants of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Intent {
    /// Probe, vote, deliver.
    #[default]
    Active,
    /// Probe, vote, do not deliver.
    Drained,
    /// Nothing.
    Disabled,
}

impl Intent {
    /// The word used in files and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Drained => "drained",
            Self::Disabled => "disabled",
        }
    }
}

/// The word names no intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown intent: use active, drained or disabled")]
pub struct UnknownIntent;

impl FromStr for Intent {
    type Err = UnknownIntent;

    fn from_str(word: &str) -> Result<Self, UnknownIntent> {
        match word {
            "active" => Ok(Self::Active),
            "drained" => Ok(Self::Drained),
            "disabled" => Ok(Self::Disabled),
            _ => Err(UnknownIntent),
        }
    }
}

/// A server as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// Unique name.
    pub id: String,
    /// Where it stands; none counts in the whole fleet only.
    pub country: Option<Country>,
    /// Failure domain; its id when none.
    pub site: Option<String>,
    /// Whether its word on a single pair is trusted (R9).
    pub verifier: bool,
    /// What the operator wants of it.
    pub intent: Intent,
    /// At least one.
    pub entry_points: Vec<EntryPointSpec>,
}

/// An entry point as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPointSpec {
    /// Unique name in the whole fleet, like `nl-1/tls`.
    pub id: String,
    /// Transport and address family.
    pub lane: Lane,
    /// What is dialled, as text; evidence belongs to it (R2).
    pub address: Option<String>,
    /// How it is dialled; evidence belongs to that too (R2). None in a recorded trace.
    pub probe: Option<Probe>,
    /// Ids of the servers it forwards to (R13).
    pub upstreams: Vec<String>,
    /// Weight in a subscriber's choice (R17), at least 1.
    pub weight: u32,
}

/// A route as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteSpec {
    /// Unique name.
    pub id: String,
    /// Ids of entry points, in the order in which they are offered.
    pub entry_points: Vec<String>,
    /// Countries whose users it serves (R18).
    pub audience: Vec<Country>,
}
