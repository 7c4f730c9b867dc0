//! The edges: forwarders before the gateway, known by the networks that their connections come from.
//!
//! Like the couriers whom the porter knows by their uniform: what a courier says about where a parcel comes from is heard
//! (and written down as his word), what anybody else says about it is not. What is checked here is that every peer belongs
//! to one edge or to none.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::network::Network;
use super::{Inventory, InventoryError, words};

/// Most edges: an agent measures eight at most, and several fleets may share a gateway.
const EDGES_MAX: usize = 64;

/// Most networks of one edge: an address of each family, and those it is about to move to.
const NETWORKS_MAX: usize = 16;

/// `optional` is for the days between the first forwarder that sends headers and the last one that does not. After two
/// weeks it was forgotten.
const OPTIONAL_FOR_MAX: Duration = Duration::from_hours(14 * 24);

const DAY: Duration = Duration::from_hours(24);

/// An edge as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeEntry {
    /// Unique name.
    pub id: String,
    /// Addresses or CIDR blocks from which its connections come to the gateway, of either family.
    pub networks: Vec<String>,
    /// `optional` or `require`: whether its connections must begin with a PROXY protocol header.
    #[serde(default)]
    pub proxy: ProxyEntry,
    /// Since when that is `optional`, Unix milliseconds. Kept by the aggregator: what is written here is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_since_ms: Option<u64>,
}

/// Whether connections from an edge begin with a PROXY protocol header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProxyEntry {
    /// With or without: for the time in which forwarders are changed one by one.
    #[default]
    Optional,
    /// Always: one without is closed.
    Require,
}

impl ProxyEntry {
    /// The word, as written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Optional => "optional",
            Self::Require => "require",
        }
    }
}

/// An edge, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Its name.
    pub id: Arc<str>,
    /// Whether its connections must begin with a header.
    pub proxy: ProxyEntry,
    networks: Vec<Network>,
}

/// The checked edges of an inventory; no address belongs to two.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edges(Vec<Edge>);

impl Edges {
    /// The edge that a peer is, by its measured address.
    pub fn of(&self, peer: IpAddr) -> Option<&Edge> {
        self.0.iter().find(|edge| edge.networks.iter().any(|network| network.contains(peer)))
    }
}

impl EdgeEntry {
    /// What an operator should know of it, in a sentence.
    pub fn warning(&self, now: Moment) -> Option<String> {
        let optional_for = now.since(Moment::from_ms(self.optional_since_ms?));
        (self.proxy == ProxyEntry::Optional && optional_for > OPTIONAL_FOR_MAX).then(|| {
            let days = optional_for.as_secs() / DAY.as_secs();
            format!("PROXY headers have been optional for {days} days: require them once its forwarder sends them")
        })
    }
}

impl Inventory {
    /// The checked edges of this inventory.
    pub fn edges(&self) -> Result<Edges, InventoryError> {
        let mut edges: Vec<Edge> = Vec::with_capacity(self.edges.len());
        for (at, entry) in self.edges.iter().enumerate() {
            let wrong =
                |(field, problem)| InventoryError::Field { owner: format!("edge '{}'", entry.id), field, problem };
            if at == EDGES_MAX {
                return Err(wrong(("id", format!("is one too many: use at most {EDGES_MAX} edges"))));
            }
            edges.push(edge(entry, &edges).map_err(wrong)?);
        }
        Ok(Edges(edges))
    }

    /// Writes down since when each edge is optional: as `before` has it, `now` for what was not so before.
    pub fn date_edges(&mut self, before: &Self, now: Moment) {
        for edge in &mut self.edges {
            let known = before.edges.iter().find(|known| known.id == edge.id);
            let since = known.and_then(|known| known.optional_since_ms);
            edge.optional_since_ms = match edge.proxy {
                ProxyEntry::Optional => since.or(Some(now.as_ms())),
                ProxyEntry::Require => None,
            };
        }
    }
}

fn edge(entry: &EdgeEntry, others: &[Edge]) -> Result<Edge, (&'static str, String)> {
    words::name(&entry.id).map_err(|problem| ("id", problem))?;
    if others.iter().any(|other| *other.id == entry.id) {
        return Err(("id", "is declared twice".to_owned()));
    }
    let networks = networks(&entry.networks, others).map_err(|problem| ("networks", problem))?;
    Ok(Edge { id: entry.id.as_str().into(), proxy: entry.proxy, networks })
}

fn networks(written: &[String], others: &[Edge]) -> Result<Vec<Network>, String> {
    if written.is_empty() {
        return Err("are missing: give the address that its connections come from".to_owned());
    }
    if written.len() > NETWORKS_MAX {
        return Err(format!("are {}: use at most {NETWORKS_MAX}", written.len()));
    }
    let mut networks: Vec<Network> = Vec::with_capacity(written.len());
    for word in written {
        let network: Network = word.parse()?;
        if let Some(twin) = networks.iter().find(|known| known.overlaps(&network)) {
            return Err(format!("{network} overlaps with {twin}: one of them is enough"));
        }
        for other in others {
            if let Some(twin) = other.networks.iter().find(|known| known.overlaps(&network)) {
                return Err(format!("{network} overlaps with {twin} of edge '{}': a peer is one edge", other.id));
            }
        }
        networks.push(network);
    }
    Ok(networks)
}

#[cfg(test)]
mod tests;
