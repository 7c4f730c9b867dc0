//! What holds of every scenario.

use std::collections::BTreeSet;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::EntryIx;
use quorate_core::ledger::Ledger;
use quorate_core::time::Moment;

use crate::tape::{Setting, Step, Tape, Timed};

#[test]
fn a_crash_is_found_and_healed() {
    let scenario = super::find("S1a").expect("it is there");
    let mut tape = scenario.tape(1);
    let Setting { mut fleet, policy, .. } = tape.setting().clone();
    let (mut ledger, mut evaluator) = (Ledger::new(&fleet, Moment::ZERO), Evaluator::default());
    let mut lost: Vec<(Moment, Vec<EntryIx>)> = Vec::new();
    for Timed { at, step } in tape.by_ref() {
        match step {
            Step::Report(report) => {
                ledger.fold(&fleet, &policy, &report);
            }
            Step::Fleet(next) => {
                ledger = ledger.over(&fleet, &next, at);
                fleet = next;
                evaluator = Evaluator::default();
            }
            Step::Resumed => ledger.resume(at),
            Step::Judge => {
                evaluator.evaluate(&fleet, &policy, &mut ledger, at);
                let verdicts = evaluator.verdicts();
                let now = fleet.entry_ixs().filter(|ix| verdicts.entry_points[ix.at()].state().tier() > 1).collect();
                if lost.last().is_none_or(|(_, last)| *last != now) {
                    lost.push((at, now));
                }
            }
        }
    }
    let dead: BTreeSet<EntryIx> = tape.truth().turns.iter().map(|turn| turn.entry_point).collect();
    let found: BTreeSet<EntryIx> = lost.iter().flat_map(|(_, lost)| lost.iter().copied()).collect();
    assert_eq!(found, dead);
    assert!(lost.last().is_some_and(|(_, lost)| lost.is_empty()), "all is well at the end");
}
