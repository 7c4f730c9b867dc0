//! The lab's edges, delays and name server do what they are called: a test that trusts a trouble that does nothing proves
//! nothing. The gateway here echoes, PROXY header and all.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use quorate_tests::clock::wait_for;
use quorate_tests::edge::{self, Edge, PORT};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::names::{self, NAME, NameServer, Says};
use quorate_tests::network::{Host, Lab};
use quorate_tests::trouble::Trouble;

const GATEWAY: Host = Host(1);
const AGENT: Host = Host(2);
const EDGE: Host = Host(3);
const PATIENCE: Duration = Duration::from_millis(1000);
/// What each header of PROXY protocol v2 begins with.
const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
/// Its length for a connection over IPv4.
const HEADER_BYTES: usize = 28;

fn gateway() -> SocketAddr {
    SocketAddr::new(GATEWAY.ipv4().into(), PORT)
}

fn lab_with_echo() -> Lab {
    let lab = Lab::new(3);
    let listener = lab.namespace(GATEWAY).within(|| TcpListener::bind(gateway()).unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let (mut from, mut bytes) = (stream.unwrap(), [0; 4096]);
                // HAProxy's checks break off: nothing to say about that.
                while let Ok(more @ 1..) = from.read(&mut bytes) {
                    let _ = from.write_all(&bytes[..more]);
                }
            });
        }
    });
    lab
}

fn connect(lab: &Lab, to: IpAddr) -> std::io::Result<TcpStream> {
    let stream = lab.namespace(AGENT).within(|| TcpStream::connect_timeout(&SocketAddr::new(to, PORT), PATIENCE))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Opens a session through an edge: says a word and reads it back, behind the edge's header. Gives the header.
fn session(lab: &Lab) -> std::io::Result<(TcpStream, Vec<u8>)> {
    let mut stream = connect(lab, EDGE.ipv4().into())?;
    stream.write_all(b"word")?;
    let mut echo = vec![0; HEADER_BYTES + 4];
    stream.read_exact(&mut echo)?;
    assert!(echo.ends_with(b"word"), "{echo:?}");
    echo.truncate(HEADER_BYTES);
    Ok((stream, echo))
}

fn echoes(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(b"more")?;
    stream.read_exact(&mut [0; 4])
}

fn outcome<T>(result: std::io::Result<T>) -> Result<(), ErrorKind> {
    result.map(drop).map_err(|error| error.kind())
}

#[test]
fn an_edge_says_who_speaks_and_carries_the_rest_untouched() {
    with_namespaces_and(&[edge::available], || {
        let lab = lab_with_echo();
        let mut edge = Edge::start(&lab, EDGE, gateway());
        let (mut stream, header) = session(&lab).unwrap();
        let mut expected = SIGNATURE.to_vec();
        expected.extend_from_slice(&[0x21, 0x11, 0, 12]);
        expected.extend_from_slice(&AGENT.ipv4().octets());
        expected.extend_from_slice(&EDGE.ipv4().octets());
        expected.extend_from_slice(&stream.local_addr().unwrap().port().to_be_bytes());
        expected.extend_from_slice(&PORT.to_be_bytes());
        assert_eq!(header, expected);
        outcome(echoes(&mut stream)).unwrap();

        let mut stream = connect(&lab, EDGE.ipv6().into()).unwrap();
        stream.write_all(b"word").unwrap();
        let mut echo = [0; 56];
        stream.read_exact(&mut echo).unwrap();
        assert_eq!(echo[12..16], [0x21, 0x21, 0, 36], "TCP over IPv6");
        assert_eq!(echo[16..32], AGENT.ipv6().octets());
        drop(stream);
        assert!(!edge.log().contains("word"), "an edge logs no payload");
    });
}

#[test]
fn an_edge_is_killed_and_brought_back() {
    with_namespaces_and(&[edge::available], || {
        let lab = lab_with_echo();
        let mut edge = Edge::start(&lab, EDGE, gateway());
        let (mut stream, _) = session(&lab).unwrap();
        edge.kill(&lab);
        assert!(echoes(&mut stream).is_err(), "its sessions break");
        assert_eq!(outcome(connect(&lab, EDGE.ipv4().into())), Err(ErrorKind::ConnectionRefused));
        edge.restart(&lab);
        outcome(session(&lab)).unwrap();
    });
}

#[test]
fn an_edge_that_hangs_takes_connections_and_says_nothing() {
    with_namespaces_and(&[edge::available], || {
        let lab = lab_with_echo();
        let mut edge = Edge::start(&lab, EDGE, gateway());
        let (mut stream, _) = session(&lab).unwrap();
        edge.swallow(&lab);
        assert!(echoes(&mut stream).is_err(), "its sessions break");
        assert_eq!(outcome(session(&lab)), Err(ErrorKind::WouldBlock));
        edge.restart(&lab);
        outcome(session(&lab)).unwrap();
    });
}

#[test]
fn an_edge_cut_off_from_the_gateway_takes_connections_and_forwards_nothing() {
    with_namespaces_and(&[edge::available], || {
        let mut lab = lab_with_echo();
        let _edge = Edge::start_at(&lab, EDGE, gateway(), Duration::ZERO);
        let (mut stream, _) = session(&lab).unwrap();
        lab.block(EDGE, GATEWAY, Trouble::Drop);
        assert_eq!(outcome(echoes(&mut stream)), Err(ErrorKind::WouldBlock), "what is open falls silent");
        assert_eq!(outcome(session(&lab)), Err(ErrorKind::WouldBlock), "what is new is taken, and silent");
    });
}

#[test]
fn an_edge_that_has_lost_the_gateway_soon_turns_agents_away_and_takes_them_again() {
    with_namespaces_and(&[edge::available], || {
        let mut lab = lab_with_echo();
        let _edge = Edge::start(&lab, EDGE, gateway());
        let (mut stream, _) = session(&lab).unwrap();
        lab.block(EDGE, GATEWAY, Trouble::Drop);
        // Its own look at the gateway fails three times; until then agents are taken, and wait.
        wait_for("agents are turned away at once", Duration::from_secs(20), || match outcome(session(&lab)) {
            Err(ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => Ok(()),
            other => Err(format!("{other:?}")),
        });
        lab.unblock();
        wait_for("agents are taken", Duration::from_secs(20), || {
            outcome(session(&lab)).map_err(|kind| kind.to_string())
        });
        wait_for("the session that was open goes on", Duration::from_secs(20), || {
            outcome(echoes(&mut stream)).map_err(|kind| kind.to_string())
        });
    });
}

#[test]
fn a_reload_keeps_sessions_and_refuses_nobody() {
    with_namespaces_and(&[edge::available], || {
        let lab = lab_with_echo();
        let mut edge = Edge::start(&lab, EDGE, gateway());
        let (mut stream, _) = session(&lab).unwrap();
        for _ in 0..3 {
            edge.reload(&lab);
            outcome(echoes(&mut stream)).unwrap();
            outcome(session(&lab)).unwrap();
        }
    });
}

#[test]
fn a_delay_counts_both_ways_and_can_be_changed() {
    with_namespaces_and(&[edge::available], || {
        let lab = lab_with_echo();
        let near = Duration::from_millis(20);
        let far = Duration::from_millis(150);
        let edge = Edge::start_at(&lab, EDGE, gateway(), near);
        let (mut stream, _) = session(&lab).unwrap();
        let mut round_trip = || {
            let started = Instant::now();
            outcome(echoes(&mut stream)).unwrap();
            started.elapsed()
        };
        // The least of a few: a busy machine only ever adds.
        let least = (0..5).map(|_| round_trip()).min().unwrap();
        assert!((2 * near..2 * far).contains(&least), "{least:?}");
        edge.delay.as_ref().unwrap().set(far);
        assert!(round_trip() >= 2 * far);
    });
}

#[test]
fn programs_of_the_lab_resolve_by_its_name_server() {
    with_namespaces_and(&[names::available], || {
        let mut lab = Lab::new(3);
        let server = Host(3);
        let set = |hosts: &[u8]| -> Vec<IpAddr> {
            hosts.iter().flat_map(|host| [Host(*host).ipv4().into(), Host(*host).ipv6().into()]).collect()
        };
        let mut names = NameServer::start(&lab, server, &set(&[1, 2]));
        lab.ask_for_names(server);
        let resolved = |lab: &Lab| {
            let mut getent = Command::new("getent");
            getent.args(["ahosts", NAME]);
            let output = lab.output(AGENT, getent);
            let mut found: Vec<IpAddr> = String::from_utf8_lossy(&output.stdout)
                .lines()
                .filter_map(|line| line.split_whitespace().next()?.parse().ok())
                .collect();
            found.sort();
            found.dedup();
            found
        };
        let sorted = |mut set: Vec<IpAddr>| {
            set.sort();
            set
        };
        assert_eq!(resolved(&lab), sorted(set(&[1, 2])));
        names.say_addresses(&lab, &set(&[1, 2, 3]));
        assert_eq!(resolved(&lab), sorted(set(&[1, 2, 3])));
        names.say_addresses(&lab, &set(&[2]));
        assert_eq!(resolved(&lab), sorted(set(&[2])));
        for says in [Says::Addresses(Vec::new()), Says::Failure] {
            names.say(&lab, says);
            assert_eq!(resolved(&lab), set(&[]));
        }
        names.say_addresses(&lab, &set(&[1]));
        assert_eq!(resolved(&lab), sorted(set(&[1])));
        names.kill();
        assert_eq!(resolved(&lab), set(&[]));
        names.restart(&lab);
        assert_eq!(resolved(&lab), sorted(set(&[1])));
    });
}
