//! Crowds at the door, and that they keep nobody out.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::bed::{Bed, Credentials, connect_from, eventually, report};
use super::forwarder::{Cut, forward, header};
use crate::gateway::limits::{WAITING_MAX, WAITING_PER_ORIGIN_MAX};
use crate::inventory::ProxyEntry::{Optional, Require};

#[tokio::test]
async fn six_hundred_silent_sockets_do_not_delay_a_good_agent_by_a_second() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let mut silent = Vec::new();
    // All places taken, by twenty addresses with thirty sockets each.
    for n in 0..600_u16 {
        silent.push(connect_from([127, 0, 1, (n % 20) as u8 + 1], bed.addr).await);
    }
    eventually("all were accepted", || bed.handle.sessions().totals().connections >= 600).await;
    assert_eq!(bed.handle.0.gate.waiting(), WAITING_MAX);
    let started = Instant::now();
    let (mut link, _) = bed.session(&credentials).await;
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(bed.handle.sessions().totals().connections_shed >= 88);
    drop(silent);
}

#[tokio::test]
async fn silent_sockets_from_the_agents_own_address_do_not_delay_it_either() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let mut silent = Vec::new();
    for _ in 0..600 {
        silent.push(TcpStream::connect(bed.addr).await.unwrap());
    }
    let started = Instant::now();
    let (_link, _) = bed.session(&credentials).await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(bed.handle.0.gate.waiting() <= WAITING_PER_ORIGIN_MAX);
    drop(silent);
}

const EDGE: [u8; 4] = [127, 0, 2, 1];
const OTHER_EDGE: [u8; 4] = [127, 0, 3, 1];

/// A gateway with two edges and fifty agents, who have been there before: a first session costs the store more.
async fn bed_with_agents() -> (Bed, Vec<Credentials>) {
    let bed = Bed::start_in_memory().await;
    bed.edges(&[("fra", "127.0.2.1", Optional), ("ams", "127.0.3.1", Require)]);
    let mut agents = Vec::new();
    for n in 0..50 {
        agents.push(bed.credentials(&format!("s-{n}")).await);
    }
    all_connect(&bed, &agents).await;
    (bed, agents)
}

/// Has each agent open a session and see a report acknowledged, every third straight, the others through the two edges;
/// all at once. How long the last one took.
async fn all_connect(bed: &Bed, agents: &[Credentials]) -> Duration {
    let connect = async |(n, credentials): (usize, &Credentials)| {
        let started = Instant::now();
        let (from, ahead) = match n % 3 {
            0 => ([127, 0, 9, n as u8 + 1], Vec::new()),
            1 => (EDGE, header("192.0.2.7:41074")),
            _ => (OTHER_EDGE, header("192.0.2.8:41074")),
        };
        let stream = forward(connect_from(from, bed.addr).await, ahead, Cut::Nowhere);
        let (mut link, _) = bed.session_over(stream, credentials).await;
        link.report(report(1)).await;
        assert_eq!(link.ack().await, 1);
        started.elapsed()
    };
    join_all(agents.iter().enumerate().map(connect)).await.into_iter().max().unwrap_or_default()
}

/// Has fifty agents connect beside 600 silent sockets until the last one needs less than a second. Other programs on this
/// machine can spoil a round; a gateway that is held up by the silent ones spoils every one, by several seconds.
async fn connect_beside(bed: &Bed, agents: &[Credentials], silent: impl AsyncFn(u16) -> TcpStream) {
    let mut rounds = Vec::new();
    while rounds.len() < 10 {
        let mut sockets = Vec::new();
        let before = bed.handle.sessions().totals().connections;
        for n in 0..600 {
            sockets.push(silent(n).await);
        }
        eventually("all were accepted", || bed.handle.sessions().totals().connections >= before + 600).await;
        assert_eq!(bed.handle.0.gate.waiting(), WAITING_MAX);
        rounds.push(all_connect(bed, agents).await);
        assert_eq!(bed.handle.0.gate.talking(), 0, "the crowd still says nothing");
        if rounds.last().is_some_and(|took| *took < Duration::from_secs(1)) {
            return;
        }
    }
    panic!("never within a second: {rounds:?}");
}

#[tokio::test]
async fn beside_six_hundred_silent_sockets_from_many_addresses_fifty_agents_connect_within_a_second() {
    let (bed, agents) = bed_with_agents().await;
    let silent = async |n: u16| connect_from([127, 0, 1, (n % 200) as u8 + 1], bed.addr).await;
    connect_beside(&bed, &agents, silent).await;
}

#[tokio::test]
async fn beside_six_hundred_silent_sockets_through_one_edge_fifty_agents_connect_within_a_second() {
    let (bed, agents) = bed_with_agents().await;
    // The edge says for whom it connects, and then nobody says a word.
    let silent = async |_: u16| {
        let mut socket = connect_from(EDGE, bed.addr).await;
        socket.write_all(&header("203.0.113.66:6666")).await.unwrap();
        socket
    };
    connect_beside(&bed, &agents, silent).await;
    let totals = bed.handle.sessions().totals();
    assert!(totals.headers_parsed > 512 && totals.handshakes_failed == 0, "{totals:?}");
}

#[tokio::test]
async fn edges_full_of_stalled_handshakes_keep_nobody_out_whichever_way_they_come() {
    let bed = Bed::start().await;
    bed.edges(&[("fra", "127.0.2.1", Optional), ("ams", "127.0.3.1", Require)]);
    let credentials = bed.credentials("nl-1").await;
    let mut stalled = Vec::new();
    for n in 0..WAITING_MAX {
        let edge = if n % 2 == 0 { EDGE } else { OTHER_EDGE };
        let mut socket = connect_from(edge, bed.addr).await;
        socket.write_all(&header("203.0.113.66:6666")).await.unwrap();
        socket.write_all(b"\x16\x03\x01").await.unwrap();
        stalled.push(socket);
    }
    eventually("all have said something", || bed.handle.0.gate.talking() == WAITING_MAX).await;
    let ahead = || header("192.0.2.8:41074");
    for (from, ahead) in [([127, 0, 9, 1], Vec::new()), (EDGE, ahead()), (OTHER_EDGE, ahead())] {
        let started = Instant::now();
        let stream = forward(connect_from(from, bed.addr).await, ahead, Cut::Nowhere);
        let (_link, _) = bed.session_over(stream, &credentials).await;
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    }
    drop(stalled);
}
