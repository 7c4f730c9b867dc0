//! Each goal from both sides.

use super::*;
use crate::score::tally::Tally;

const HOUR_MS: u64 = 3_600_000;

/// A line whose runs were all like this one.
fn row(scenario: &str, detector: &str, tally: Tally) -> Row {
    Row::new(scenario, detector, "equal_detection", &[&Tally { server_ms: HOUR_MS, ..tally }], 0.0)
}

fn judged(rows: &[Row], aim: Aim) -> Vec<(bool, f64, f64)> {
    let goals = judge(rows, |_| Duration::from_secs(249));
    goals.iter().filter(|goal| goal.aim == aim).map(|goal| (goal.is_met(), goal.measured, goal.allowed)).collect()
}

#[test]
fn one_empty_route_is_one_too_many() {
    let of = |empty_routes| [row("S17b", OURS, Tally { empty_routes, ..Tally::default() })];
    assert_eq!(judged(&of(0), Aim::NoEmptyRoute), [(true, 0.0, 0.0)]);
    assert_eq!(judged(&of(1), Aim::NoEmptyRoute), [(false, 1.0, 0.0)]);
}

#[test]
fn blame_counts_where_it_is_asked_for() {
    let of = |scenario, blamed| [row(scenario, OURS, Tally { incidents: 4, blamed, ..Tally::default() })];
    assert_eq!(judged(&of("S2a", 0), Aim::NoWrongSide), [(true, 0.0, 0.0)]);
    assert_eq!(judged(&of("S2a", 1), Aim::NoWrongSide), [(false, 0.25, 0.0)]);
    assert_eq!(judged(&of("S20", 1), Aim::NoWrongSide), []);
}

#[test]
fn detection_counts_to_the_last_hundredth() {
    let of = |ms, undetected| [row("S1b", OURS, Tally { detection_ms: vec![ms], undetected, ..Tally::default() })];
    assert_eq!(judged(&of(249_000, 0), Aim::QuickDetection), [(true, 249.0, 249.0)]);
    assert_eq!(judged(&of(249_001, 0), Aim::QuickDetection), [(false, 249.001, 249.0)]);
    assert_eq!(judged(&of(100_000, 1), Aim::QuickDetection), [(false, f64::INFINITY, 249.0)]);
    let elsewhere = [row("S5", OURS, Tally { detection_ms: vec![1], ..Tally::default() })];
    assert_eq!(judged(&elsewhere, Aim::QuickDetection), []);
}

#[test]
fn a_tenth_of_the_best_rivals_false_removals_is_allowed() {
    let removals = |detector, false_removals| row("S19a", detector, Tally { false_removals, ..Tally::default() });
    let of = |ours, best| [removals(OURS, ours), removals("slow", best), removals("worse", best + 5)];
    let is_met = |ours, best| judged(&of(ours, best), Aim::FewFalseRemovals)[0].0;
    assert!(is_met(1, 10) && !is_met(2, 10));
    assert!(is_met(0, 0) && !is_met(1, 0));
}

#[test]
fn parts_of_ourselves_are_no_rivals() {
    let removals = |detector, false_removals| row("S19a", detector, Tally { false_removals, ..Tally::default() });
    assert_eq!(judged(&[removals(OURS, 1), removals("quorate-R3-floor", 10)], Aim::FewFalseRemovals), []);
}

#[test]
fn who_waits_for_longer_is_no_match() {
    let crash = |detector, ms| row("S1a", detector, Tally { detection_ms: vec![ms], ..Tally::default() });
    let quiet = |detector, false_removals| row("S19a", detector, Tally { false_removals, ..Tally::default() });
    let of = |ms| {
        [
            crash(OURS, 200_000),
            crash("slow", ms),
            crash("quick", 200_000),
            quiet(OURS, 1),
            quiet("slow", 0),
            quiet("quick", 10),
        ]
    };
    let in_quiet = |ms| judged(&of(ms), Aim::FewFalseRemovals).pop().map(|(met, _, _)| met);
    assert_eq!(in_quiet(260_001), Some(true));
    assert_eq!(in_quiet(260_000), Some(false));
}

#[test]
fn a_kind_of_scenario_is_not_another_that_begins_alike() {
    assert!(is_one_of("S1", &["S1"]) && is_one_of("S1b", &["S1"]));
    assert!(!is_one_of("S12", &["S1"]) && !is_one_of("S12b", &["S1"]));
}
