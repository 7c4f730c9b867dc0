//! How an entry point's clients dial it, and so how a witness knocks: the parameters of one probe. Running it is a
//! driver's business.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use core::time::Duration;

/// What a probe does on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeKind {
    /// TCP connect.
    Tcp,
    /// TCP connect and a full TLS handshake.
    Tls,
    /// As `Tls`, then an HTTP request and a body of some length.
    Https,
    /// QUIC v1 handshake.
    Quic,
    /// As `Quic`, then an HTTP/3 request and the response's headers.
    QuicHttp3,
}

impl ProbeKind {
    /// All kinds in order.
    pub const ALL: [Self; 5] = [Self::Tcp, Self::Tls, Self::Https, Self::Quic, Self::QuicHttp3];

    /// The word used in files, on the wire and in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Https => "https",
            Self::Quic => "quic",
            Self::QuicHttp3 => "quic_http3",
        }
    }

    /// Whether it runs over UDP.
    pub const fn is_udp(self) -> bool {
        matches!(self, Self::Quic | Self::QuicHttp3)
    }

    /// The whole time a probe of this kind may take; `Tcp`'s is the connect budget of all TCP kinds.
    pub const fn budget(self) -> Duration {
        match self {
            Self::Tcp => Duration::from_secs(5),
            Self::Tls => Duration::from_secs(8),
            Self::Https => Duration::from_secs(15),
            Self::Quic | Self::QuicHttp3 => Duration::from_secs(10),
        }
    }
}

impl fmt::Display for ProbeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no probe kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown probe kind: use tcp, tls, https, quic or quic_http3")]
pub struct UnknownProbeKind;

impl FromStr for ProbeKind {
    type Err = UnknownProbeKind;

    fn from_str(word: &str) -> Result<Self, UnknownProbeKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word).ok_or(UnknownProbeKind)
    }
}

/// What a peer's certificate must prove.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Verify {
    /// A chain to a public root, for the SNI's name.
    #[default]
    WebPki,
    /// One of these SHA-256 hashes of the certificate's `SubjectPublicKeyInfo`.
    Pin(Vec<[u8; 32]>),
    /// Nothing; the handshake alone counts.
    None,
}

/// Parameters of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What to do.
    pub kind: ProbeKind,
    /// IP address, or a name for the system's resolver.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Name in the ClientHello; the host, if it is a name, when none.
    pub sni: Option<String>,
    /// ALPN protocols in order; the kind's own when empty.
    pub alpn: Vec<String>,
    /// What the certificate must prove.
    pub verify: Verify,
    /// Request path of the HTTP kinds.
    pub path: String,
    /// Status that the response must have; any when none.
    pub expect_status: Option<u16>,
    /// Body bytes (or the body's end) that `Https` waits for.
    pub min_bytes: u32,
    /// Run in every n-th round while the last outcome was no failure; 1 is every round.
    pub every: u16,
}

impl Probe {
    /// The body length that `https` waits for unless told otherwise: past the 16 to 20 KB at which some networks freeze a
    /// connection.
    pub const MIN_BYTES: u32 = 65_536;
    /// How often `https` runs unless told otherwise: it costs its target a page each time.
    pub const HTTPS_EVERY: u16 = 10;

    /// A probe with the kind's defaults.
    pub fn new(kind: ProbeKind, host: impl Into<String>, port: u16) -> Self {
        Self {
            kind,
            host: host.into(),
            port,
            sni: None,
            alpn: Vec::new(),
            verify: Verify::default(),
            path: String::from("/"),
            expect_status: None,
            min_bytes: Self::MIN_BYTES,
            every: if matches!(kind, ProbeKind::Https) { Self::HTTPS_EVERY } else { 1 },
        }
    }
}
