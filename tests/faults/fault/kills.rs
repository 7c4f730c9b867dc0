//! SIGKILL at random instants while reports flow: of all agents, then of the aggregator, and again. One strike in four at
//! the aggregator is followed by another while it is still starting.
//!
//! An agent that is started anew begins with its shortest pause, so each kill of the aggregator meets the agents as ordinary
//! life has them. One that is killed every few seconds meets ever more patient ones: they dial again within a minute.

use std::time::{Duration, Instant};

use quorate_tests::clock::pass;
use quorate_tests::dice::Dice;
use quorate_tests::fleet::FIVE;

use super::finding::Finding;
use super::stage::Stage;
use super::{Ask, PACE};

/// An aggregator reads its checkpoint and folds what came after it within this.
const STARTING: Duration = Duration::from_millis(400);
/// Age of a session that is broken off, at least: older than the longest first pause, so that the next one is short too.
const CALM: Duration = Duration::from_millis(1100);

pub fn run(ask: &Ask) -> Vec<Finding> {
    let times = ask.times(4, 200);
    let mut of_agents = Finding::of("kill -9 of an agent", 0);
    let mut of_aggregator = Finding::of("kill -9 of the aggregator", times);
    let mut stage = Stage::open(Stage::prepare(), &[]);
    let mut dice = Dice::new(ask.seed);
    let mut killed = 0;
    while killed < times {
        pass(dice.up_to(PACE.round));
        for member in FIVE {
            let since = Instant::now();
            stage.fleet.take_agent(member.id).kill();
            stage.fleet.start_agent(member.id);
            of_agents.well.push(stage.well(since, &[member.id]));
        }
        pass(CALM + dice.up_to(PACE.round));
        let mut since = Instant::now();
        stage.fleet.kill_aggregator();
        stage.fleet.spawn_aggregator();
        killed += 1;
        if killed < times && dice.throw().is_multiple_of(4) {
            pass(dice.up_to(STARTING));
            since = Instant::now();
            stage.fleet.kill_aggregator();
            stage.fleet.spawn_aggregator();
            killed += 1;
        }
        stage.fleet.wait_ready();
        of_aggregator.well.push(stage.all_well(since));
    }
    of_agents.times = of_agents.well.len();
    // Both were done to the same reports: whatever is wrong with them is told of the one that keeps them.
    stage.close(None, &mut of_aggregator);
    vec![of_agents, of_aggregator]
}
