//! How a connection came in: what is measured at its socket, and what an edge says of it. Two values, never one.
//!
//! Like a letter: the postmark is the post's own, the sender on the back is whatever somebody wrote there. Identity is
//! neither; it is the certificate. Rules look at the peer alone: a claim cannot be compared with anything.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use quorate_core::proxy::ClaimedAddr;
use tracing::field::{DisplayValue, display};

use super::gate::Origin;
use crate::inventory::{Edges, ProxyEntry};

/// How a connection came in.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The other end of the socket, as measured here; IPv4 in the guise of IPv6 is IPv4.
    pub peer_addr: SocketAddr,
    /// The edge that the peer is; none if it came straight.
    pub through: Option<Through>,
}

/// The way through an edge.
#[derive(Debug, Clone)]
pub struct Through {
    /// The edge's id, as it was when the connection came.
    pub edge: Arc<str>,
    /// Whether a PROXY header had to be there.
    pub proxy: ProxyEntry,
    /// Whose connection it forwards, as the header says.
    pub claimed_addr: Option<ClaimedAddr>,
}

/// What the claim of a connection through an edge is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// There is none: the edge's forwarder sends no headers, or spoke for itself.
    Absent,
    /// A header is optional there. A forwarder that sends none lets through what its client writes, so it may be forged.
    Unverified,
    /// The edge's own word: it must begin each connection with a header, and what a client adds behind that is refused.
    Edge,
}

impl Worth {
    /// The word in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unverified => "unverified",
            Self::Edge => "edge",
        }
    }
}

impl Through {
    /// What its claim is worth.
    pub fn worth(&self) -> Worth {
        match (&self.claimed_addr, self.proxy) {
            (None, _) => Worth::Absent,
            (Some(_), ProxyEntry::Optional) => Worth::Unverified,
            (Some(_), ProxyEntry::Require) => Worth::Edge,
        }
    }
}

impl Arrival {
    /// A connection that was just accepted, before a byte of it was read.
    pub(super) fn of(addr: SocketAddr, edges: &Edges) -> Self {
        let peer_addr = SocketAddr::new(addr.ip().to_canonical(), addr.port());
        let through = edges.of(peer_addr.ip()).map(|edge| Through {
            edge: Arc::clone(&edge.id),
            proxy: edge.proxy,
            claimed_addr: None,
        });
        Self { peer_addr, through }
    }

    /// Whom it is counted for.
    pub(super) fn origin(&self) -> Origin {
        match &self.through {
            Some(through) => Origin::Edge(Arc::clone(&through.edge)),
            None => self.peer_addr.ip().into(),
        }
    }

    /// The edge's id.
    pub fn edge(&self) -> Option<&str> {
        self.through.as_ref().map(|through| &*through.edge)
    }

    /// What the edge says.
    pub fn claimed_addr(&self) -> Option<&ClaimedAddr> {
        self.through.as_ref()?.claimed_addr.as_ref()
    }

    /// The claim as a field of a log line.
    pub(super) fn claimed(&self) -> Option<DisplayValue<&ClaimedAddr>> {
        self.claimed_addr().map(display)
    }
}

/// For sentences: `192.0.2.1:41074`, or `edge fra (198.51.100.7:5000), which says 192.0.2.1:41074`.
impl fmt::Display for Arrival {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { peer_addr, through } = self;
        match through {
            None => write!(f, "{peer_addr}"),
            Some(Through { edge, claimed_addr: None, .. }) => write!(f, "edge {edge} ({peer_addr})"),
            Some(Through { edge, claimed_addr: Some(claimed), .. }) => {
                write!(f, "edge {edge} ({peer_addr}), which says {claimed}")
            }
        }
    }
}
