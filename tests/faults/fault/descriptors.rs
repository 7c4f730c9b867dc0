//! No descriptor left: for an agent, and for the aggregator. What is open stays open, and nothing more can be opened.
//!
//! An agent cannot knock then, which is its own trouble and evidence against nobody (R1); its session is open and goes on. An
//! aggregator takes nobody in, and keeps those whom it has.

use std::time::{Duration, Instant};

use quorate_tests::clock::{pass, wait_for};
use quorate_tests::vitals::{Vitals, limit_descriptors};

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

/// Who has none left, and one who wants in meanwhile.
const AGENT: &str = "ru-1";
const NEWCOMER: &str = "de-1";
/// Numbers below it are in use from the start, so this leaves nothing.
const NONE_LEFT: usize = 3;
/// As many as a process may have by default.
const ENOUGH: usize = 1024;
/// What a process may have more afterwards: a pool that opens a connection later than at its start.
const MORE_AFTERWARDS: f64 = 4.0;

pub fn run(ask: &Ask) -> Vec<Finding> {
    vec![of_an_agent(ask), of_the_aggregator(ask)]
}

fn of_an_agent(ask: &Ask) -> Finding {
    let times = ask.times(1, 20);
    let mut finding = Finding::of("no descriptors left in an agent", times);
    let stage = Stage::open(Stage::prepare(), &[]);
    let before = Vitals::of(stage.fleet.agent(AGENT).pid());
    for _ in 0..times {
        limit_descriptors(stage.fleet.agent(AGENT).pid(), NONE_LEFT);
        wait_knocks(&stage, "a whole round is inconclusive", |outcome| outcome == "inconclusive");
        for _ in 0..3 {
            stage.fleet.wait_reports_of(&[AGENT]);
        }
        limit_descriptors(stage.fleet.agent(AGENT).pid(), ENOUGH);
        let since = Instant::now();
        wait_knocks(&stage, "no knock is", |outcome| outcome != "inconclusive");
        finding.well.push(since.elapsed());
    }
    let after = Vitals::of(stage.fleet.agent(AGENT).pid());
    finding.at_most(
        "descriptors more than before",
        after.descriptors as f64 - before.descriptors as f64,
        MORE_AFTERWARDS,
    );
    stage.close(None, &mut finding);
    finding
}

/// Waits until all outcomes of the agent's last round are so.
fn wait_knocks(stage: &Stage, what: &str, is_so: impl Fn(&str) -> bool) {
    wait_for(what, Duration::from_secs(60), || {
        let report = stage.fleet.server(AGENT)?["last_report"].take();
        let outcomes = report["outcomes"].as_array().ok_or("no outcomes")?;
        let all =
            !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome["outcome"].as_str().is_some_and(&is_so));
        if all { Ok(()) } else { Err(report["outcomes"].to_string()) }
    });
}

fn of_the_aggregator(ask: &Ask) -> Finding {
    let times = ask.times(1, 20);
    let lasts = PACE.round * 5;
    let mut finding = Finding::of("no descriptors left in the aggregator", times);
    let mut stage = Stage::open(Stage::prepare(), &[]);
    let before = Vitals::of(stage.fleet.aggregator().pid());
    for _ in 0..times {
        limit_descriptors(stage.fleet.aggregator().pid(), NONE_LEFT);
        stage.fleet.take_agent(NEWCOMER).kill();
        stage.fleet.start_agent(NEWCOMER);
        pass(lasts);
        limit_descriptors(stage.fleet.aggregator().pid(), ENOUGH);
        let since = Instant::now();
        stage.fleet.wait_ready();
        finding.well.push(stage.all_well(since));
    }
    let after = Vitals::of(stage.fleet.aggregator().pid());
    finding.at_most(
        "descriptors more than before",
        after.descriptors as f64 - before.descriptors as f64,
        MORE_AFTERWARDS,
    );
    stage.close(None, &mut finding);
    finding
}
