//! Plays a scenario to Quorate and prints what befell the fleet, what was true, and what was said, by time.
//!
//! `cargo run --release -p quorate-sim --bin play -- S8a 7` plays S8a of seed 7; without a scenario it lists them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command's answer goes to the terminal")]

use std::collections::BTreeMap;
use std::process::ExitCode;

use quorate_core::fleet::{EntryIx, Fleet};
use quorate_core::time::Moment;
use quorate_core::verdict::State;
use quorate_sim::engine::Engine;
use quorate_sim::scenario::{self, Scenario};
use quorate_sim::tape::{Step, Tape as _, Timed};

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(id) = words.next() else {
        for Scenario { id, name, about, truth, .. } in scenario::all() {
            println!("{id:5} {name}\n      {about}\n      {truth}");
        }
        return ExitCode::SUCCESS;
    };
    let Some(scenario) = scenario::find(&id) else {
        eprintln!("there is no scenario {id}: name one of those that are listed without a name");
        return ExitCode::FAILURE;
    };
    let seed = words.next().map_or(Ok(1), |word| word.parse());
    let Ok(seed) = seed else {
        eprintln!("the seed is no number: use one from 0 on");
        return ExitCode::FAILURE;
    };
    play(scenario, seed);
    ExitCode::SUCCESS
}

fn play(scenario: &Scenario, seed: u64) {
    println!("{} {} of seed {seed}: {}\n{}", scenario.id, scenario.name, scenario.about, scenario.truth);
    let mut lines: Vec<(Moment, String)> = Vec::new();
    for operation in &scenario.blueprint(seed).operations {
        lines.push((
            operation.begins_at(),
            format!("befalls  {:?} for {} s", operation.trouble, operation.lasts_ms / 1_000),
        ));
    }
    let mut tape = scenario.tape(seed);
    let setting = tape.setting().clone();
    let mut engine = Engine::new(&setting);
    let mut said: BTreeMap<EntryIx, State> = BTreeMap::new();
    let (mut reports, mut outcomes, mut judged) = (0_u64, 0_u64, 0_u64);
    for Timed { at, step } in tape.by_ref() {
        engine.take(at, &step);
        match step {
            Step::Report(report) => {
                reports += 1;
                outcomes += report.outcomes.len() as u64;
            }
            Step::Judge => {
                judged += 1;
                let fleet = engine.fleet.clone();
                let verdicts = engine.evaluator.verdicts();
                for ix in fleet.entry_ixs() {
                    let state = verdicts.entry_points[ix.at()].state();
                    let before = said.insert(ix, state).unwrap_or(State::Clear);
                    if before != state {
                        lines.push((
                            at,
                            format!("says     {} {} (was {})", name(&fleet, ix), state.as_str(), before.as_str()),
                        ));
                    }
                }
            }
            Step::Fleet(_) => lines.push((at, "befalls  the inventory is replaced".to_owned())),
            Step::Resumed => lines.push((at, "befalls  the aggregator listens again".to_owned())),
        }
    }
    for turn in &tape.truth().turns {
        lines.push((turn.at, format!("is true  {} {:?}", name(&setting.fleet, turn.entry_point), turn.plight)));
    }
    lines.sort_by_key(|(at, _)| *at);
    for (at, line) in lines {
        println!("{:>7}.{} s  {line}", at.as_ms() / 1_000, at.as_ms() % 1_000 / 100);
    }
    println!("{reports} reports with {outcomes} outcomes, {judged} evaluations");
}

fn name(fleet: &Fleet, ix: EntryIx) -> &str {
    &fleet.entry_point(ix).id
}
