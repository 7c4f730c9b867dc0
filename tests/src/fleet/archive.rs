//! The aggregator's archive of reports, read past the aggregator itself: whether what was acknowledged is there.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::process::Command;

use super::{AGGREGATOR, Fleet};
use crate::namespace::program;
use crate::postgres::Postgres;

/// An agent of the lab keeps one outbox, so its numbers are unique.
const QUERY: &str = "SELECT server, sequence FROM reports ORDER BY server, sequence";

/// A report as the aggregator keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastReport {
    /// Its agent's number for it, from 1.
    pub sequence: u64,
    /// Unix milliseconds.
    pub received_at_ms: u64,
}

/// A session as the aggregator keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastSession {
    /// The other end of its connection: an edge's address, if it came through one.
    pub from: IpAddr,
    /// Unix milliseconds.
    pub opened_at_ms: u64,
    /// When it ended, and why; none while it lives.
    pub closed: Option<(u64, String)>,
}

impl Fleet {
    /// Fails if a number is missing between the first and the last report of any server, or is there twice. An agent forgets
    /// a report only when it was acknowledged, and sends in order: so a gap is a report that was acknowledged and lost.
    pub fn assert_no_report_missing(&self, database: Option<&Postgres>) {
        let rows = match database {
            Some(database) => self.output(AGGREGATOR, database.psql(QUERY)),
            None => self.output(AGGREGATOR, self.sqlite(QUERY)),
        };
        let mut archived: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for (server, sequence) in rows.lines().filter_map(|row| row.split_once('|')) {
            let is_new =
                archived.entry(server).or_default().insert(sequence.parse().expect("a sequence number is a number"));
            assert!(is_new, "{server}: report {sequence} is there twice");
        }
        assert_eq!(archived.len(), self.members.len(), "reports of only: {:?}", archived.keys());
        for (server, sequences) in &archived {
            let last = sequences.last().expect("a server is there for its reports");
            let missing: Vec<u64> = (1..=*last).filter(|sequence| !sequences.contains(sequence)).collect();
            assert!(missing.is_empty(), "{server}: of {last} reports {missing:?} are missing");
        }
        eprintln!("  {} reports in the archive, none missing", rows.lines().count());
    }

    /// The reports of a server, in the order in which they were stored.
    pub fn reports(&self, server: &str) -> Vec<PastReport> {
        let query = "SELECT server, sequence, received_at_ms FROM reports ORDER BY id";
        let rows = self.output(AGGREGATOR, self.sqlite(query));
        let report = |row: &str| {
            let [of, sequence, received] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let number = |text: &str| text.parse().expect("a number is a number");
            (of == server).then(|| PastReport { sequence: number(sequence), received_at_ms: number(received) })
        };
        rows.lines().filter_map(report).collect()
    }

    /// The sessions that a server has had, the oldest first.
    pub fn sessions(&self, server: &str) -> Vec<PastSession> {
        let query = "SELECT server, peer_addr, opened_at_ms, closed_at_ms, reason FROM sessions ORDER BY id";
        let rows = self.output(AGGREGATOR, self.sqlite(query));
        let session = |row: &str| {
            let [of, peer, opened, closed, reason] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let peer: SocketAddr = peer.parse().expect("an address is an address");
            let opened_at_ms = opened.parse().expect("a time is a number");
            // Python's word for a value that is not there.
            let closed = (reason != "None").then(|| (closed.parse().expect("as the other"), reason.to_owned()));
            (of == server).then_some(PastSession { from: peer.ip(), opened_at_ms, closed })
        };
        rows.lines().filter_map(session).collect()
    }

    fn sqlite(&self, query: &str) -> Command {
        // Python has the library built in; the aggregator itself is not asked, since it is what is checked.
        let script = "import sqlite3, sys\n\
            for row in sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute(sys.argv[2]):\n\
            \x20   print('|'.join(map(str, row)))";
        let mut python = Command::new(program("python3"));
        python.args(["-c", script]).arg(self.data_folder().join("quorate.db")).arg(query);
        python
    }
}
