//! What goes over the wire: for a knock, and for a report of as many as a round has at the defaults; beside what the blackbox
//! exporter says of as many.

use std::time::Duration;

use quorate_tests::clock::wait_for;
use serde_json::{Value, json};

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX};
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

const PEERS: u16 = 30;
const INTERVAL: Duration = Duration::from_millis(500);
/// Reports whose bytes are counted.
const REPORTS: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(120);

/// Bytes of a knock of each kind, of a report, and of the answers in its place.
pub fn measure(peers: &Peers) -> Value {
    let mut knocks = serde_json::Map::new();
    let mut per_report = 0;
    for kind in Kind::ALL {
        let mesh = Mesh::start(peers, Work { kind, peers: PEERS, interval: INTERVAL, speed: 1 });
        let tally = peers.tally(kind);
        wait_for("the first round is reported", PATIENCE, || more(mesh.reports(), 3));
        let (reports, bytes) = (mesh.reports(), mesh.line.bytes());
        let (finished, knocked) = (tally.finished(), tally.bytes());
        wait_for("more rounds are reported", PATIENCE, || more(mesh.reports(), reports + REPORTS));
        per_report = (mesh.line.bytes() - bytes) / (mesh.reports() - reports);
        knocks.insert(kind.as_str().to_owned(), ((tally.bytes() - knocked) / (tally.finished() - finished)).into());
    }
    let answers = exporter::version(BLACKBOX).ok().map(|_| {
        let mut blackbox = Blackbox::start();
        (0..PEERS).map(|number| blackbox.knock(Kind::Tls, peers.address(Kind::Tls, number))).sum::<usize>()
    });
    json!({ "knock": knocks, "report": per_report, "answers": answers })
}

fn more(now: u64, wanted: u64) -> Result<(), String> {
    if now >= wanted { Ok(()) } else { Err(format!("{now} of {wanted}")) }
}
