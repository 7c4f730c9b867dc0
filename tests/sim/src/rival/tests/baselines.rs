//! Majority and any witness: how many, how often, and who has no vote.

use super::{Look, NOBODY, Play, dead, plain, seen_down, well};
use crate::rival::Kind;

#[test]
fn more_than_half_of_the_witnesses_take_an_entry_point_away() {
    // Server 0 and its four witnesses 1 to 4.
    let mut half = Play::of(Kind::Majority, &plain(5));
    assert_eq!(half.rounds(5, seen_down(|witness| witness <= 2, 0)).last(), Some(&NOBODY));
    let mut more = Play::of(Kind::Majority, &plain(5));
    assert_eq!(more.rounds(5, seen_down(|witness| witness <= 3, 0)).last(), Some(&vec![0]));
}

#[test]
fn two_failures_in_a_row_are_no_majority_and_three_are() {
    let mut play = Play::of(Kind::Majority, &plain(5));
    play.round(well);
    assert_eq!(play.rounds(3, dead(&[0])), [NOBODY, NOBODY, vec![0]]);
    assert_eq!(play.round(well), NOBODY, "one success ends it");
}

#[test]
fn a_success_between_failures_begins_the_count_anew() {
    let mut play = Play::of(Kind::Majority, &plain(5));
    play.rounds(2, dead(&[0]));
    play.round(well);
    assert_eq!(play.rounds(2, dead(&[0])), [NOBODY, NOBODY]);
}

#[test]
fn an_inconclusive_probe_neither_counts_nor_ends_a_series() {
    let mut play = Play::of(Kind::Majority, &plain(5));
    play.rounds(2, dead(&[0]));
    assert_eq!(play.round(|_, _| Look::Unsure), NOBODY);
    assert_eq!(play.round(dead(&[0])), [0]);
}

#[test]
fn witnesses_that_fell_silent_have_no_vote() {
    use quorate_core::report::Health;
    // Witnesses 1 to 3 see it down and fall silent; 4 and 5 see it up and go on.
    let mut play = Play::of(Kind::Majority, &plain(6));
    assert_eq!(play.rounds(3, seen_down(|witness| witness <= 3, 0)).last(), Some(&vec![0]));
    let speaks = |server: usize| (server == 0 || server > 3).then_some(Health::Ok);
    let after: Vec<Vec<usize>> = (0..4).map(|_| play.round_of(speaks, well)).collect();
    assert_eq!(after, [vec![0], vec![0], vec![0], NOBODY]);
}

#[test]
fn any_witness_is_enough_after_three_failures() {
    let mut play = Play::of(Kind::AnyWitness, &plain(9));
    assert_eq!(play.rounds(3, seen_down(|witness| witness == 7, 0)), [NOBODY, NOBODY, vec![0]]);
    assert_eq!(play.round(well), NOBODY);
}
