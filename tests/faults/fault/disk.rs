//! Full disks, and space again: under an agent's outbox, and under the aggregator's database.
//!
//! An agent whose disk takes nothing keeps its reports in memory and sends them as ever. An aggregator whose disk takes
//! nothing acknowledges nothing: the agents keep their reports, and nobody's silence means anything meanwhile.

use std::time::{Duration, Instant};

use quorate_tests::clock::{pass, wait_for};
use quorate_tests::disk::SmallDisk;

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

/// An agent's outbox takes 16 MiB at most, and nothing of it here is ever long.
const AGENTS_BYTES: u64 = 4 << 20;
/// The archive of a few minutes, SQLite's log beside it.
const AGGREGATORS_BYTES: u64 = 64 << 20;
/// Who has the small disk.
const AGENT: &str = "ru-1";
/// A program that meets a full disk with each report says so when it begins and when it is over, not each time.
const LINES_A_FILL: f64 = 2.0;
/// Of an aggregator: that, its pause, a session of each agent and the broken ones of before, and `/readyz` that is asked.
const LINES_OF_THE_AGGREGATOR: f64 = 40.0;

pub fn run(ask: &Ask) -> Vec<Finding> {
    vec![under_an_outbox(ask), under_the_database(ask)]
}

fn under_an_outbox(ask: &Ask) -> Finding {
    let times = ask.times(2, 20);
    let mut finding = Finding::of("disk full under an agent's outbox", times);
    let fleet = Stage::prepare();
    let disk = SmallDisk::mount(&fleet.agent_data(AGENT), AGENTS_BYTES);
    let stage = Stage::open(fleet, &[]);
    let lines_before = stage.fleet.agent_log(AGENT).lines().count();
    for _ in 0..times {
        // It reports all the same; what an acknowledged report gives back, somebody else takes.
        for _ in 0..4 {
            disk.fill();
            stage.fleet.wait_reports_of(&[AGENT]);
        }
        disk.free();
        finding.well.push(stage.well(Instant::now(), &[AGENT]));
    }
    let lines = stage.fleet.agent_log(AGENT).lines().count() - lines_before;
    finding.at_most("log lines a fill", lines as f64 / times as f64, LINES_A_FILL);
    stage.close(None, &mut finding);
    finding
}

fn under_the_database(ask: &Ask) -> Finding {
    let times = ask.times(1, 10);
    // Longer than `stale_after` in the long form: then silence would be told, if it meant anything.
    let lasts = ask.times(PACE.round * 6, PACE.stale_after + PACE.round * 20);
    let mut finding =
        Finding::of(format!("disk full under the aggregator's database for {} s", lasts.as_secs()), times);
    let fleet = Stage::prepare();
    let disk = SmallDisk::mount(&fleet.data_folder(), AGGREGATORS_BYTES);
    let stage = Stage::open(fleet, &[]);
    let lines_before = stage.fleet.aggregator_log().lines().count();
    for _ in 0..times {
        disk.fill();
        let began = Instant::now();
        wait_for("the aggregator says that it is not ready", Duration::from_secs(30), || {
            match stage.fleet.ready()? {
                200 => Err("it is".to_owned()),
                _ => Ok(()),
            }
        });
        pass(lasts.saturating_sub(began.elapsed()));
        disk.free();
        finding.well.push(stage.all_well(Instant::now()));
    }
    let lines = stage.fleet.aggregator_log().lines().count() - lines_before;
    finding.at_most("log lines a fill", lines as f64 / times as f64, LINES_OF_THE_AGGREGATOR);
    stage.close(None, &mut finding);
    finding
}
