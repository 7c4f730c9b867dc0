//! What a hostile target has and what an agent's knock on it must be: shared by the targets `tls_peer` and `quic_peer`.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quorate_agent::limits::AddressLimits;
use quorate_agent::probe::{Knocker, OwnAddresses, Trace};
use quorate_core::lane::Lane;
use quorate_core::outcome::{FailureKind, Operation, Outcome, Reason};
use quorate_core::probe::{Probe, ProbeKind, Verify};
use rcgen::{CertificateParams, KeyPair};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// The name that is knocked for.
pub const NAME: &str = "peer.test";

/// Longer than any knock may take on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(30);

/// Most bytes of a body beyond those that were asked for: what one read of the connection brings.
const SURPLUS_MAX: u32 = 1 << 20;

/// A certificate of its own, and its key.
pub struct Credentials {
    roots: Arc<RootCertStore>,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Credentials {
    /// Made anew: nothing of them is in any corpus.
    pub fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut leaf = CertificateParams::new([NAME.to_owned()]).expect("a name");
        leaf.not_before = rcgen::date_time_ymd(2000, 1, 1);
        leaf.not_after = rcgen::date_time_ymd(2200, 1, 1);
        let certificate = leaf.self_signed(&key).expect("a certificate");
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).expect("a root");
        Self {
            roots: Arc::new(roots),
            certificate: certificate.der().clone(),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        }
    }

    /// A server that shows its certificate, or these bytes in its place.
    pub fn server(&self, shown: Option<&[u8]>, alpn: &[&str]) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = provider.key_provider.load_private_key(self.key.clone_key()).expect("a key");
        let shown = shown.map_or_else(|| self.certificate.clone(), |bytes| CertificateDer::from(bytes.to_vec()));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(Shown(Arc::new(CertifiedKey::new(vec![shown], key)))));
        config.alpn_protocols = alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect();
        config
    }
}

/// Shows the same to everybody, and does not look at it.
#[derive(Debug)]
struct Shown(Arc<CertifiedKey>);

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }
}

/// What the certificate must prove, chosen by two bits.
pub fn verify(bits: u8) -> Verify {
    match bits & 3 {
        0 => Verify::WebPki,
        1 => Verify::Pin(vec![[7; 32]]),
        _ => Verify::None,
    }
}

/// Knocks on a target with budgets that are divided by `speed`; panics if that does not end as every knock must.
pub async fn knock(
    credentials: &Credentials,
    kind: ProbeKind,
    verify: Verify,
    target: SocketAddr,
    speed: u32,
) -> Trace {
    let probe = Probe {
        sni: Some(NAME.to_owned()),
        verify,
        min_bytes: 2_000,
        ..Probe::new(kind, target.ip().to_string(), target.port())
    };
    let knocker = Knocker {
        sources: vec![IpAddr::from([127, 0, 0, 7])],
        addresses: AddressLimits::NONE,
        own: OwnAddresses::Refused,
        roots: Arc::clone(&credentials.roots),
        speed,
        clock_offset_ms: None,
    };
    let lane = if kind.is_udp() { Lane::Udp4 } else { Lane::Tcp4 };
    let trace = tokio::time::timeout(PATIENCE, knocker.knock(&probe, lane)).await.expect("a knock ends");
    judge(&probe, &trace);
    trace
}

fn judge(probe: &Probe, trace: &Trace) {
    match trace.outcome {
        Outcome::Reached { .. } => assert!(trace.handshake.is_some()),
        Outcome::Failed(failure) => {
            assert_eq!(failure.bytes, trace.bytes);
            match failure.operation {
                Operation::QuicHandshake => assert!(probe.kind.is_udp()),
                Operation::Connect | Operation::TlsHandshake | Operation::Write => assert!(!probe.kind.is_udp()),
                Operation::Read => assert!(trace.handshake.is_some()),
            }
        }
        // A machine that has no ports left says so; a target never makes the witness think that.
        Outcome::Inconclusive(reason) => assert_eq!(reason, Reason::NoResources, "{trace:?}"),
    }
    assert!(trace.bytes <= probe.min_bytes + SURPLUS_MAX, "{} bytes of a body", trace.bytes);
    let detail = trace.detail.as_deref().unwrap_or_default();
    assert!(detail.len() <= 1_024, "{} bytes of detail", detail.len());
    assert!(!detail.contains(char::is_control), "a detail is shown to people: {detail:?}");
}

/// The word of an outcome.
pub fn word(trace: &Trace) -> &'static str {
    match trace.outcome {
        Outcome::Reached { .. } => "reached",
        Outcome::Failed(failure) => FailureKind::as_str(failure.kind),
        Outcome::Inconclusive(reason) => reason.as_str(),
    }
}

/// Descriptors of this process.
pub fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Waits until there are no more descriptors than before a knock; panics if some are left behind.
pub async fn left_behind(before: usize) {
    let gone = async {
        while descriptors() > before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("a knock leaves no socket behind");
}
