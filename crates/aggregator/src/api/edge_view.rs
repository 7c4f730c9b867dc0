//! Edges as readers see them: what was declared, what the last walk round them found, and who sits on which.
//!
//! Who sits where is read off the live sessions at this moment, what the walk found off its last round.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_core::edge_watch::{Address, AddressState, Alert, Answer, Knock, Trouble};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Api;
use crate::edge_watch::{Picture, Trust, edge_of};
use crate::engine::Snapshot;
use crate::inventory::EdgeEntry;

/// An edge as it is declared, and what there is to say of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EdgeView {
    /// As it is declared.
    #[serde(flatten)]
    pub declared: EdgeEntry,
    /// What an operator should know of its declaration, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// `ok`, `unknown` (not looked at yet), or the worst that stands: `unreachable`, `forwards_nothing`, `foreign`,
    /// `not_in_dns`, `unused`.
    pub state: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<u64>,
    /// Its addresses in DNS.
    pub addresses: Vec<AddressView>,
    /// The agents whose sessions come from it, by server.
    pub agents: Vec<AgentView>,
    /// What stands.
    pub alerts: Vec<AlertView>,
}

/// An address of the gateway's name.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AddressView {
    /// With its port.
    pub address: String,
    /// `ok`, `unknown`, `unreachable`, `forwards_nothing` or `foreign`.
    pub state: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<u64>,
    /// TCP connect, from the aggregator to the edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_ms: Option<f64>,
    /// TLS handshake over the same socket, through the edge to the gateway and back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake_ms: Option<f64>,
    /// How the last knock failed, or why there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// When it was knocked on last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at_ms: Option<u64>,
}

/// An agent with a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AgentView {
    /// Its server.
    pub server: String,
    /// Since when its session lives.
    pub since_ms: u64,
}

/// Something that stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AlertView {
    /// `unresolved`, `unreachable`, `forwards_nothing`, `foreign`, `unlisted`, `not_in_dns`, `unused` or `past_the_edges`.
    pub trouble: String,
    /// An edge's id, else an address, else the gateway.
    pub subject: String,
    /// Since when.
    pub since_ms: u64,
    /// What is seen.
    pub fact: String,
    /// What to do.
    pub advice: String,
}

/// A page of edges, and what was found of the set as a whole.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EdgeListing {
    /// The edges, by id.
    pub items: Vec<EdgeView>,
    /// `after` of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Of the set.
    pub watch: WatchView,
}

/// The walk round the edges.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WatchView {
    /// `watching`; `waiting` for its first round; `no_edges`, where none is declared; `no_name`, where agents dial an address
    /// and there is no set in DNS; `unresolved`, where the resolver gave no address last.
    pub state: String,
    /// What agents dial.
    pub gateway: Vec<String>,
    /// The authority that the gateway's certificate is from: SHA-256 of its public key, as in the last part of an enrolment
    /// token.
    pub authority: String,
    /// When its last round was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_at_ms: Option<u64>,
    /// Addresses in DNS that no edge has.
    pub unlisted: Vec<AddressView>,
    /// Agents whose sessions come from no edge, by server; empty where no edge is declared.
    pub past: Vec<AgentView>,
    /// Everything that stands.
    pub alerts: Vec<AlertView>,
}

/// What a knock found, as readers get it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Numbers {
    /// TCP connect.
    pub connect_ms: Option<f64>,
    /// TLS handshake.
    pub handshake_ms: Option<f64>,
    /// How it failed, or why there was none.
    pub failure: Option<&'static str>,
}

impl Numbers {
    /// Of one knock.
    pub fn of(knock: Knock) -> Self {
        let (connect, handshake, failure) = match knock {
            Knock::Through { connect, handshake } => (Some(connect), Some(handshake), None),
            Knock::Nobody { connect, kind } | Knock::Foreign { connect, kind } => {
                (Some(connect), None, Some(kind.as_str()))
            }
            Knock::Unreachable(kind) => (None, None, Some(kind.as_str())),
            Knock::Untold(reason) => (None, None, Some(reason.as_str())),
        };
        Self { connect_ms: connect.map(ms), handshake_ms: handshake.map(ms), failure }
    }
}

/// What there is to see of edges at this moment.
pub struct Sight {
    picture: Arc<Picture>,
    /// Sessions by edge; those under none come past them.
    sitting: BTreeMap<Option<Arc<str>>, Vec<AgentView>>,
    now: Moment,
}

impl Sight {
    /// The last walk's picture, and the sessions that live.
    pub fn of(api: &Api, snapshot: &Snapshot) -> Self {
        let mut sitting: BTreeMap<Option<Arc<str>>, Vec<AgentView>> = BTreeMap::new();
        if let (Some(gateway), Ok(edges)) = (&api.gateway, snapshot.inventory.edges()) {
            for session in gateway.sessions().list() {
                let agent = AgentView { since_ms: session.since.as_ms(), server: session.server };
                sitting.entry(edge_of(&edges, session.arrival.peer_addr)).or_default().push(agent);
            }
        }
        Self { picture: api.edges.borrow().clone(), sitting, now: api.clock.now() }
    }

    /// One edge.
    pub fn edge(&self, declared: &EdgeEntry) -> EdgeView {
        let own = |(_, address): &(SocketAddr, &Address)| address.edge.as_deref() == Some(&*declared.id);
        let found: Vec<(SocketAddr, &Address)> = self.picture.watch.addresses().filter(own).collect();
        let alerts = self.picture.watch.alerts().iter();
        let alerts: Vec<&Alert> = alerts.filter(|alert| alert.edge.as_deref() == Some(&*declared.id)).collect();
        let well_since = found.iter().filter(|(_, address)| address.state == AddressState::Through);
        let well_since = well_since.map(|(_, address)| address.since).max();
        // The first is the worst.
        let (state, since) = match (alerts.first(), well_since) {
            (Some(alert), _) => (alert.trouble.as_str(), Some(alert.since)),
            (None, Some(since)) => (AddressState::Through.as_str(), Some(since)),
            (None, None) => (AddressState::Unknown.as_str(), None),
        };
        EdgeView {
            declared: declared.clone(),
            warning: declared.warning(self.now),
            state: state.to_owned(),
            since_ms: since.map(Moment::as_ms),
            addresses: found.into_iter().map(address).collect(),
            agents: self.agents(Some(&declared.id)),
            alerts: alerts.into_iter().map(alert).collect(),
        }
    }

    /// The set.
    pub fn watch(&self, snapshot: &Snapshot) -> WatchView {
        let watch = &self.picture.watch;
        let declares_edges = !snapshot.inventory.edges.is_empty();
        let state = match watch.answer() {
            _ if !declares_edges => "no_edges",
            None => "waiting",
            Some(Answer::Addresses(_)) => "watching",
            Some(Answer::NoName) => "no_name",
            Some(Answer::Nothing | Answer::Itself) => Trouble::Unresolved.as_str(),
        };
        WatchView {
            state: state.to_owned(),
            gateway: self.picture.gateway.iter().map(ToString::to_string).collect(),
            authority: match self.picture.trust {
                Trust::Pinned(pin) => URL_SAFE_NO_PAD.encode(pin),
                Trust::OnSight => String::new(),
            },
            looked_at_ms: self.picture.at.map(Moment::as_ms),
            unlisted: watch.addresses().filter(|(_, address)| address.edge.is_none()).map(address).collect(),
            past: if declares_edges { self.agents(None) } else { Vec::new() },
            alerts: watch.alerts().iter().map(alert).collect(),
        }
    }

    fn agents(&self, edge: Option<&str>) -> Vec<AgentView> {
        let found = self.sitting.iter().find(|(sits_on, _)| sits_on.as_deref() == edge);
        found.map(|(_, agents)| agents.clone()).unwrap_or_default()
    }
}

fn address((at, found): (SocketAddr, &Address)) -> AddressView {
    let Numbers { connect_ms, handshake_ms, failure } =
        found.last.map(|(_, knock)| Numbers::of(knock)).unwrap_or_default();
    let is_known = found.state != AddressState::Unknown;
    AddressView {
        address: at.to_string(),
        state: found.state.as_str().to_owned(),
        since_ms: is_known.then(|| found.since.as_ms()),
        connect_ms,
        handshake_ms,
        failure: failure.map(str::to_owned),
        looked_at_ms: found.last.map(|(at, _)| at.as_ms()),
    }
}

fn alert(alert: &Alert) -> AlertView {
    AlertView {
        trouble: alert.trouble.as_str().to_owned(),
        subject: alert.subject(),
        since_ms: alert.since.as_ms(),
        fact: format!("{}.", alert.fact),
        advice: alert.advice.clone(),
    }
}

/// To a tenth: what is finer is the scheduler's.
fn ms(span: Duration) -> f64 {
    (span.as_secs_f64() * 10_000.0).round() / 10.0
}
