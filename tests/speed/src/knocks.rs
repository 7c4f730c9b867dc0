//! Processor time per knock: the whole agent, the bare handshake, the blackbox exporter, in turns.

use std::env;
use std::process::Command;
use std::time::Duration;

use quorate_tests::clock::wait_for;

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX};
use crate::figure;
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

/// What an agent knocks on in a round at the defaults, and so how many knocks share a report and a self-check.
const PEERS: u16 = 30;
/// Each of the three is measured so often.
const TURNS: usize = 5;
const PATIENCE: Duration = Duration::from_secs(240);

/// Figures for each kind: `‹kind› agent`, `‹kind› bare` and, but for QUIC, `‹kind› blackbox`.
pub fn measure(peers: &Peers) {
    for kind in Kind::ALL {
        turns(peers, kind);
    }
}

/// How a kind is paced. The time that a knock takes costs no processor, but the bench's own.
fn work(kind: Kind) -> Work {
    match kind {
        // A round 240 times shorter than at the defaults: a busy machine still has the time to report each.
        Kind::Tls | Kind::Tcp => Work { kind, peers: PEERS, interval: Duration::from_millis(250), speed: 1 },
        // A connection that was closed is kept until late packets have come: here a tenth of its half second.
        Kind::Quic => Work { kind, peers: PEERS, interval: Duration::from_secs(2), speed: 10 },
    }
}

/// Knocks in each turn: whole rounds.
fn knocks(kind: Kind) -> u16 {
    match kind {
        Kind::Tls | Kind::Tcp => 25 * PEERS,
        Kind::Quic => 5 * PEERS,
    }
}

fn turns(peers: &Peers, kind: Kind) {
    let mesh = Mesh::start(peers, work(kind));
    let mut blackbox = match kind {
        Kind::Tls | Kind::Tcp => Some((Blackbox::start(peers), exporter::version(BLACKBOX))),
        // It cannot.
        Kind::Quic => None,
    };
    let name = |who: &str| format!("{} {who}", kind.as_str());
    for _ in 0..TURNS {
        mesh.agent.resume();
        figure::span(&name("agent"), agent(peers, kind, &mesh), env!("CARGO_PKG_VERSION"));
        mesh.agent.pause();
        figure::span(&name("bare"), bare(peers, kind), "");
        if let Some((blackbox, version)) = &mut blackbox {
            figure::span(&name("blackbox"), asked(peers, kind, blackbox), version);
        }
    }
    mesh.agent.resume();
}

/// The whole process for whole rounds, reports and self-checks among them.
fn agent(peers: &Peers, kind: Kind, mesh: &Mesh) -> Duration {
    let tally = peers.tally(kind);
    let counted = |wanted: u64| {
        let now = tally.finished();
        if now >= wanted { Ok(now) } else { Err(format!("{now} of {wanted}")) }
    };
    // What it missed while it was stopped is behind it then.
    let begin = tally.finished() + 3 * u64::from(PEERS);
    let begin = wait_for("the agent is under way", PATIENCE, || counted(begin));
    let (cpu, reports) = (mesh.cpu(), mesh.reports());
    let end = wait_for("the agent has knocked enough", PATIENCE, || counted(begin + u64::from(knocks(kind))));
    let (knocks, cpu, reports) = (end - begin, mesh.cpu().saturating_sub(cpu), mesh.reports() - reports);
    // One may be under way at each end.
    assert!(reports + 2 >= knocks / u64::from(PEERS), "{knocks} knocks made {reports} reports");
    assert!(mesh.unacknowledged() < 10, "the aggregator does not acknowledge");
    cpu / knocks as u32
}

fn bare(peers: &Peers, kind: Kind) -> Duration {
    let mut bare = Command::new(env::current_exe().unwrap());
    bare.args(["bare", kind.as_str(), &peers.address(kind, 0).to_string(), &peers.certificate]);
    let output = bare.arg(knocks(kind).to_string()).output().unwrap();
    assert!(output.status.success(), "the bare loop failed: {}", String::from_utf8_lossy(&output.stderr));
    Duration::from_nanos(String::from_utf8_lossy(&output.stdout).trim().parse().unwrap())
}

fn asked(peers: &Peers, kind: Kind, blackbox: &mut Blackbox) -> Duration {
    let mut ask = |knocks: u16| {
        for number in 0..knocks {
            blackbox.knock(kind, peers.address(kind, number % PEERS));
        }
        blackbox.cpu()
    };
    let cpu = ask(3 * PEERS);
    ask(knocks(kind)).saturating_sub(cpu) / u32::from(knocks(kind))
}
