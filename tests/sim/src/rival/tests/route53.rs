//! Route 53: 18 % of the checkers, three results in a row, and no route without records.

use super::{NOBODY, Play, dead, fleet, plain, seen_down, well};
use crate::rival::Kind;

#[test]
fn eighteen_percent_of_the_checkers_are_too_few_and_a_few_more_are_enough() {
    // 50 checkers of server 0: 9 are exactly 18 %.
    let mut nine = Play::of(Kind::Route53, &plain(51));
    assert_eq!(nine.rounds(3, seen_down(|witness| witness > 9, 0)), [NOBODY, NOBODY, vec![0]]);
    let mut ten = Play::of(Kind::Route53, &plain(51));
    assert_eq!(ten.rounds(5, seen_down(|witness| witness > 10, 0)).last(), Some(&NOBODY));
}

#[test]
fn a_checker_changes_its_mind_after_three_results_in_both_directions() {
    let mut play = Play::of(Kind::Route53, &plain(5));
    play.round(well);
    assert_eq!(play.rounds(3, dead(&[0])), [NOBODY, NOBODY, vec![0]]);
    assert_eq!(play.rounds(3, well), [vec![0], vec![0], NOBODY]);
}

#[test]
fn a_new_endpoint_is_healthy_until_there_is_enough_to_go_by() {
    let mut play = Play::of(Kind::Route53, &plain(5));
    assert_eq!(play.rounds(3, dead(&[0])), [NOBODY, NOBODY, vec![0]]);
}

#[test]
fn all_unhealthy_is_taken_for_all_healthy() {
    let mut play = Play::of(Kind::Route53, &plain(4));
    play.rounds(3, dead(&[0, 1, 2]));
    assert_eq!(play.findings().delivered, [vec![quorate_core::fleet::EntryIx(3)]]);
    play.rounds(3, dead(&[0, 1, 2, 3]));
    assert_eq!(play.findings().removed.len(), 4);
    assert_eq!(play.findings().delivered[0].len(), 4);
}

#[test]
fn what_nobody_checks_stays_as_it_is() {
    use quorate_core::report::Health;
    let mut play = Play::of(Kind::Route53, &fleet(4, |_, _| {}));
    play.rounds(3, dead(&[0]));
    for _ in 0..5 {
        assert_eq!(play.round_of(|_| None::<Health>, well), [0]);
    }
}
