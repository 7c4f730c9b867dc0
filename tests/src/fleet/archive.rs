//! The aggregator's archive of reports, read past the aggregator itself: whether what was acknowledged is there.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::process::Command;

use super::{AGGREGATOR, Fleet};
use crate::namespace::program;
use crate::postgres::Postgres;

/// A report as it lies in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// Its place in the order in which it was folded.
    pub id: u64,
    /// Whose.
    pub server: String,
    /// The outbox that it came from, in hexadecimal.
    pub outbox: String,
    /// Its agent's number for it, from 1. An agent counts on when its outbox begins anew.
    pub sequence: u64,
    /// Unix milliseconds.
    pub observed_at_ms: u64,
    /// Unix milliseconds.
    pub received_at_ms: u64,
    /// The message as it came.
    pub payload: Vec<u8>,
}

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
    /// All reports, in the order in which they were folded.
    pub fn archive(&self, database: Option<&Postgres>) -> Vec<Archived> {
        let query = |hex: fn(&str) -> String| {
            let (outbox, payload) = (hex("outbox"), hex("payload"));
            let columns = format!("id, server, {outbox}, sequence, observed_at_ms, received_at_ms, {payload}");
            format!("SELECT {columns} FROM reports ORDER BY id")
        };
        let rows = match database {
            Some(database) => self.output(AGGREGATOR, database.psql(&query(|bytes| format!("encode({bytes}, 'hex')")))),
            None => self.output(AGGREGATOR, self.sqlite(&query(|bytes| format!("lower(hex({bytes}))")))),
        };
        rows.lines().filter(|row| !row.is_empty()).map(archived).collect()
    }

    /// What is missing between the first and the last report of any server, or is there twice. An agent forgets a report only
    /// when it was acknowledged, and sends in order: so a gap is a report that was acknowledged and lost.
    pub fn gaps(&self, archive: &[Archived]) -> Vec<String> {
        let mut gaps = Vec::new();
        for member in &self.members {
            let (mut numbers, mut letters) = (BTreeSet::new(), BTreeSet::new());
            for report in archive.iter().filter(|report| report.server == member.id) {
                numbers.insert(report.sequence);
                if !letters.insert((&report.outbox, report.sequence)) {
                    gaps.push(format!("{}: report {} is there twice", member.id, report.sequence));
                }
            }
            let last = numbers.last().copied().unwrap_or_default();
            if last == 0 {
                gaps.push(format!("{}: no report at all", member.id));
            }
            let missing = (1..=last).filter(|number| !numbers.contains(number));
            gaps.extend(missing.map(|number| format!("{}: report {number} of {last} is missing", member.id)));
        }
        gaps
    }

    /// Fails if there is a gap.
    pub fn assert_no_report_missing(&self, database: Option<&Postgres>) {
        let archive = self.archive(database);
        let gaps = self.gaps(&archive);
        assert!(gaps.is_empty(), "{}", gaps.join("\n"));
        eprintln!("  {} reports in the archive, none missing", archive.len());
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

fn archived(row: &str) -> Archived {
    let [id, server, outbox, sequence, observed, received, payload] = row.split('|').collect::<Vec<_>>()[..] else {
        panic!("{row}")
    };
    let number = |text: &str| text.parse().expect("a number is a number");
    let byte = |at: usize| u8::from_str_radix(&payload[at..at + 2], 16).expect("hexadecimal is hexadecimal");
    Archived {
        id: number(id),
        server: server.to_owned(),
        outbox: outbox.to_owned(),
        sequence: number(sequence),
        observed_at_ms: number(observed),
        received_at_ms: number(received),
        payload: (0..payload.len()).step_by(2).map(byte).collect(),
    }
}
