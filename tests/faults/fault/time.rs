//! Processes that stop where they stand (SIGSTOP, as a suspended machine does), and wall clocks that step.
//!
//! A stopped agent accuses nobody and a stopped aggregator takes its own deafness for nobody's silence. Times travel as ages, so
//! a date that jumps changes nothing; an aggregator that is started with an earlier date goes on from the last moment that it
//! has stored.

use std::time::Instant;

use quorate_tests::clock::pass;
use quorate_tests::dice::Dice;
use quorate_tests::fleet::FIVE;
use quorate_tests::wall::Steps;

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

pub fn stops(ask: &Ask) -> Vec<Finding> {
    let times = ask.times(2, 40);
    let mut of_agents = Finding::of("SIGSTOP of all agents, one after the other, up to 5 s", times);
    let mut of_aggregator = Finding::of("SIGSTOP of the aggregator, up to 8 s", times);
    let stage = Stage::open(Stage::prepare(), &[]);
    let mut dice = Dice::new(ask.seed);
    for _ in 0..times {
        for member in FIVE {
            stage.fleet.agent(member.id).pause();
            pass(dice.up_to(PACE.round));
        }
        let mut since = Instant::now();
        for member in FIVE {
            stage.fleet.agent(member.id).resume();
            since = Instant::now();
        }
        of_agents.well.push(stage.all_well(since));
        stage.fleet.pause_aggregator(dice.up_to(PACE.round * 8));
        of_aggregator.well.push(stage.all_well(Instant::now()));
    }
    if ask.form == super::Form::Long {
        // Longer than the silence of an agent that would be told.
        stage.fleet.pause_aggregator(PACE.stale_after + PACE.round * 20);
        of_aggregator.well.push(stage.all_well(Instant::now()));
        of_aggregator.times += 1;
    }
    stage.close(None, &mut of_aggregator);
    vec![of_agents, of_aggregator]
}

pub fn clock_steps(ask: &Ask) -> Vec<Finding> {
    let times = ask.times(1, 10);
    let mut finding = Finding::of("dates of agents and aggregator step by hours, and it is started anew", times);
    let mut fleet = Stage::prepare();
    let [of_aggregator, of_agent] =
        ["aggregator", "agent"].map(|whose| Steps::new(fleet.lab.folder().join(format!("{whose}.clock"))));
    fleet.set_aggregator_variables(&of_aggregator.variables());
    let mut stage = Stage::open(fleet, &[]);
    stage.fleet.take_agent("ru-1").end();
    stage.fleet.start_agent_with("ru-1", &of_agent.variables());
    stage.all_well(Instant::now());
    for _ in 0..times {
        for (aggregators, agents) in [(1, 0), (1, -2), (-1, 3), (-1, 0), (24 * 40, 0), (0, 0)] {
            of_aggregator.set_hours(aggregators);
            of_agent.set_hours(agents);
            let since = Instant::now();
            finding.well.push(stage.all_well(since));
        }
        for hours in [1, -1, 0] {
            of_aggregator.set_hours(hours);
            stage.fleet.kill_aggregator();
            let since = Instant::now();
            stage.fleet.start_aggregator();
            finding.well.push(stage.all_well(since));
        }
    }
    finding.times = finding.well.len();
    stage.close(None, &mut finding);
    vec![finding]
}
