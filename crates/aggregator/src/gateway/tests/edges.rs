//! What an edge may say, and that nobody else may.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bed::{Bed, Lines, connect_from, eventually, report};
use super::forwarder::{Cut, forward, header, local};
use crate::api::badges::LinkKey;
use crate::api::{Api, Doors, Shared, Source};
use crate::gateway::{ALPN_SESSION, Arrival, SessionView, Totals, Worth};
use crate::inventory::ProxyEntry::{Optional, Require};

const FRA: [u8; 4] = [127, 0, 2, 1];
const AMS: [u8; 4] = [127, 0, 3, 1];
const STRANGER: [u8; 4] = [127, 0, 4, 1];
const CLIENT: &str = "192.0.2.7:41074";

/// A gateway with an edge where headers are optional and one where they are required.
async fn bed() -> Bed {
    let bed = Bed::start().await;
    bed.edges(&[("fra", "127.0.2.0/24", Optional), ("ams", "127.0.3.1", Require)]);
    bed
}

fn only(bed: &Bed) -> SessionView {
    let mut sessions = bed.handle.sessions().list();
    assert_eq!(sessions.len(), 1);
    sessions.remove(0)
}

fn shown(arrival: &Arrival) -> (String, Option<&str>, Option<String>, Option<Worth>) {
    let worth = arrival.through.as_ref().map(crate::gateway::Through::worth);
    let claimed = arrival.claimed_addr().map(ToString::to_string);
    (arrival.peer_addr.ip().to_string(), arrival.edge(), claimed, worth)
}

/// Sends bytes and reads until the other side ends the connection.
async fn ended(mut stream: TcpStream, bytes: &[u8]) {
    // A refusal may be quicker than what follows.
    let _ = stream.write_all(bytes).await;
    let mut rest = Vec::new();
    let read = stream.read_to_end(&mut rest);
    let _ = tokio::time::timeout(super::bed::PATIENCE, read).await.expect("the gateway ends it");
}

async fn counted(bed: &Bed, what: &str, number: impl Fn(&Totals) -> u64, expected: u64) {
    eventually(what, || number(&bed.handle.sessions().totals()) == expected).await;
}

#[tokio::test]
async fn a_session_shows_the_measured_peer_and_what_the_edge_claims() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    for (from, ahead, expected) in [
        (FRA, header(CLIENT), ("127.0.2.1", Some("fra"), Some(CLIENT), Some(Worth::Unverified))),
        (FRA, Vec::new(), ("127.0.2.1", Some("fra"), None, Some(Worth::Absent))),
        (FRA, local(), ("127.0.2.1", Some("fra"), None, Some(Worth::Absent))),
        (AMS, header(CLIENT), ("127.0.3.1", Some("ams"), Some(CLIENT), Some(Worth::Edge))),
        (AMS, header("[2001:db8::7]:5"), ("127.0.3.1", Some("ams"), Some("[2001:db8::7]:5"), Some(Worth::Edge))),
        (AMS, local(), ("127.0.3.1", Some("ams"), None, Some(Worth::Absent))),
        (STRANGER, Vec::new(), ("127.0.4.1", None, None, None)),
    ] {
        let stream = forward(connect_from(from, bed.addr).await, ahead, Cut::Nowhere);
        let (mut link, _) = bed.session_over(stream, &credentials).await;
        let session = only(&bed);
        let (peer, edge, claimed, worth) = shown(&session.arrival);
        assert_eq!((peer.as_str(), edge, claimed.as_deref(), worth), expected);

        let stored = bed.store.sessions("nl-1", 1).await.unwrap().remove(0);
        assert_eq!(stored.peer_addr, session.arrival.peer_addr.to_string());
        assert_eq!((stored.edge.as_deref(), stored.claimed_addr.as_deref()), (edge, claimed.as_deref()));
        link.hang_up();
        assert_eq!(link.next().await, None);
        eventually("the session is gone", || bed.handle.sessions().list().is_empty()).await;
    }
    let totals = bed.handle.sessions().totals();
    assert_eq!((totals.headers_parsed, totals.headers_local, totals.handshakes_failed), (3, 2, 0));
}

#[tokio::test]
async fn header_and_client_hello_come_in_any_pieces() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    let ends = header(CLIENT).len();
    // Inside the signature and the fixed part, at their ends, and around the seam between header and ClientHello.
    let cuts = [1, 11, 12, 13, 15, 16, 17, ends - 1, ends, ends + 1, ends + 5, ends + 40].map(Cut::At);
    for cut in cuts.into_iter().chain([Cut::Nowhere, Cut::Everywhere]) {
        for from in [FRA, AMS] {
            let stream = forward(connect_from(from, bed.addr).await, header(CLIENT), cut);
            let (mut link, _) = bed.session_over(stream, &credentials).await;
            assert_eq!(shown(&only(&bed).arrival).2.as_deref(), Some(CLIENT), "{cut:?} from {from:?}");
            link.hang_up();
            assert_eq!(link.next().await, None);
            eventually("the session is gone", || bed.handle.sessions().list().is_empty()).await;
        }
        // Where a header is optional, a ClientHello alone is the client's, however it is cut.
        let cut = if let Cut::At(at) = cut { Cut::At(at.min(100)) } else { cut };
        let stream = forward(connect_from(FRA, bed.addr).await, Vec::new(), cut);
        let (mut link, _) = bed.session_over(stream, &credentials).await;
        assert_eq!(shown(&only(&bed).arrival).3, Some(Worth::Absent), "{cut:?}");
        link.hang_up();
        assert_eq!(link.next().await, None);
        eventually("the session is gone", || bed.handle.sessions().list().is_empty()).await;
    }
    assert_eq!(bed.handle.sessions().totals().headers_parsed, 28);
}

#[tokio::test]
async fn a_header_from_a_stranger_is_bad_tls() {
    let bed = bed().await;
    let lines = Lines::default();
    let _logging = lines.listen();
    ended(connect_from(STRANGER, bed.addr).await, &header(CLIENT)).await;
    counted(&bed, "a header off policy", |totals| totals.headers_off_policy, 1).await;
    let text = lines.text();
    assert!(text.contains("peer_addr=127.0.4.1") && text.contains("no edge") && !text.contains("192.0.2.7"), "{text}");
    // In pieces too small to tell it by, it is TLS that refuses it.
    ended(connect_from(STRANGER, bed.addr).await, &header(CLIENT)[..11]).await;
    counted(&bed, "a failed handshake", |totals| totals.handshakes_failed, 1).await;
    assert!(bed.handle.sessions().list().is_empty());
}

#[tokio::test]
async fn a_client_cannot_write_a_header_behind_the_edges_own() {
    let bed = bed().await;
    let forged = [header(CLIENT), header("203.0.113.1:1")].concat();
    ended(connect_from(AMS, bed.addr).await, &forged).await;
    counted(&bed, "a header off policy", |totals| totals.headers_off_policy, 1).await;
    assert_eq!(bed.handle.sessions().totals().headers_parsed, 1);
}

#[tokio::test]
async fn an_edge_that_must_send_a_header_and_does_not_is_refused() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    let lines = Lines::default();
    let _logging = lines.listen();
    let config = std::sync::Arc::new(bed.client_config(Some(&credentials), ALPN_SESSION));
    assert!(Bed::tls_over(connect_from(AMS, bed.addr).await, config).await.is_err());
    counted(&bed, "a missing header", |totals| totals.headers_missing, 1).await;
    let text = lines.text();
    assert!(text.contains("edge=\"ams\"") && text.contains("send-proxy-v2"), "{text}");
}

#[tokio::test]
async fn a_header_has_three_seconds() {
    let bed = bed().await;
    let lines = Lines::default();
    let _logging = lines.listen();
    let started = Instant::now();
    let silent = ended(connect_from(AMS, bed.addr).await, b"");
    let half = header(CLIENT);
    let halfway_required = ended(connect_from(AMS, bed.addr).await, &half[..20]);
    let halfway_optional = ended(connect_from(FRA, bed.addr).await, &half[..20]);
    tokio::join!(silent, halfway_required, halfway_optional);
    let waited = started.elapsed();
    assert!(waited > Duration::from_millis(2900) && waited < Duration::from_secs(5), "{waited:?}");
    assert_eq!(bed.handle.sessions().totals().headers_missing, 3);
    assert_eq!(lines.text().lines().count(), 2, "who says nothing is only counted: {}", lines.text());
}

#[tokio::test]
async fn a_header_that_breaks_the_protocol_is_refused() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    // A version that does not exist, a length beyond all bounds, and bytes that made another parser panic.
    let hostile = [
        [&header(CLIENT)[..12], b"\x31\x11\0\x0c"].concat(),
        [&header(CLIENT)[..12], b"\x21\x11\xff\xff"].concat(),
        [&header(CLIENT)[..12], b"\x21\x11\0\x04abcd"].concat(),
        [&header(CLIENT)[..12], b"\x21\x12\0\x89\xcb\0q\xc7\x10|c@\x93\x01\xd9"].concat(),
    ];
    for (bytes, from) in hostile.iter().flat_map(|bytes| [(bytes, FRA), (bytes, AMS)]) {
        let mut stream = connect_from(from, bed.addr).await;
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        ended(stream, b"").await;
    }
    // One that breaks off.
    let mut broken = connect_from(FRA, bed.addr).await;
    broken.write_all(&header(CLIENT)[..20]).await.unwrap();
    drop(broken);
    counted(&bed, "nine invalid headers", |totals| totals.headers_invalid, 9).await;
    let stream = forward(connect_from(AMS, bed.addr).await, header(CLIENT), Cut::Nowhere);
    let (mut link, _) = bed.session_over(stream, &credentials).await;
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
}

#[tokio::test]
async fn an_edges_checks_leave_no_line_in_the_log() {
    let bed = bed().await;
    let lines = Lines::default();
    let _logging = lines.listen();
    for from in [FRA, AMS] {
        for bytes in [local(), header(CLIENT), Vec::new()] {
            let mut reset = connect_from(from, bed.addr).await;
            reset.write_all(&bytes).await.unwrap();
            let mut closed = connect_from(from, bed.addr).await;
            closed.write_all(&bytes).await.unwrap();
            closed.shutdown().await.unwrap();
            ended(closed, b"").await;
            let before = bed.handle.sessions().totals().connections_empty;
            reset.set_zero_linger().unwrap();
            drop(reset);
            counted(&bed, "the reset one", |totals| totals.connections_empty, before + 1).await;
        }
    }
    let totals = bed.handle.sessions().totals();
    assert_eq!((totals.connections_empty, totals.headers_local, totals.headers_parsed), (12, 4, 4));
    assert_eq!(lines.text(), "");
}

#[tokio::test]
async fn ipv4_in_the_guise_of_ipv6_is_the_edge() {
    let bed = Bed::start_dual().await;
    bed.edges(&[("fra", "127.0.2.1", Require)]);
    let to = std::net::SocketAddr::from(([127, 0, 0, 1], bed.addr.port()));
    let credentials = bed.credentials("nl-1").await;
    let stream = forward(connect_from(FRA, to).await, header(CLIENT), Cut::Nowhere);
    let (_link, _) = bed.session_over(stream, &credentials).await;
    let session = only(&bed);
    assert_eq!(shown(&session.arrival), ("127.0.2.1".into(), Some("fra"), Some(CLIENT.into()), Some(Worth::Edge)));
}

#[tokio::test]
async fn a_change_of_edges_holds_for_the_next_connection_and_ends_none() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    ended(connect_from(FRA, bed.addr).await, &header(CLIENT)).await;
    counted(&bed, "nobody is an edge", |totals| totals.headers_off_policy, 1).await;

    bed.edges(&[("fra", "127.0.2.1", Optional)]);
    let stream = forward(connect_from(FRA, bed.addr).await, header(CLIENT), Cut::Nowhere);
    let (mut link, _) = bed.session_over(stream, &credentials).await;
    bed.edges(&[("par", "127.0.2.1", Require)]);
    let stream = forward(connect_from(FRA, bed.addr).await, header(CLIENT), Cut::Nowhere);
    let (mut next, _) = bed.session_over(stream, &credentials).await;
    let sessions = bed.handle.sessions().list();
    let ways: Vec<_> = sessions.iter().map(|session| shown(&session.arrival)).collect();
    assert_eq!((ways[0].1, ways[0].3), (Some("fra"), Some(Worth::Unverified)), "as it was when it came");
    assert_eq!((ways[1].1, ways[1].3), (Some("par"), Some(Worth::Edge)));
    let by_edge = bed.handle.sessions().by_edge();
    assert_eq!((by_edge.get("fra"), by_edge.get("par")), (Some(&1), Some(&1)));

    bed.edges(&[]);
    for link in [&mut link, &mut next] {
        link.report(report(1)).await;
        assert_eq!(link.ack().await, 1);
    }
}

#[tokio::test]
async fn the_log_has_both_addresses_under_their_names() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    let lines = Lines::default();
    let _logging = lines.listen();
    let stream = forward(connect_from(AMS, bed.addr).await, header(CLIENT), Cut::Nowhere);
    let (mut link, _) = bed.session_over(stream, &credentials).await;
    link.hang_up();
    assert_eq!(link.next().await, None);
    eventually("the session is gone", || bed.handle.sessions().list().is_empty()).await;
    let text = lines.text();
    let both = "edge=\"ams\" claimed_addr=192.0.2.7:41074";
    let told = |word: &str| {
        text.lines().any(|line| line.contains(word) && line.contains("peer_addr=127.0.3.1:") && line.contains(both))
    };
    assert!(told("session opened") && told("session ended"), "{text}");
}

#[tokio::test]
async fn the_api_shows_both_addresses_and_what_the_claim_is_worth() {
    let bed = bed().await;
    let credentials = bed.enrol("nl-1").await;
    let api = Api::new(Shared {
        engine: bed.engine.clone(),
        store: bed.store.clone(),
        gateway: Some(bed.handle.clone()),
        edges: super::walk::nobody_walks(&bed),
        books: crate::notify::book::Books::open(&bed.store).await.unwrap(),
        clock: bed.clock.clone(),
        source: Source::Api,
        gateway_name: "gateway.test:443".to_owned(),
        changes: std::sync::Arc::default(),
        doors: Doors::default(),
        streams: std::sync::Arc::new(tokio::sync::Semaphore::new(1)),
        history: crate::archive::History::new(bed.store.clone()),
        badge_streams: std::sync::Arc::new(tokio::sync::Semaphore::new(1)),
        link_key: LinkKey::default(),
        backtests: crate::backtest::Backtests::new(bed.store.clone(), bed.clock.clone(), bed.shutdown.clone()),
        stop: bed.shutdown.clone(),
    });
    let stream = forward(connect_from(AMS, bed.addr).await, header(CLIENT), Cut::Nowhere);
    let (_link, _) = bed.session_over(stream, &credentials).await;
    let seen = serde_json::to_value(api.session("nl-1").unwrap()).unwrap();
    assert!(seen["peer_addr"].as_str().unwrap().starts_with("127.0.3.1:"), "{seen}");
    assert_eq!((&seen["edge"], &seen["claimed_addr"], &seen["claim"]), (&"ams".into(), &CLIENT.into(), &"edge".into()));
    assert!(seen["since_ms"].as_u64().unwrap() > 0);
    let (_straight, _) = bed.session(&credentials).await;
    let seen = serde_json::to_value(api.session("nl-1").unwrap()).unwrap();
    assert!(seen.get("edge").is_none() && seen.get("claimed_addr").is_none() && seen.get("claim").is_none(), "{seen}");
}

#[tokio::test]
async fn an_edge_that_stays_optional_is_warned_of_at_start() {
    let bed = bed().await;
    let lines = Lines::default();
    let _logging = lines.listen();
    let warn = |days: u64| {
        let now = bed.clock.now();
        let since = now.before(Duration::from_hours(24 * days));
        bed.inventory(crate::inventory::Inventory {
            edges: serde_json::from_value(serde_json::json!([
                {"id": "fra", "networks": ["127.0.2.1"], "optional_since_ms": since.as_ms()},
                {"id": "ams", "networks": ["127.0.3.1"], "proxy": "require"},
            ]))
            .unwrap(),
            ..crate::inventory::Inventory::default()
        });
        crate::gateway::edges::warn(&bed.engine.snapshot(), now);
    };
    warn(13);
    assert_eq!(lines.text(), "");
    warn(15);
    let text = lines.text();
    assert!(text.contains("WARN") && text.contains("optional for 15 days") && text.contains("edge=\"fra\""), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}
