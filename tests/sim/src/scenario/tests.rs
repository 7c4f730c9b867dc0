//! What holds of every scenario.

use std::collections::BTreeSet;

use quorate_core::fleet::EntryIx;
use quorate_core::time::Moment;

use super::{all, find};
use crate::engine::Engine;
use crate::tape::{Step, Tape, Timed};

#[test]
fn a_crash_is_found_and_healed() {
    let scenario = find("S1a").expect("it is there");
    let mut tape = scenario.tape(1);
    let mut engine = Engine::new(tape.setting());
    let mut lost: Vec<(Moment, Vec<EntryIx>)> = Vec::new();
    for Timed { at, step } in tape.by_ref() {
        engine.take(at, &step);
        if matches!(step, Step::Judge) {
            let verdicts = engine.evaluator.verdicts();
            let now = engine.fleet.entry_ixs().filter(|ix| verdicts.entry_points[ix.at()].state().tier() > 1).collect();
            if lost.last().is_none_or(|(_, last)| *last != now) {
                lost.push((at, now));
            }
        }
    }
    let dead: BTreeSet<EntryIx> = tape.truth().turns.iter().map(|turn| turn.entry_point).collect();
    let found: BTreeSet<EntryIx> = lost.iter().flat_map(|(_, lost)| lost.iter().copied()).collect();
    assert_eq!(found, dead);
    assert!(lost.last().is_some_and(|(_, lost)| lost.is_empty()), "all is well at the end");
}

#[test]
fn each_has_an_id_of_its_own() {
    let ids: BTreeSet<&str> = all().iter().map(|scenario| scenario.id).collect();
    assert_eq!(ids.len(), all().len());
    let numbers: BTreeSet<u32> =
        ids.iter().map(|id| id.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0)).collect();
    assert_eq!(numbers, (1..=21).collect());
}
