//! The certificates that may come in, by the SHA-256 of their DER: the store's list, held in memory for the handshake.
//!
//! Like the list of badge numbers at the porter's desk. A certificate that is not on it is nobody's, whoever signed it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use quorate_core::time::Moment;

/// SHA-256 of a certificate's DER.
pub(super) type Fingerprint = [u8; 32];

/// Whose certificate it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) server: Arc<str>,
    pub(super) not_after: Moment,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Pins(RwLock<HashMap<Fingerprint, Pin>>);

impl Pins {
    pub(super) fn get(&self, fingerprint: &Fingerprint) -> Option<Pin> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(fingerprint).cloned()
    }

    pub(super) fn insert(&self, fingerprint: Fingerprint, pin: Pin) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(fingerprint, pin);
    }

    /// Takes all of a server's certificates off the list.
    pub(super) fn remove_server(&self, server: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|_, pin| &*pin.server != server);
    }

    /// Takes over the whole list.
    pub(super) fn replace(&self, pins: HashMap<Fingerprint, Pin>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = pins;
    }
}
