//! A PostgreSQL that is killed, that stops where it stands, and that is far away.
//!
//! Reports are acknowledged when they are stored, so whatever the database does, what it does not have the agents have. What
//! was found stays what it was: nobody is silent to an aggregator that can take in nothing.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use quorate_tests::clock::pass;
use quorate_tests::dice::Dice;
use quorate_tests::edge::delay::{self, Delay};
use quorate_tests::fleet::{AGGREGATOR, FIVE};
use quorate_tests::postgres::Postgres;
use quorate_tests::vitals::children;

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

/// As long as a database takes to be started by whoever sees to it.
const RESTARTED_WITHIN: Duration = Duration::from_secs(2);
/// One way: a database in another country.
const FAR: Duration = Duration::from_millis(50);

pub fn run(ask: &Ask) -> Vec<Finding> {
    vec![killed(ask), stopped(ask), far_away(ask)]
}

fn killed(ask: &Ask) -> Finding {
    let times = ask.times(3, 200);
    let mut finding = Finding::of("kill -9 of the database", times);
    let mut fleet = Stage::prepare();
    let mut database = Postgres::start(&fleet.lab, AGGREGATOR);
    fleet.keep_in(database.url());
    let mut stage = Stage::open(fleet, &[]);
    let mut dice = Dice::new(ask.seed);
    for _ in 0..times {
        // Agents that were refused before are as patient as that made them: fresh ones are not.
        for member in FIVE {
            stage.fleet.take_agent(member.id).kill();
            stage.fleet.start_agent(member.id);
        }
        stage.all_well(Instant::now());
        pass(PACE.round + dice.up_to(PACE.round));
        database.kill();
        pass(dice.up_to(RESTARTED_WITHIN));
        database.restart(&stage.fleet.lab);
        finding.well.push(stage.all_well(Instant::now()));
    }
    stage.close(Some(&database), &mut finding);
    finding
}

fn stopped(ask: &Ask) -> Finding {
    let times = ask.times(1, 3);
    // Longer than `stale_after` in the long form: then silence would be told, if it meant anything.
    let lasts = ask.times(PACE.round * 8, PACE.stale_after + PACE.round * 20);
    let mut finding = Finding::of(format!("SIGSTOP of the database for {} s", lasts.as_secs()), times);
    let mut fleet = Stage::prepare();
    let database = Postgres::start(&fleet.lab, AGGREGATOR);
    fleet.keep_in(database.url());
    let stage = Stage::open(fleet, &[]);
    for _ in 0..times {
        let processes = [children(database.pid()), vec![database.pid()]].concat();
        // One of its children may have ended by itself since they were listed.
        let all = |signal| {
            for pid in &processes {
                let _ = kill(*pid, signal);
            }
        };
        all(Signal::SIGSTOP);
        pass(lasts);
        all(Signal::SIGCONT);
        finding.well.push(stage.all_well(Instant::now()));
    }
    let seen = stage.close(Some(&database), &mut finding);
    finding.figures.push(("longest without an answer of the API, s".to_owned(), seen.silent_for.as_secs_f64()));
    finding
}

fn far_away(ask: &Ask) -> Finding {
    let lasts = PACE.round * ask.times(8, 120);
    let mut finding = Finding::of(format!("a database {} ms away for {} s", 2 * FAR.as_millis(), lasts.as_secs()), 1);
    let mut fleet = Stage::prepare();
    let database = Postgres::start(&fleet.lab, AGGREGATOR);
    let relay = Delay::start(&fleet.lab, AGGREGATOR, database.addr(), Duration::ZERO);
    fleet.keep_in(database.url_through(delay::PORT));
    let stage = Stage::open(fleet, &[]);
    relay.set(FAR);
    let until = Instant::now() + lasts;
    let mut rounds = 0;
    while Instant::now() < until {
        stage.fleet.wait_reports_of_all(1);
        rounds += 1;
    }
    relay.set(Duration::ZERO);
    finding.well.push(stage.all_well(Instant::now()));
    finding.figures.push(("rounds of all meanwhile".to_owned(), f64::from(rounds)));
    stage.close(Some(&database), &mut finding);
    finding
}
