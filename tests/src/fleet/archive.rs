//! The aggregator's archive of reports, read past the aggregator itself: whether what was acknowledged is there.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use super::{AGGREGATOR, Fleet};
use crate::namespace::program;
use crate::postgres::Postgres;

/// An agent of the lab keeps one outbox, so its numbers are unique.
const QUERY: &str = "SELECT server, sequence FROM reports ORDER BY server, sequence";

impl Fleet {
    /// Fails if a number is missing between the first and the last report of any server. An agent forgets a report only
    /// when it was acknowledged, and sends in order: so a gap is a report that was acknowledged and lost.
    pub fn assert_no_report_missing(&self, database: Option<&Postgres>) {
        let rows = match database {
            Some(database) => self.output(AGGREGATOR, database.psql(QUERY)),
            None => self.output(AGGREGATOR, self.sqlite(QUERY)),
        };
        let mut archived: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
        for (server, sequence) in rows.lines().filter_map(|row| row.split_once('|')) {
            archived.entry(server).or_default().insert(sequence.parse().expect("a sequence number is a number"));
        }
        assert_eq!(archived.len(), self.members.len(), "reports of only: {:?}", archived.keys());
        for (server, sequences) in &archived {
            let last = sequences.last().expect("a server is there for its reports");
            let missing: Vec<u64> = (1..=*last).filter(|sequence| !sequences.contains(sequence)).collect();
            assert!(missing.is_empty(), "{server}: of {last} reports {missing:?} are missing");
        }
        eprintln!("  {} reports in the archive, none missing", rows.lines().count());
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
