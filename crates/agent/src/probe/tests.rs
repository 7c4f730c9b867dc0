//! Knocks on real sockets: what each kind of trouble is called.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use quorate_core::lane::Lane;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_core::probe::{Probe, ProbeKind, Verify};

use super::Trace;
use super::testbed::{Credentials, Manner, Peer, QuicManner, QuicPeer, closed_port, knocker, probe, silent_udp};
use crate::limits::AddressLimits;

/// Budgets of half a second and up: silence is told quickly, and loopback is never that slow.
const QUICK: u32 = 10;

fn failed(trace: &Trace) -> (Operation, FailureKind, u32) {
    match trace.outcome {
        Outcome::Failed(Failure { operation, kind, bytes, .. }) => (operation, kind, bytes),
        other => panic!("{other:?}: {:?}", trace.detail),
    }
}

fn latency(trace: &Trace) -> Duration {
    match trace.outcome {
        Outcome::Reached { latency } => latency,
        other => panic!("{other:?}: {:?}", trace.detail),
    }
}

#[tokio::test]
async fn a_listening_port_is_reached_over_tcp() {
    let peer = Peer::start(Manner::Silent).await;
    let trace = peer.knocker(1).knock(&peer.probe(ProbeKind::Tcp), Lane::Tcp4).await;
    assert!(latency(&trace) < Duration::from_secs(5));
    assert!(trace.connect.is_some() && trace.handshake.is_none());
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn a_closed_port_refuses() {
    let credentials = Credentials::new();
    let address = closed_port().await;
    for kind in [ProbeKind::Tcp, ProbeKind::Tls, ProbeKind::Https] {
        let trace = knocker(&credentials.roots, 1).knock(&probe(kind, address), Lane::Tcp4).await;
        assert_eq!(failed(&trace), (Operation::Connect, FailureKind::ConnectionRefused, 0));
    }
}

#[tokio::test]
async fn a_whole_handshake_reaches_and_leaves_politely() {
    let peer = Peer::start(Manner::Tls).await;
    let trace = peer.knocker(1).knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
    latency(&trace);
    assert_eq!(trace.tls_version, Some("TLS 1.3"));
    assert_eq!(trace.alpn.as_deref(), Some("http/1.1"));
    assert!(trace.certificate_ends_s.is_some() && trace.handshake.is_some());
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn a_reset_after_the_client_hello_is_told_from_a_close_and_from_silence() {
    for (manner, kind) in [
        (Manner::ResetAfterHello, FailureKind::ConnectionReset),
        (Manner::CloseAfterHello, FailureKind::Eof),
        (Manner::Silent, FailureKind::Timeout),
        (Manner::PlainHttp, FailureKind::FailedHandshake),
    ] {
        let peer = Peer::start(manner).await;
        let trace = peer.knocker(QUICK).knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
        assert_eq!(failed(&trace), (Operation::TlsHandshake, kind, 0), "{manner:?}");
        assert!(peer.is_left_alone().await, "{manner:?}");
    }
}

#[tokio::test]
async fn a_frozen_page_fails_where_the_handshake_is_reached() {
    let peer = Peer::start(Manner::Page { bytes: 100_000, freeze_after: Some(16_384) }).await;
    let trace = peer.knocker(QUICK).knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
    latency(&trace);
    let trace = peer.knocker(QUICK).knock(&peer.probe(ProbeKind::Https), Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::Read, FailureKind::Timeout, 16_384));
    assert!(trace.first_byte.is_some());
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn a_page_is_read_until_enough_bytes_or_its_end() {
    let long = Peer::start(Manner::Page { bytes: 200_000, freeze_after: None }).await;
    let trace = long.knocker(1).knock(&long.probe(ProbeKind::Https), Lane::Tcp4).await;
    latency(&trace);
    assert!(trace.bytes >= Probe::MIN_BYTES);
    let short = Peer::start(Manner::Page { bytes: 1_000, freeze_after: None }).await;
    let trace = short.knocker(1).knock(&short.probe(ProbeKind::Https), Lane::Tcp4).await;
    latency(&trace);
    assert_eq!(trace.bytes, 1_000);
    assert!(long.is_left_alone().await && short.is_left_alone().await);
}

#[tokio::test]
async fn http2_is_spoken_where_it_is_negotiated() {
    let peer = Peer::start(Manner::Http2Page { bytes: 100_000 }).await;
    let trace = peer.knocker(1).knock(&peer.probe(ProbeKind::Https), Lane::Tcp4).await;
    latency(&trace);
    assert_eq!(trace.alpn.as_deref(), Some("h2"));
    assert!(trace.bytes >= Probe::MIN_BYTES);
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn another_status_or_another_protocol_is_no_page() {
    let peer = Peer::start(Manner::Page { bytes: 10, freeze_after: None }).await;
    let wanted = Probe { expect_status: Some(404), ..peer.probe(ProbeKind::Https) };
    let trace = peer.knocker(1).knock(&wanted, Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::Read, FailureKind::HttpUnexpectedStatus, 0));
    let peer = Peer::start(Manner::Gibberish).await;
    let trace = peer.knocker(1).knock(&peer.probe(ProbeKind::Https), Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::Read, FailureKind::HttpInvalid, 0));
}

#[tokio::test]
async fn a_certificate_must_prove_what_the_probe_demands() {
    let peer = Peer::start(Manner::Tls).await;
    let pinned = |pin| Probe { verify: Verify::Pin(vec![pin]), ..peer.probe(ProbeKind::Tls) };
    let wrong_name = Probe { sni: Some("other.test".to_owned()), ..peer.probe(ProbeKind::Tls) };
    let anything = Probe { verify: Verify::None, ..wrong_name.clone() };
    let knocker = peer.knocker(1);
    latency(&knocker.knock(&pinned(peer.spki), Lane::Tcp4).await);
    latency(&knocker.knock(&anything, Lane::Tcp4).await);
    let trace = knocker.knock(&pinned([7; 32]), Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::TlsHandshake, FailureKind::InvalidCertificate, 0));
    let trace = knocker.knock(&wrong_name, Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::TlsHandshake, FailureKind::InvalidHostname, 0));
    let strangers = super::Knocker { roots: super::public_roots(), ..knocker };
    let trace = strangers.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
    assert_eq!(failed(&trace), (Operation::TlsHandshake, FailureKind::InvalidCertificate, 0));
}

#[tokio::test]
async fn an_expired_certificate_says_nothing_to_a_witness_whose_own_clock_is_off() {
    let peer = Peer::start_with(Manner::Tls, &Credentials::expired()).await;
    let mut knocker = peer.knocker(1);
    for offset_ms in [None, Some(60_000), Some(-60_000)] {
        knocker.clock_offset_ms = offset_ms;
        let trace = knocker.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
        assert_eq!(failed(&trace), (Operation::TlsHandshake, FailureKind::ExpiredCertificate, 0));
    }
    for offset_ms in [60_001, -60_001] {
        knocker.clock_offset_ms = Some(offset_ms);
        let trace = knocker.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
        assert_eq!(trace.outcome, Outcome::Inconclusive(Reason::ClockOff));
    }
}

#[tokio::test]
async fn quic_is_reached_when_the_handshake_is_confirmed() {
    let peer = QuicPeer::start(QuicManner::Handshake, &Credentials::new());
    let trace = knocker(&peer.roots, 1).knock(&probe(ProbeKind::Quic, peer.address), Lane::Udp4).await;
    latency(&trace);
    assert_eq!(trace.alpn.as_deref(), Some("h3"));
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn quic_that_is_refused_closed_or_silent_has_three_names() {
    let credentials = Credentials::new();
    let peer = QuicPeer::start(QuicManner::Refuse, &credentials);
    let knocker = knocker(&credentials.roots, QUICK);
    let trace = knocker.knock(&probe(ProbeKind::Quic, peer.address), Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::QuicHandshake, FailureKind::QuicFailedHandshake, 0));
    let trace = knocker.knock(&probe(ProbeKind::Quic, closed_port().await), Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::QuicHandshake, FailureKind::ConnectionRefused, 0));
    let (address, _socket) = silent_udp().await;
    let trace = knocker.knock(&probe(ProbeKind::Quic, address), Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::QuicHandshake, FailureKind::Timeout, 0));
}

#[tokio::test]
async fn quic_tells_why_a_certificate_was_refused() {
    let peer = QuicPeer::start(QuicManner::Handshake, &Credentials::expired());
    let trace = knocker(&peer.roots, 1).knock(&probe(ProbeKind::Quic, peer.address), Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::QuicHandshake, FailureKind::ExpiredCertificate, 0));
}

#[tokio::test]
async fn http3_is_reached_when_headers_arrive() {
    let peer = QuicPeer::start(QuicManner::Http3 { status: 200 }, &Credentials::new());
    let asked = probe(ProbeKind::QuicHttp3, peer.address);
    let knocker = knocker(&peer.roots, 1);
    let trace = knocker.knock(&asked, Lane::Udp4).await;
    latency(&trace);
    assert!(trace.first_byte.is_some());
    let trace = knocker.knock(&Probe { expect_status: Some(204), ..asked }, Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::Read, FailureKind::HttpUnexpectedStatus, 0));
    assert!(peer.is_left_alone().await);
}

#[tokio::test]
async fn http3_from_a_peer_that_speaks_only_quic_fails_in_the_read() {
    let peer = QuicPeer::start(QuicManner::Handshake, &Credentials::new());
    let trace = knocker(&peer.roots, QUICK).knock(&probe(ProbeKind::QuicHttp3, peer.address), Lane::Udp4).await;
    assert_eq!(failed(&trace), (Operation::Read, FailureKind::Timeout, 0));
}

#[tokio::test]
async fn the_witness_own_trouble_is_evidence_for_nobody() {
    let peer = Peer::start(Manner::Tls).await;
    let knocker = peer.knocker(1);
    let ask = |probe: Probe, lane| {
        let knocker = knocker.clone();
        async move { knocker.knock(&probe, lane).await.outcome }
    };
    // The lane's family decides; there is no second try with the other.
    let other_family = ask(peer.probe(ProbeKind::Tls), Lane::Tcp6).await;
    assert_eq!(other_family, Outcome::Inconclusive(Reason::NoRoute));
    let unknown = Probe { host: "no-such-host.invalid".to_owned(), ..peer.probe(ProbeKind::Tls) };
    assert_eq!(ask(unknown, Lane::Tcp4).await, Outcome::Inconclusive(Reason::ResolverFailed));
    let own = Probe { host: "127.0.0.7".to_owned(), ..peer.probe(ProbeKind::Tls) };
    assert_eq!(ask(own, Lane::Tcp4).await, Outcome::Inconclusive(Reason::OwnAddress));
}

#[tokio::test]
async fn the_self_check_dials_own_addresses_alone() {
    let peer = Peer::start(Manner::Tls).await;
    let knocker = super::Knocker { own: super::OwnAddresses::Only, ..peer.knocker(1) };
    latency(&knocker.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await);
    let elsewhere = Probe { host: "192.0.2.1".to_owned(), ..peer.probe(ProbeKind::Tls) };
    let outcome = knocker.knock(&elsewhere, Lane::Tcp4).await.outcome;
    // Without any route it is not even asked whose address it is.
    assert!(matches!(outcome, Outcome::Inconclusive(Reason::Forbidden | Reason::NoRoute)), "{outcome:?}");
}

#[tokio::test]
async fn a_name_that_resolves_to_a_forbidden_address_is_not_dialled() {
    let peer = Peer::start(Manner::Tls).await;
    let named = Probe { host: "localhost".to_owned(), ..peer.probe(ProbeKind::Tls) };
    let knocker = super::Knocker { addresses: AddressLimits::default(), ..peer.knocker(1) };
    assert_eq!(knocker.knock(&named, Lane::Tcp4).await.outcome, Outcome::Inconclusive(Reason::Forbidden));
}

#[tokio::test]
async fn descriptors_stay_flat_over_many_probes_to_black_holes() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let credentials = Credentials::new();
    let peer = Peer::start(Manner::Silent).await;
    let (address, _socket) = silent_udp().await;
    // Budgets of a few milliseconds.
    let knocker = knocker(&credentials.roots, 1_000);
    knocker.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
    knocker.knock(&probe(ProbeKind::Quic, address), Lane::Udp4).await;
    assert!(peer.is_left_alone().await);
    let before = open();
    for _ in 0..50 {
        knocker.knock(&peer.probe(ProbeKind::Tls), Lane::Tcp4).await;
        knocker.knock(&probe(ProbeKind::Quic, address), Lane::Udp4).await;
    }
    assert!(peer.is_left_alone().await);
    // A QUIC connection drains for a moment after its end.
    let drained = async {
        while open() > before + 8 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), drained).await.expect("descriptors leak");
}
