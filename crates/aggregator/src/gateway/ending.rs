//! How a session can end, and what is said about it: to the agent, to the store, to the log.

use quorate_proto::v1;
use tonic::{Code, Status};
use tracing::Level;

use super::arrival::Arrival;
use super::limits::MESSAGE_BYTES_MAX;
use super::registry::Ending;

/// What an agent says that goes beyond its own limits: nothing is probed until the plan or the limits change.
pub(super) const PLAN_REFUSED: &str = "plan_refused";

/// Why a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// The agent said so: a planned end.
    Goodbye { reason: String, detail: String },
    /// This side said so.
    Ours(Ending),
    /// It only measured the way.
    Probe,
    /// The agent broke the rules of the wire.
    Protocol(String),
    /// A report, or what belongs to the session, could not be stored.
    StoreFailed,
    /// The stream ended without a Goodbye.
    HungUp,
    /// The connection broke.
    Lost(String),
    /// The agent has stopped reading.
    Stalled,
    /// No whole message in a long time.
    Idle,
}

impl End {
    /// Reads the end of a stream off what it broke with.
    pub(super) fn of_stream(status: &Status) -> Self {
        match status.code() {
            Code::OutOfRange => Self::Protocol(format!("a message is larger than {MESSAGE_BYTES_MAX} bytes")),
            Code::Internal if status.message().starts_with("Unexpected EOF") => {
                Self::Protocol("the stream ended in the middle of a message".to_owned())
            }
            // An HTTP/2 error has a source; what the framing layer refuses has none.
            Code::Internal | Code::Unimplemented if std::error::Error::source(status).is_none() => {
                Self::Protocol(format!("a message is framed wrongly: {}", status.message()))
            }
            _ => Self::Lost(status.message().to_owned()),
        }
    }

    /// What the agent is told, if anybody is there to be told.
    pub(super) fn close(&self) -> Option<v1::Close> {
        let (reason, detail) = match self {
            Self::Ours(Ending::Draining) => ("draining", "the aggregator is shutting down"),
            // Not "draining": agents come back from that at once, and a database that is down is down for all of them.
            Self::StoreFailed => ("unavailable", "the aggregator cannot store reports at the moment: keep them"),
            Self::Ours(Ending::Revoked) => ("revoked", "the certificate of this server was revoked: enrol it again"),
            Self::Ours(Ending::Expired) => {
                ("expired", "the certificate of this server has ended: renew it (purpose renew)")
            }
            Self::Ours(Ending::Replaced) => ("replaced", "this server has newer sessions, or a newer certificate"),
            Self::Protocol(detail) => ("protocol", detail.as_str()),
            Self::Idle => ("protocol", "no whole message came in a long time"),
            Self::Goodbye { .. } | Self::Probe | Self::HungUp | Self::Lost(_) | Self::Stalled => return None,
        };
        Some(v1::Close { reason: reason.to_owned(), detail: detail.to_owned() })
    }

    /// The word that the store keeps.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Goodbye { reason, .. } => reason,
            Self::Ours(Ending::Draining) => "draining",
            Self::Ours(Ending::Revoked) => "revoked",
            Self::Ours(Ending::Expired) => "expired",
            Self::Ours(Ending::Replaced) => "replaced",
            Self::Probe => "probe",
            Self::Protocol(_) => "protocol",
            Self::StoreFailed => "unavailable",
            Self::HungUp => "hung_up",
            Self::Lost(_) => "lost",
            Self::Stalled => "stalled",
            Self::Idle => "idle",
        }
    }

    /// Whether reports that came before the end are still acknowledged.
    pub(super) fn settles(&self) -> bool {
        match self {
            Self::Goodbye { .. } | Self::Ours(Ending::Draining | Ending::Expired | Ending::Replaced) | Self::HungUp => {
                true
            }
            Self::Ours(Ending::Revoked)
            | Self::Probe
            | Self::Protocol(_)
            | Self::StoreFailed
            | Self::Lost(_)
            | Self::Stalled
            | Self::Idle => false,
        }
    }

    /// One line, as loud as the end is unexpected.
    pub(super) fn log(&self, server: &str, arrival: &Arrival) {
        let (peer_addr, edge, claimed_addr) = (arrival.peer_addr, arrival.edge(), arrival.claimed());
        let reason = self.reason();
        let (level, detail) = match self {
            Self::Probe => return tracing::debug!(server, %peer_addr, edge, claimed_addr, "probed"),
            // Told once for all of them, where the store was found to fail.
            Self::StoreFailed => {
                return tracing::debug!(server, %peer_addr, edge, claimed_addr, reason, "session ended");
            }
            // Planned, but the agent goes on with an older plan until somebody changes this one or its limits.
            Self::Goodbye { detail, .. } if reason == PLAN_REFUSED => (Level::WARN, Some(detail)),
            Self::Goodbye { detail, .. } => (Level::INFO, Some(detail)),
            Self::Ours(_) | Self::HungUp => (Level::INFO, None),
            Self::Protocol(detail) | Self::Lost(detail) => (Level::WARN, Some(detail)),
            Self::Stalled | Self::Idle => (Level::WARN, None),
        };
        if level == Level::WARN {
            tracing::warn!(server, %peer_addr, edge, claimed_addr, reason, detail, "session ended");
        } else {
            tracing::info!(server, %peer_addr, edge, claimed_addr, reason, detail, "session ended");
        }
    }
}
