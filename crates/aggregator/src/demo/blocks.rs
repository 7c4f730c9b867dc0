//! The demo's border: which connections between two servers pass, and what becomes of the others.
//!
//! A turnstile at every target's door. It looks at where a connection comes from, as a firewall on the way would, and
//! lets it in, leaves it standing in silence, or throws it out. Agents and targets know nothing of it: what the agents find
//! out, they find out through their sockets.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};

/// What becomes of a connection that may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocking {
    /// Its packets are swallowed: the handshake never ends.
    Silent,
    /// It is reset as soon as it stands (QUIC: refused).
    Reset,
}

/// The blocked pairs (source, target), shared by all targets. Cloning shares it.
#[derive(Debug, Clone, Default)]
pub struct Blocks(Arc<RwLock<BTreeMap<(IpAddr, IpAddr), Blocking>>>);

impl Blocks {
    /// Connections from `source` to `target` do not pass from here on; the other direction is left as it is.
    pub fn block(&self, source: IpAddr, target: IpAddr, how: Blocking) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert((source, target), how);
    }

    /// They pass again.
    pub fn unblock(&self, source: IpAddr, target: IpAddr) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&(source, target));
    }

    /// What becomes of a connection from `source` to `target`; none: it passes.
    pub fn between(&self, source: IpAddr, target: IpAddr) -> Option<Blocking> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&(source.to_canonical(), target)).copied()
    }
}
