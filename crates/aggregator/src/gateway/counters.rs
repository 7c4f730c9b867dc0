//! What the gateway counts, for `/metrics`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number that only grows.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

impl Counter {
    pub(super) fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }

    pub(super) fn one(&self) {
        self.add(1);
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[derive(Debug, Default)]
        pub(super) struct Counters {
            $(pub(super) $name: Counter,)*
        }

        /// The gateway's counters at one moment; each only grows while the process lives.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Totals {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            pub(super) fn totals(&self) -> Totals {
                Totals { $($name: self.$name.0.load(Relaxed),)* }
            }
        }
    };
}

counters! {
    /// TCP connections accepted.
    connections,
    /// Of these, closed by the peer without a byte.
    connections_empty,
    /// Of these, silent ones that made room for others.
    connections_shed,
    /// Of these, refused because there was no room.
    connections_refused,
    /// TLS handshakes that failed: no TLS, no or a foreign certificate, too slow.
    handshakes_failed,
    /// Sessions that said Hello and were welcomed.
    sessions,
    /// Hellos that only measured the way.
    probes,
    /// Reports stored for the first time.
    reports_stored,
    /// Reports that had been stored before.
    reports_repeated,
    /// Reports refused: malformed, or the store failed.
    reports_refused,
    /// Reports that were passed over: shed by an agent's full outbox, or lost with its disk.
    reports_lost,
    /// Bytes of messages from agents.
    bytes_received,
    /// Certificates given out for tokens.
    enrolments,
    /// Enrolments refused.
    enrolments_refused,
}
