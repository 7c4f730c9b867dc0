//! The certificates by which agents are known, by the SHA-256 of their DER: the store's list, held in memory for the
//! handshake.
//!
//! Like the list of badge numbers at the porter's desk. A certificate that is not on it is nobody's, whoever signed it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use quorate_core::renewal::{Lifetime, Stage};
use quorate_core::time::Moment;

use crate::store::CertificateState;

/// SHA-256 of a certificate's DER.
pub(super) type Fingerprint = [u8; 32];

/// A certificate by which an agent is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Whose.
    pub server: Arc<str>,
    /// From when to when it is good.
    pub lifetime: Lifetime,
    /// Pending or active.
    pub state: CertificateState,
}

impl Pin {
    /// Whether it is good for nothing but to be renewed, or not even for that.
    pub(super) fn is_over(&self, now: Moment) -> bool {
        self.lifetime.stage(now) >= Stage::Expired
    }
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Pins(RwLock<HashMap<Fingerprint, Pin>>);

impl Pins {
    pub(super) fn get(&self, fingerprint: &Fingerprint) -> Option<Pin> {
        self.read().get(fingerprint).cloned()
    }

    /// Those that `wanted` picks, in no order.
    pub(super) fn filter(&self, wanted: impl Fn(&Pin) -> bool) -> Vec<Pin> {
        self.read().values().filter(|pin| wanted(pin)).cloned().collect()
    }

    /// Puts a certificate on the list, in place of others.
    pub(super) fn insert(&self, fingerprint: Fingerprint, pin: Pin, replaced: &[Fingerprint]) {
        let mut pins = self.write();
        for gone in replaced {
            pins.remove(gone);
        }
        pins.insert(fingerprint, pin);
    }

    /// Takes all of a server's certificates off the list.
    pub(super) fn remove_server(&self, server: &str) {
        self.write().retain(|_, pin| &*pin.server != server);
    }

    /// Takes over the whole list.
    pub(super) fn replace(&self, pins: HashMap<Fingerprint, Pin>) {
        *self.write() = pins;
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Fingerprint, Pin>> {
        // Every change is whole before anything could panic.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Fingerprint, Pin>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
