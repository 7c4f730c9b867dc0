//! What a process holds in memory: the agent with nobody to knock on, with as many peers as a round has at the defaults, and
//! with as many as a large fleet has; beside exporters that people run.

use std::time::Duration;

use quorate_tests::clock::wait_for;
use quorate_tests::vitals::Vitals;

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX, Exporter, NODE};
use crate::figure;
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

/// Nobody, a round at the defaults, and a fleet.
const SIZES: [u16; 3] = [0, 30, 1_000];
/// Rounds that are over before it is looked: a heap has its size by then.
const ROUNDS: u64 = 5;
/// What each knock may take of a round, peers and agent together, on a busy machine.
const SLOT: Duration = Duration::from_millis(4);
/// The shortest round.
const ROUND_LEAST: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(300);

/// For each size, in KiB and pieces: `resident`, `anonymous` and `descriptors` of `agent`, `blackbox` and `node`.
pub fn measure(peers: &Peers) {
    for size in SIZES {
        tell("agent", size, agent(peers, size), env!("CARGO_PKG_VERSION"));
        if size == 0 {
            tell("node", size, idle_exporter(), &exporter::version(NODE));
        } else {
            tell("blackbox", size, asked_exporter(peers, size), &exporter::version(BLACKBOX));
        }
    }
}

fn tell(who: &str, size: u16, vitals: Vitals, version: &str) {
    let name = |what: &str| format!("{what} {who} {size}");
    figure::count(&name("resident"), vitals.memory_kib, version);
    figure::count(&name("anonymous"), vitals.anonymous_kib, version);
    figure::count(&name("descriptors"), vitals.descriptors as u64, version);
}

fn agent(peers: &Peers, size: u16) -> Vitals {
    let interval = (SLOT * u32::from(size)).max(ROUND_LEAST);
    let mesh = Mesh::start(peers, Work { kind: Kind::Tls, peers: size, interval, speed: 1 });
    let (knocks, reports) = (peers.tally(Kind::Tls).finished(), mesh.reports());
    wait_for("the agent has gone some rounds", PATIENCE, || {
        let (knocks, reports) = (peers.tally(Kind::Tls).finished() - knocks, mesh.reports() - reports);
        let is_enough = knocks >= ROUNDS * u64::from(size) && reports >= ROUNDS;
        if is_enough { Ok(()) } else { Err(format!("{knocks} knocks, {reports} reports")) }
    });
    Vitals::of(mesh.agent.pid())
}

/// An exporter that is scraped and does nothing else.
fn idle_exporter() -> Vitals {
    let mut exporter = Exporter::start(NODE, |_, _| {});
    (0..ROUNDS).for_each(|_| drop(exporter.get("/metrics")));
    exporter.vitals()
}

/// The blackbox exporter after as many knocks.
fn asked_exporter(peers: &Peers, size: u16) -> Vitals {
    let mut blackbox = Blackbox::start(peers);
    for _ in 0..ROUNDS {
        (0..size).for_each(|number| _ = blackbox.knock(Kind::Tls, peers.address(Kind::Tls, number)));
    }
    blackbox.vitals()
}
