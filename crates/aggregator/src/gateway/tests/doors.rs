//! Who gets in at all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bed::{Bed, Credentials, Lines, eventually};
use crate::authority::{Authority, KeyRequest};
use crate::clock::wall;
use crate::gateway::{ALPN_ENROLMENT, ALPN_SESSION, Gateway, GatewayConfig, GatewayError};

fn request(key: &KeyPair) -> KeyRequest {
    let request = CertificateParams::default().serialize_request(key).unwrap();
    KeyRequest::from_der(request.der()).unwrap()
}

#[tokio::test]
async fn a_certificate_that_is_not_pinned_is_refused_whoever_signed_it() {
    let bed = Bed::start().await;
    let good = bed.enrol("nl-1").await;
    let key = Arc::new(KeyPair::generate().unwrap());
    let foreign = Authority::open(&bed.dir.path().join("elsewhere")).unwrap();
    let by = |authority: &Authority| Credentials {
        certificate: authority.issue_agent("nl-1", &request(&key), wall()).unwrap().der,
        key: Arc::clone(&key),
    };
    let self_signed = Credentials {
        certificate: CertificateParams::default().self_signed(&*key).unwrap().der().clone(),
        key: Arc::clone(&key),
    };
    for refused in [by(&foreign), by(&bed.authority), self_signed] {
        assert!(!bed.gets_in(&refused).await);
    }
    eventually("three failed handshakes", || bed.handle.sessions().totals().handshakes_failed == 3).await;
    assert!(bed.gets_in(&good).await);
}

/// Shows a certificate with a key that is not its own, which rustls' builder refuses to do.
#[derive(Debug)]
struct Mismatched(Arc<rustls::sign::CertifiedKey>);

impl rustls::client::ResolvesClientCert for Mismatched {
    fn resolve(&self, _: &[&[u8]], _: &[rustls::SignatureScheme]) -> Option<Arc<rustls::sign::CertifiedKey>> {
        Some(Arc::clone(&self.0))
    }

    fn has_certs(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_stolen_certificate_without_its_key_is_refused() {
    let bed = Bed::start().await;
    let good = bed.enrol("nl-1").await;
    let thief = Arc::new(KeyPair::generate().unwrap());
    let mut config = bed.client_config(None, ALPN_SESSION);
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(thief.serialize_der()).into();
    let key = config.crypto_provider().key_provider.load_private_key(key).unwrap();
    let pair = rustls::sign::CertifiedKey::new(vec![good.certificate.clone()], key);
    config.client_auth_cert_resolver = Arc::new(Mismatched(Arc::new(pair)));
    let in_after_all = match bed.tls_with(Arc::new(config)).await {
        Ok(mut stream) => stream.read(&mut [0; 64]).await.is_ok_and(|length| length > 0),
        Err(_) => false,
    };
    assert!(!in_after_all);
    eventually("a failed handshake", || bed.handle.sessions().totals().handshakes_failed == 1).await;
}

#[tokio::test]
async fn without_a_certificate_the_agents_door_stays_shut() {
    let bed = Bed::start().await;
    let refused = match bed.tls(None, ALPN_SESSION).await {
        Ok(mut stream) => stream.read(&mut [0; 64]).await.is_err(),
        Err(_) => true,
    };
    assert!(refused);
    eventually("a failed handshake", || bed.handle.sessions().totals().handshakes_failed == 1).await;
}

#[tokio::test]
async fn only_tls_1_3_with_a_known_protocol_is_spoken() {
    let bed = Bed::start().await;
    let mut tls12 = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    tls12.alpn_protocols = vec![ALPN_ENROLMENT.to_vec()];
    assert!(bed.tls_with(Arc::new(tls12)).await.is_err());
    assert!(bed.tls(None, b"http/1.1").await.is_err());
    let mut none = bed.client_config(None, b"");
    none.alpn_protocols.clear();
    assert!(bed.tls_with(Arc::new(none)).await.is_err());
    eventually("three failed handshakes", || bed.handle.sessions().totals().handshakes_failed == 3).await;
}

#[tokio::test]
async fn a_connection_without_a_byte_is_only_counted() {
    let bed = Bed::start().await;
    for _ in 0..10 {
        drop(TcpStream::connect(bed.addr).await.unwrap());
    }
    eventually("ten empty connections", || bed.handle.sessions().totals().connections_empty == 10).await;
    assert_eq!(bed.handle.sessions().totals().handshakes_failed, 0);
    eventually("nobody waits", || bed.handle.0.gate.waiting() == 0).await;
}

#[tokio::test]
async fn an_empty_connection_leaves_no_line_in_the_log_and_a_broken_one_leaves_one() {
    let lines = Lines::default();
    let _logging = lines.listen();
    let text = || lines.text();
    let bed = Bed::start().await;
    drop(TcpStream::connect(bed.addr).await.unwrap());
    let reset = TcpStream::connect(bed.addr).await.unwrap();
    reset.set_zero_linger().unwrap();
    drop(reset);
    eventually("two empty connections", || bed.handle.sessions().totals().connections_empty == 2).await;
    assert_eq!(text(), "");
    TcpStream::connect(bed.addr).await.unwrap().write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    eventually("a failed handshake", || bed.handle.sessions().totals().handshakes_failed == 1).await;
    assert_eq!(text().lines().count(), 1, "{}", text());
    assert!(text().contains("peer_addr=127.0.0.1") && text().contains("TLS"), "{}", text());
}

/// Reads until the other side ends the connection; how long that took.
async fn cut_after(mut stream: impl AsyncRead + Unpin) -> Duration {
    let started = Instant::now();
    let mut buffer = [0; 1024];
    while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
    started.elapsed()
}

#[tokio::test]
async fn whoever_does_not_get_on_is_cut_after_its_budget() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let lines = Lines::default();
    let _logging = lines.listen();
    let silent = TcpStream::connect(bed.addr).await.unwrap();
    let mut halfway = TcpStream::connect(bed.addr).await.unwrap();
    halfway.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
    let agent_without_hello = bed.tls(Some(&credentials), ALPN_SESSION).await.unwrap();
    let nobody = bed.tls(None, ALPN_ENROLMENT).await.unwrap();
    let waits = tokio::join!(cut_after(silent), cut_after(halfway), cut_after(agent_without_hello), cut_after(nobody));
    for waited in [waits.0, waits.1, waits.2, waits.3] {
        assert!(waited > Duration::from_secs(9) && waited < Duration::from_secs(12), "{waited:?}");
    }
    assert_eq!(bed.handle.0.gate.waiting(), 0);
    assert_eq!(bed.handle.sessions().totals().connections_empty, 1);
    let text = lines.text();
    assert!(text.contains("TLS handshake took longer") && text.contains("no Hello came"), "{text}");
    assert_eq!(text.lines().count(), 2, "who says nothing is only counted: {text}");
}

#[tokio::test]
async fn a_taken_port_is_told_in_one_line() {
    let bed = Bed::start().await;
    let config = GatewayConfig { listen: bed.addr, names: vec!["gateway.test".to_owned()] };
    let (store, engine) = (bed.store.clone(), bed.engine.clone());
    let authority = Arc::clone(&bed.authority);
    let error = Gateway::bind(config, store, engine, authority, bed.clock.clone()).await.unwrap_err();
    assert!(matches!(error, GatewayError::Listen { .. }));
    let line = error.to_string();
    assert!(line.contains(&bed.addr.to_string()) && line.contains("in use"), "{line}");
}
