//! How a probe ended (R1): reached, failed, or nothing that counts as evidence.
//!
//! A failure carries the words of OONI's test specifications, so that its reader can look them up, together with the
//! operation that failed.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

/// Exactly one per scheduled probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The entry point answered as its clients need it to.
    Reached {
        /// From the first packet to the proof.
        latency: Duration,
    },
    /// It did not, and the witness was fit to tell.
    Failed(Failure),
    /// The witness's own trouble: evidence for nobody and against nobody.
    Inconclusive(Reason),
}

/// What failed, how, when and after how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The step that failed.
    pub operation: Operation,
    /// How.
    pub kind: FailureKind,
    /// From the first packet to the failure.
    pub after: Duration,
    /// Body bytes received until then.
    pub bytes: u32,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $code:literal $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant = $code,)* }

        impl $name {
            /// All of them, by code.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word used in files and outputs.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The number used on the wire; never reused.
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The one of that number.
            pub const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word { $($word => Ok(Self::$variant),)* _ => Err(UnknownWord) }
            }
        }
    };
}

/// The word is none of the closed list's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown word")]
pub struct UnknownWord;

words! {
    /// The step of a probe that failed.
    Operation {
        /// TCP connect.
        Connect = 1 "connect",
        /// TLS handshake over TCP.
        TlsHandshake = 2 "tls_handshake",
        /// QUIC handshake.
        QuicHandshake = 3 "quic_handshake",
        /// Sending the request.
        Write = 4 "write",
        /// Reading the response.
        Read = 5 "read",
    }
}

words! {
    /// How a step failed, in OONI's words.
    FailureKind {
        /// RST, or ICMP port unreachable, in answer to the first packet.
        ConnectionRefused = 1 "connection_refused",
        /// RST on an open connection.
        ConnectionReset = 2 "connection_reset",
        /// Nothing came within the budget.
        Timeout = 3 "generic_timeout_error",
        /// Closed before the step was done.
        Eof = 4 "eof_error",
        /// A router said that the host cannot be reached.
        HostUnreachable = 5 "host_unreachable",
        /// The certificate does not prove what it must.
        InvalidCertificate = 6 "ssl_invalid_certificate",
        /// The certificate is expired or not yet valid.
        ExpiredCertificate = 7 "ssl_expired_certificate",
        /// The certificate is for another name.
        InvalidHostname = 8 "ssl_invalid_hostname",
        /// A TLS alert or another failure of the handshake.
        FailedHandshake = 9 "ssl_failed_handshake",
        /// The QUIC peer closed or broke the handshake.
        QuicFailedHandshake = 10 "quic_failed_handshake",
        /// Not HTTP, or not the expected status.
        HttpUnexpectedStatus = 11 "http_unexpected_status_code",
        /// The response is no HTTP.
        HttpInvalid = 12 "http_invalid_response",
        /// A word that this build does not know.
        Unknown = 13 "unknown_failure",
    }
}

words! {
    /// Why a probe says nothing.
    Reason {
        /// No address of the family, or no route.
        NoRoute = 1 "no_route",
        /// No file descriptors, memory or ports left.
        NoResources = 2 "no_resources",
        /// The system's resolver failed.
        ResolverFailed = 3 "resolver_failed",
        /// The agent was stopped, suspended or starved while the probe was due or running.
        Stalled = 4 "stalled",
        /// Not run in this round.
        NotRun = 5 "not_run",
        /// The own clock is off by more than a minute, and the failure hangs on it.
        ClockOff = 6 "clock_off",
        /// None of the neutral endpoints answered in this round.
        ControlsFailed = 7 "controls_failed",
        /// The agent's own limits forbid the probe.
        Forbidden = 8 "forbidden",
        /// The destination is one of the agent's own addresses.
        OwnAddress = 9 "own_address",
        /// A reason that this build does not know.
        Unknown = 10 "unknown",
    }
}

/// What an outcome is worth as evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// For the target.
    Reached,
    /// Against it.
    Failed,
    /// Neither.
    Inconclusive,
}

impl Outcome {
    /// What it is worth as evidence.
    pub const fn evidence(self) -> Evidence {
        match self {
            Self::Reached { .. } => Evidence::Reached,
            Self::Failed(_) => Evidence::Failed,
            Self::Inconclusive(_) => Evidence::Inconclusive,
        }
    }
}

#[cfg(test)]
mod tests;
