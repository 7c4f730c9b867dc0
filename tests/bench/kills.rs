//! The edge under a session is killed, again and again: how long until the aggregator has the next report.
//!
//! The agent is on one of three edges. That one's HAProxy is killed (SIGKILL), the agent goes to another one, the dead one
//! is started again, and the next run kills the edge that the agent is on by then. Both ends of the time are of the machine
//! that all of it runs on: its wall clock at the kill, and the time of receipt that the aggregator stored with the report.

use std::collections::BTreeSet;
use std::time::Duration;

use quorate_tests::clock::{pass, unix_ms, wait_for};
use quorate_tests::fleet::{EDGE_ROUND, Fleet, PastReport};

use crate::AGENT;
use crate::remembered::{Remembered, edge};

/// How many edges there are to go to.
const EDGES: usize = 3;
/// No report for this long is no answer. Twice what is promised of a loss that only silence tells.
const ANSWER_AT_MOST: Duration = Duration::from_secs(60);
/// Age of a session that is killed, at least: older than the longest pause after one error (2 s), so that each run begins,
/// as in ordinary life, with the shortest.
const CALM: Duration = Duration::from_millis(2500);

/// What came of it.
pub struct Kills {
    /// From each kill to the next report, in the order of the runs.
    pub took_ms: Vec<u64>,
    /// Numbers missing in the archive between the first and the last.
    pub lost: usize,
    /// Reports in it beyond one of each number.
    pub doubled: usize,
}

/// Kills `runs` times.
pub fn measure(fleet: &mut Fleet, runs: u32) -> Kills {
    fleet.take_agent(AGENT).end();
    let remembered = Remembered::make(fleet, EDGES);
    remembered.restore(fleet);
    fleet.start_agent(AGENT);
    fleet.wait_by(AGENT, remembered.best, &["first"]);
    fleet.wait_all_report();

    let killed_at_ms: Vec<u64> = (0..runs)
        .map(|run| {
            eprintln!("kill {} of {runs}", run + 1);
            // Spread evenly over the time between two reports.
            kill(fleet, EDGE_ROUND * run / runs)
        })
        .collect();
    let reports = fleet.reports(AGENT);
    let opened_at_ms: Vec<u64> = fleet.sessions(AGENT).iter().map(|session| session.opened_at_ms).collect();
    fleet.take_agent(AGENT).end();
    let took_ms = killed_at_ms.iter().map(|killed| next_report_ms(*killed, &opened_at_ms, &reports) - killed).collect();
    let numbers: BTreeSet<u64> = reports.iter().map(|report| report.sequence).collect();
    let last = numbers.last().copied().unwrap_or_default() as usize;
    Kills { took_ms, lost: last - numbers.len(), doubled: reports.len() - numbers.len() }
}

/// One run, ended when all is as before but for the agent's place; when the edge was killed.
fn kill(fleet: &mut Fleet, phase: Duration) -> u64 {
    let from = fleet.comes_from(AGENT).expect("the agent has a session");
    let used = edge(fleet, from);
    pass(CALM + phase);
    assert_eq!(fleet.comes_from(AGENT), Ok(from), "the session stands until it is broken");
    let killed_at_ms = unix_ms();
    fleet.edges[used].kill(&fleet.lab);
    wait_for("its session goes by another edge", ANSWER_AT_MOST, || match fleet.comes_from(AGENT)? {
        now if now != from => Ok(()),
        _ => Err(format!("it still comes from {from}")),
    });
    fleet.wait_reports_of_all(1);
    fleet.edges[used].restart(&fleet.lab);
    killed_at_ms
}

/// The first report of the first session after the kill: what was under way on the old one is not counted for it.
fn next_report_ms(killed_at_ms: u64, opened_at_ms: &[u64], reports: &[PastReport]) -> u64 {
    let opened = opened_at_ms.iter().copied().find(|opened| *opened >= killed_at_ms);
    let opened = opened.expect("a session was seen after each kill");
    let received = reports.iter().map(|report| report.received_at_ms).filter(|received| *received >= opened).min();
    received.expect("reports were seen after each kill")
}
