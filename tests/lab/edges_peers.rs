//! Who speaks to the gateway: what is measured, what is claimed, and whose claims are heard.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use quorate_tests::caller::Caller;
use quorate_tests::clock::{always, promised, wait_for};
use quorate_tests::edge::PORT;
use quorate_tests::fleet::{AGGREGATOR, EDGE_NEEDS, Fleet, GATEWAY, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::names::NAME;

const PATIENCE: Duration = Duration::from_secs(1);
/// PROXY protocol v2: TCP over IPv4 from 192.0.2.66, port 6666, to 192.0.2.1, port 443.
const FORGED: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x42\xc0\0\x02\x01\x1a\x0a\x01\xbb";

fn fleet() -> Fleet {
    Fleet::start_behind_edges(&[server("nl-1")], &[Duration::ZERO])
}

#[test]
fn the_address_that_is_measured_and_the_one_that_is_claimed_are_both_shown() {
    with_namespaces_and(EDGE_NEEDS, || {
        let fleet = fleet();
        let session = fleet.server("nl-1").unwrap()["session"].take();
        let ip = |field: &str| session[field].as_str().and_then(|text| text.parse().ok()).map(|a: SocketAddr| a.ip());
        assert_eq!(ip("peer_addr"), Some(fleet.address(0)), "{session}");
        assert_eq!(ip("claimed_addr"), Some(fleet.host("nl-1").ipv4().into()), "{session}");
        assert_eq!((&session["edge"], &session["claim"]), (&"edge-0".into(), &"edge".into()), "{session}");
        assert_eq!(fleet.agents_by(0), Ok(vec!["nl-1".to_owned()]));
    });
}

#[test]
fn a_forged_header_opens_nothing_and_is_believed_by_nobody() {
    with_namespaces_and(EDGE_NEEDS, || {
        let fleet = fleet();
        let caller = Caller::with_identity_of(&fleet.agent_data("nl-1"), NAME);
        let stranger = fleet.lab.namespace(fleet.stranger());
        let off_policy = || fleet.metric("quorate_proxy_headers_total{result=\"off_policy\"}");
        // Whoever is refused hears of it before it is counted.
        let wait_off_policy = |expected| {
            wait_for(&format!("{expected} off policy"), promised(PATIENCE), || match off_policy() {
                found if found == expected => Ok(()),
                found => Err(found.to_string()),
            });
        };

        let reached = stranger.within(|| TcpStream::connect_timeout(&GATEWAY, PATIENCE));
        assert!(reached.is_err(), "the rules let edges in alone");

        eprintln!("trouble: the rules are gone");
        fleet.lab.namespace(AGGREGATOR).nft("delete table inet quorate_gateway\n");
        stranger.within(|| caller.call(GATEWAY)).expect("a good identity is one, wherever it comes from");
        assert_eq!(off_policy(), 0);

        eprintln!("trouble: a header from a host that is no edge");
        let forged = |to: SocketAddr| {
            stranger.within(|| {
                let mut stream = TcpStream::connect_timeout(&to, PATIENCE)?;
                stream.write_all(FORGED)?;
                caller.greet(stream)
            })
        };
        assert!(forged(GATEWAY).is_err(), "a header from whoever is no edge is bad TLS");
        wait_off_policy(1);

        eprintln!("trouble: a second header, behind the edge's own");
        assert!(forged(SocketAddr::new(fleet.address(0), PORT)).is_err(), "an edge's header is the only one");
        wait_off_policy(2);

        fleet.wait_all_report();
        let sessions = fleet.sessions("nl-1");
        assert!(matches!(&sessions[..], [one] if one.from == fleet.address(0)), "{sessions:?}");
        assert!(!fleet.aggregator_log().contains("192.0.2.66"), "what is forged stands nowhere");
    });
}

#[test]
fn a_header_in_two_pieces_with_the_client_hello_behind_it_is_a_header() {
    with_namespaces_and(EDGE_NEEDS, || {
        let fleet = fleet();
        let caller = Caller::with_identity_of(&fleet.agent_data("nl-1"), NAME);
        let parsed = || fleet.metric("quorate_proxy_headers_total{result=\"parsed\"}");
        let before = parsed();
        fleet.lab.namespace(fleet.edges[0].host).within(|| {
            let mut stream = TcpStream::connect_timeout(&GATEWAY, PATIENCE).unwrap();
            let (first, second) = FORGED.split_at(14);
            stream.write_all(first).unwrap();
            // Until the first piece is acknowledged the kernel holds this one back, and sends it with what comes next.
            stream.write_all(second).unwrap();
            caller.greet(stream).expect("who comes from an edge with a good identity is let in");
        });
        assert_eq!(parsed(), before + 1);
    });
}

#[test]
fn a_server_revoked_loses_its_session_through_an_edge_within_a_second_and_gets_no_other() {
    with_namespaces_and(EDGE_NEEDS, || {
        let fleet = fleet();
        let caller = Caller::with_identity_of(&fleet.agent_data("nl-1"), NAME);
        let edge = SocketAddr::new(fleet.address(0), PORT);
        let stranger = fleet.lab.namespace(fleet.stranger());
        stranger.within(|| caller.call(edge)).expect("its certificate is good");

        fleet.revoke("nl-1");
        wait_for("its session has ended", promised(PATIENCE), || match &fleet.sessions("nl-1")[..] {
            [one] if one.closed.as_ref().is_some_and(|(_, reason)| reason == "revoked") => Ok(()),
            other => Err(format!("{other:?}")),
        });
        assert!(stranger.within(|| caller.call(edge)).is_err(), "its certificate is nobody's");
        always("it gets no other session", Duration::from_secs(4), || {
            let sessions = fleet.sessions("nl-1").len();
            if sessions == 1 { Ok(()) } else { Err(format!("{sessions} sessions")) }
        });
    });
}
