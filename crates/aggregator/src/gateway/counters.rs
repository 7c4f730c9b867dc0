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
    /// Of these, ended without a byte of their client's, a header not counted.
    connections_empty,
    /// Of these, those that made room for others, those without a whole `ClientHello` first.
    connections_shed,
    /// Of these, refused because their server has too many.
    connections_refused,
    /// PROXY headers of edges that forward a connection.
    headers_parsed,
    /// PROXY headers (LOCAL) of edges that connect for themselves, for instance to check whether somebody answers.
    headers_local,
    /// Connections refused because an edge's PROXY header broke the protocol, or broke off.
    headers_invalid,
    /// Connections refused because an edge's PROXY header was required and did not come, or was not whole in time.
    headers_missing,
    /// Connections refused because a PROXY header came from somebody who is no edge.
    headers_off_policy,
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
    /// Certificates given out for certificates.
    renewals,
    /// Renewals refused.
    renewals_refused,
}
