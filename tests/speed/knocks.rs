//! Processor time per knock: the whole agent, the bare handshake, the blackbox exporter, in turns.

use std::env;
use std::process::Command;
use std::time::Duration;

use quorate_tests::clock::wait_for;
use serde_json::{Value, json};

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX};
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

/// What an agent knocks on in a round at the defaults, and so how many knocks share a report and a self-check.
const PEERS: u16 = 30;
/// A round of them, 240 times shorter than at the defaults: a busy machine still has the time to report each.
const INTERVAL: Duration = Duration::from_millis(250);
/// Each of the three is measured so often.
const TURNS: usize = 5;
/// Knocks in each.
const KNOCKS: u32 = 750;
/// Knocks that go before each, for whoever was just woken.
const WARM_UP: u64 = 3 * PEERS as u64;
const PATIENCE: Duration = Duration::from_secs(120);

/// A row for each kind.
pub fn measure(peers: &Peers) -> Vec<Value> {
    Kind::ALL.into_iter().map(|kind| row(peers, kind)).collect()
}

fn row(peers: &Peers, kind: Kind) -> Value {
    let mesh = Mesh::start(peers, Work { kind, peers: PEERS, interval: INTERVAL, speed: 1 });
    let version = exporter::version(BLACKBOX);
    let mut blackbox = match (&version, kind) {
        (Ok(_), Kind::Tls | Kind::Tcp) => Some(Blackbox::start()),
        (Err(_), _) | (_, Kind::Quic) => None,
    };
    let (mut agent, mut bare, mut black) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        mesh.agent.resume();
        let (per_knock, reports) = agent_turn(peers, kind, &mesh);
        agent.push(per_knock);
        mesh.agent.pause();
        bare.push(bare_turn(peers, kind));
        black.extend(blackbox.as_mut().map(|blackbox| blackbox_turn(peers, kind, blackbox)));
        eprintln!(
            "{kind:?}: agent {per_knock:?} ({reports} reports), bare {:?}, blackbox {:?}",
            bare.last(),
            black.last()
        );
    }
    mesh.agent.resume();
    let (agent, bare) = (median(agent), median(bare));
    json!({ "name": kind.as_str(), "agent": agent.as_nanos() as u64, "bare": bare.as_nanos() as u64,
            "blackbox": if black.is_empty() { Value::Null } else { (median(black).as_nanos() as u64).into() } })
}

fn agent_turn(peers: &Peers, kind: Kind, mesh: &Mesh) -> (Duration, u64) {
    let tally = peers.tally(kind);
    let begin = tally.finished() + WARM_UP;
    wait_for("the agent is under way", PATIENCE, || reached(tally.finished(), begin));
    let (knocks, cpu, reports) = (tally.finished(), mesh.cpu(), mesh.reports());
    wait_for("the agent has knocked enough", PATIENCE, || reached(tally.finished(), knocks + u64::from(KNOCKS)));
    let (knocks, cpu, reports) = (tally.finished() - knocks, mesh.cpu() - cpu, mesh.reports() - reports);
    // One may be under way at each end.
    assert!(reports + 2 >= knocks / u64::from(PEERS), "{knocks} knocks make {reports} reports");
    assert!(mesh.unacknowledged() < 10, "the aggregator does not acknowledge");
    (cpu / knocks as u32, reports)
}

fn reached(now: u64, wanted: u64) -> Result<(), String> {
    if now >= wanted { Ok(()) } else { Err(format!("{now} of {wanted}")) }
}

fn bare_turn(peers: &Peers, kind: Kind) -> Duration {
    let mut bare = Command::new(env::current_exe().unwrap());
    bare.args(["bare", kind.as_str(), &peers.address(kind, 0).to_string(), &peers.certificate, &KNOCKS.to_string()]);
    let output = bare.output().unwrap();
    assert!(output.status.success(), "the bare loop failed: {}", String::from_utf8_lossy(&output.stderr));
    Duration::from_nanos(String::from_utf8_lossy(&output.stdout).trim().parse().unwrap())
}

fn blackbox_turn(peers: &Peers, kind: Kind, blackbox: &mut Blackbox) -> Duration {
    let knock = |blackbox: &mut Blackbox, number| {
        blackbox.knock(kind, peers.address(kind, (number % u32::from(PEERS)) as u16));
    };
    (0..WARM_UP as u32).for_each(|number| knock(blackbox, number));
    let cpu = blackbox.cpu();
    (0..KNOCKS).for_each(|number| knock(blackbox, number));
    (blackbox.cpu() - cpu) / KNOCKS
}

fn median(mut spans: Vec<Duration>) -> Duration {
    spans.sort_unstable();
    spans[spans.len() / 2]
}
