//! The inventory as people and programs write it: TOML file, API, store.
//!
//! It is one versioned document: every change makes a new version, so that a recorded trace can be replayed against the
//! fleet of its time.

use quorate_core::fleet::Intent;
use quorate_core::probe::ProbeKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use self::check::InventoryError;
pub use self::edge::{Edge, EdgeEntry, Edges, ProxyEntry};
pub use self::network::Network;

pub mod allowed;
mod check;
mod edge;
mod network;
mod words;

#[cfg(test)]
mod tests;

/// Servers, routes, edges and policy.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inventory {
    /// Spans, counts and shares; every one has a default.
    pub policy: PolicySettings,
    /// The servers.
    pub servers: Vec<ServerEntry>,
    /// The routes.
    pub routes: Vec<RouteEntry>,
    /// The forwarders before the gateway.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<EdgeEntry>,
}

/// Policy as written: what is absent has its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolicySettings {
    /// One round of every agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    /// R5, R6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_after_ms: Option<u64>,
    /// R5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sustain_rounds: Option<u16>,
    /// R5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sustain_for_ms: Option<u64>,
    /// R3, at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness_floor: Option<f64>,
    /// R7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// R7, at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum_share: Option<f64>,
    /// R10, at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_blind_share: Option<f64>,
    /// R14.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold_for_ms: Option<u64>,
    /// Least time between two handshakes of one agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_spacing_ms: Option<u64>,
    /// Witnesses of each target where the whole mesh does not fit in an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witnesses_per_target: Option<u32>,
    /// Everybody probes everybody, whatever that does to the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Neutral endpoints (`host:port`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<String>,
    /// Probe budgets are divided by this; for demo and lab.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<u32>,
}

/// A server as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerEntry {
    /// Unique name.
    pub id: String,
    /// IP address or host name that its entry points are dialled at.
    pub address: String,
    /// Two capital letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Failure domain; the address's /24 or /48 when absent, the id for a host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// R9.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verifier: bool,
    /// `active`, `drained` or `disabled`.
    #[serde(default, skip_serializing_if = "IntentEntry::is_active")]
    pub intent: IntentEntry,
    /// What clients dial; one `tls` on port 443 when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entry_points: Vec<EntryPointEntry>,
}

/// What the operator wants of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentEntry {
    /// Probe, vote, deliver.
    #[default]
    Active,
    /// Probe, vote, do not deliver.
    Drained,
    /// Nothing.
    Disabled,
}

impl IntentEntry {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if hands a reference")]
    fn is_active(&self) -> bool {
        matches!(self, Self::Active)
    }
}

impl From<IntentEntry> for Intent {
    fn from(entry: IntentEntry) -> Self {
        match entry {
            IntentEntry::Active => Self::Active,
            IntentEntry::Drained => Self::Drained,
            IntentEntry::Disabled => Self::Disabled,
        }
    }
}

/// An entry point as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryPointEntry {
    /// Its name within the server: the entry point's id is `‹server›/‹name›`. The probe's kind when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `tcp`, `tls`, `https`, `quic` or `quic_http3`.
    #[serde(default = "default_probe")]
    pub probe: String,
    /// Dialled instead of the server's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// `ipv4` or `ipv6`; needed for a host name that has both, read off an IP address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// 443 when absent.
    #[serde(default = "default_port")]
    pub port: u16,
    /// Name in the ClientHello.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sni: Option<String>,
    /// ALPN protocols; the kind's own when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alpn: Vec<String>,
    /// `webpki` (default), `pin` or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// SHA-256 hashes of the certificate's public key, in hex, for `pin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<String>,
    /// Request path of `https` and `quic_http3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Status that the response must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_status: Option<u16>,
    /// Body bytes that `https` waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bytes: Option<u32>,
    /// Run in every n-th round while the last outcome was no failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u16>,
    /// Ids of the servers it forwards to (R13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upstreams: Vec<String>,
    /// Weight in a subscriber's choice (R17).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
}

impl Default for EntryPointEntry {
    fn default() -> Self {
        Self {
            name: None,
            probe: default_probe(),
            address: None,
            family: None,
            port: default_port(),
            sni: None,
            alpn: Vec::new(),
            verify: None,
            pins: Vec::new(),
            path: None,
            expect_status: None,
            min_bytes: None,
            every: None,
            upstreams: Vec::new(),
            weight: None,
        }
    }
}

/// A route as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteEntry {
    /// Unique name.
    pub id: String,
    /// Ids of entry points, in the order in which they are offered.
    pub entry_points: Vec<String>,
    /// Countries whose users it serves (R18).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<String>,
}

fn default_probe() -> String {
    ProbeKind::Tls.as_str().to_owned()
}

const fn default_port() -> u16 {
    443
}
