//! The aggregator's archive of reports, read past the aggregator itself: whether what was acknowledged is there.

use std::process::Command;

use super::{AGGREGATOR, Fleet};
use crate::namespace::program;
use crate::postgres::Postgres;

/// Per server and outbox: the first and last number, and how many there are.
const QUERY: &str =
    "SELECT server, MIN(sequence), MAX(sequence), COUNT(*) FROM reports GROUP BY server, outbox ORDER BY 1";

impl Fleet {
    /// Fails if a number is missing between the first and the last report of any outbox. An agent forgets a report only
    /// when it was acknowledged, and sends in order: so a gap is a report that was acknowledged and lost.
    pub fn assert_no_report_missing(&self, database: Option<&Postgres>) {
        let rows = match database {
            Some(database) => self.output(AGGREGATOR, database.psql(QUERY)),
            None => self.output(AGGREGATOR, self.sqlite(QUERY)),
        };
        let mut reports = 0;
        for row in rows.lines() {
            let fields: Vec<&str> = row.split('|').collect();
            let number = |ix: usize| fields[ix].parse::<u64>().expect("the query's columns are numbers");
            let (first, last, count) = (number(1), number(2), number(3));
            assert_eq!(first, 1, "{}: reports before {first} are missing", fields[0]);
            assert_eq!(last, count, "{}: {} of {last} reports are missing", fields[0], last - count);
            reports += count;
        }
        assert!(rows.lines().count() >= self.members.len(), "reports of few servers only:\n{rows}");
        eprintln!("  {reports} reports in the archive, none missing");
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
