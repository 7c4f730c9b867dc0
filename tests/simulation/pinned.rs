//! Lists of operations that once found a fault, each with the fault that it found; they stay.

use crate::operation::{Change, Mood, Operation};
use crate::run;

fn holds(operations: &[Operation]) {
    if let Err(wrong) = run(operations) {
        panic!("{wrong}\n\nafter\n{operations:#?}");
    }
}

#[test]
fn a_fleet_to_which_nothing_happens_is_well() {
    holds(&[Operation::Pass { s: 300 }]);
}

/// The same operations are the same run, to the millisecond: else no seed could be repeated.
#[test]
fn two_runs_of_the_same_operations_are_the_same_run() {
    let operations = [
        Operation::Stick { who: 1, s: 20 },
        Operation::DieAt { call: 17, done: true },
        Operation::Pass { s: 90 },
        Operation::CutDown { who: 2, bytes: 40 },
        Operation::Edge { edge: 0, manner: crate::operation::Manner::Silent },
        Operation::Pass { s: 200 },
    ];
    assert_eq!(run(&operations), run(&operations));
}

/// The letter lay there under the old outbox id, and was sent from memory under a new one: after a restart it came again.
#[test]
fn a_letter_whose_name_may_not_last_is_counted_once() {
    holds(&[
        Operation::Disk { who: 5, mood: Mood::Unsure },
        Operation::Pass { s: 70 },
        Operation::KillAgent { who: 5 },
        Operation::StartAgent { who: 5 },
    ]);
}

/// Letters in memory left files behind that nobody counted.
#[test]
fn an_outbox_keeps_its_bounds_while_no_name_lasts() {
    holds(&[Operation::KillAggregator, Operation::Disk { who: 5, mood: Mood::Unsure }, Operation::Pass { s: 400 }]);
}

/// What no checkpoint had was folded over the fleet of the start, to which a neighbour of that time was none.
#[test]
fn a_fleet_that_changes_while_the_aggregator_is_down_changes_no_earlier_round() {
    holds(&[
        Operation::Pass { s: 50 },
        Operation::KillAggregator,
        Operation::Inventory { who: 3, change: Change::Readdress },
        Operation::StartAggregator,
    ]);
}

/// Between a verdict and its being told lie four calls of the store: at each the aggregator may die.
#[test]
fn an_aggregator_may_die_at_any_call_while_a_verdict_rises() {
    for call in 0..12 {
        holds(&[
            Operation::Block { country: 1, target: 0 },
            Operation::Block { country: 2, target: 0 },
            Operation::Pass { s: RISES_AFTER_S },
            Operation::DieAt { call, done: call % 2 == 0 },
            Operation::Pass { s: 30 },
        ]);
    }
}

/// The verdict of that list rises within the second behind it.
const RISES_AFTER_S: u16 = 71;
