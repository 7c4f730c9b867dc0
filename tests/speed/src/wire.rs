//! What goes over the wire: for a knock, and for a report of as many as a round has at the defaults; beside what the blackbox
//! exporter says of as many.

use std::time::Duration;

use quorate_tests::clock::wait_for;

use crate::blackbox::Blackbox;
use crate::exporter::{self, BLACKBOX};
use crate::figure;
use crate::kind::Kind;
use crate::mesh::{Mesh, Work};
use crate::peers::Peers;

const PEERS: u16 = 30;
const INTERVAL: Duration = Duration::from_secs(1);
/// Reports whose bytes are counted.
const REPORTS: u64 = 10;
const PATIENCE: Duration = Duration::from_secs(120);

/// Bytes both ways: `bytes ‹kind›` of a knock, `bytes report` of a report and its receipt, `bytes answers` of what the
/// exporter says in its place.
pub fn measure(peers: &Peers) {
    for kind in [Kind::Tls, Kind::Quic] {
        // As for processor time: what is waited for after a QUIC connection is cut short.
        let speed = if kind == Kind::Quic { 25 } else { 1 };
        let mesh = Mesh::start(peers, Work { kind, peers: PEERS, interval: INTERVAL, speed });
        let tally = peers.tally(kind);
        let reported = |wanted: u64| {
            let now = mesh.reports();
            if now >= wanted { Ok(now) } else { Err(format!("{now} of {wanted}")) }
        };
        let begin = wait_for("the first rounds are reported", PATIENCE, || reported(3));
        let (line, knocks, knocked) = (mesh.line.bytes(), tally.finished(), tally.bytes());
        let end = wait_for("more rounds are reported", PATIENCE, || reported(begin + REPORTS));
        figure::count(&format!("bytes {}", kind.as_str()), (tally.bytes() - knocked) / (tally.finished() - knocks), "");
        if kind == Kind::Tls {
            figure::count("bytes report", (mesh.line.bytes() - line) / (end - begin), "");
        }
    }
    let mut blackbox = Blackbox::start(peers);
    let answers = (0..PEERS).map(|number| blackbox.knock(Kind::Tls, peers.address(Kind::Tls, number)) as u64);
    figure::count("bytes answers", answers.sum(), &exporter::version(BLACKBOX));
}
