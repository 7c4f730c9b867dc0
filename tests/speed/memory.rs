//! What a process holds in memory: the agent with nobody to knock on, with as many peers as a round has at the defaults, and
//! with as many as a large fleet has; beside exporters that people run.

use std::time::Duration;

use quorate_tests::clock::wait_for;
use serde_json::{Value, json};

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX, Exporter, NODE};
use crate::footprint::Footprint;
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

/// Rounds that are over before it is looked: a heap has its size by then.
const ROUNDS: u64 = 5;
/// What each knock may take of a round, peers and agent together, on a busy machine.
const SLOT: Duration = Duration::from_millis(4);
/// The shortest round.
const ROUND_LEAST: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(300);

/// A row for each size.
pub fn measure(peers: &Peers) -> Vec<Value> {
    [0, 30, 1_000].into_iter().map(|count| row(peers, count)).collect()
}

fn row(peers: &Peers, count: u16) -> Value {
    let interval = (SLOT * u32::from(count)).max(ROUND_LEAST);
    let mesh = Mesh::start(peers, Work { kind: Kind::Tls, peers: count, interval, speed: 1 });
    let (knocks, reports) = (peers.tally(Kind::Tls).finished(), mesh.reports());
    wait_for("the agent has gone some rounds", PATIENCE, || {
        let (knocks, reports) = (peers.tally(Kind::Tls).finished() - knocks, mesh.reports() - reports);
        let is_enough = knocks >= ROUNDS * u64::from(count) && reports >= ROUNDS;
        if is_enough { Ok(()) } else { Err(format!("{knocks} knocks, {reports} reports")) }
    });
    let agent = Footprint::of(mesh.agent.pid());
    let other = if count == 0 { idle_exporter() } else { exporter(peers, count) };
    json!({ "peers": count, "agent": agent.to_json(), "against": other.map(Footprint::to_json) })
}

/// An exporter that is scraped and does nothing else.
fn idle_exporter() -> Option<Footprint> {
    exporter::version(NODE).ok()?;
    let mut exporter = Exporter::start(NODE, |_, _| {});
    (0..ROUNDS).for_each(|_| drop(exporter.get("/metrics")));
    Some(exporter.footprint())
}

/// The blackbox exporter after as many knocks.
fn exporter(peers: &Peers, count: u16) -> Option<Footprint> {
    exporter::version(BLACKBOX).ok()?;
    let mut blackbox = Blackbox::start();
    for _ in 0..ROUNDS {
        (0..count).for_each(|number| _ = blackbox.knock(Kind::Tls, peers.address(Kind::Tls, number)));
    }
    Some(blackbox.footprint())
}
