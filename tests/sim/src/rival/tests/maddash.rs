//! MaDDash: 0.7 of a column is removed, 0.7 of a row is told, and what is unknown is left out.

use quorate_core::report::Health;

use super::{Look, NOBODY, Play, plain, seen_down, well};
use crate::rival::Kind;

#[test]
fn seven_of_ten_checks_are_incoming_failures_and_six_are_none() {
    let mut six = Play::of(Kind::Maddash, &plain(11));
    assert_eq!(six.rounds(4, seen_down(|witness| witness <= 6, 0)).last(), Some(&NOBODY));
    let mut seven = Play::of(Kind::Maddash, &plain(11));
    assert_eq!(seven.rounds(4, seen_down(|witness| witness <= 7, 0)).last(), Some(&vec![0]));
}

#[test]
fn a_check_has_a_new_state_after_three_results_in_both_directions() {
    let mut play = Play::of(Kind::Maddash, &plain(6));
    play.round(well);
    assert_eq!(play.rounds(3, super::dead(&[0])), [NOBODY, NOBODY, vec![0]]);
    assert_eq!(play.rounds(3, well), [vec![0], vec![0], NOBODY]);
}

#[test]
fn the_first_result_of_a_check_is_its_state() {
    let mut play = Play::of(Kind::Maddash, &plain(6));
    assert_eq!(play.round(super::dead(&[0])), [0]);
}

#[test]
fn outgoing_failures_are_told_and_take_nothing_away() {
    let mut play = Play::of(Kind::Maddash, &plain(11));
    play.round(well);
    let row = |failures: usize| {
        move |witness: usize, target: usize| match (witness, target) {
            (0, target) if target <= failures => Look::Down,
            _ => Look::Up,
        }
    };
    play.rounds(3, row(6));
    assert_eq!((play.judge(), play.doubted()), (NOBODY, NOBODY));
    play.rounds(3, row(7));
    assert_eq!((play.judge(), play.doubted()), (NOBODY, vec![0]));
}

#[test]
fn checks_without_news_are_left_out_of_the_share() {
    // Ten checks of server 0: four witnesses are silent, four of the six others fail, which is less than 0.7.
    let mut play = Play::of(Kind::Maddash, &plain(11));
    play.rounds(4, well);
    let speaks = |server: usize| (server < 7).then_some(Health::Ok);
    for _ in 0..4 {
        play.round_of(speaks, seen_down(|witness| witness <= 4, 0));
    }
    assert_eq!(play.judge(), NOBODY);
    for _ in 0..4 {
        play.round_of(speaks, seen_down(|witness| witness <= 5, 0));
    }
    assert_eq!(play.judge(), [0]);
}

#[test]
fn a_grid_of_which_nothing_is_known_is_down_and_no_site_is_named() {
    let mut play = Play::of(Kind::Maddash, &plain(6));
    play.round(well);
    for _ in 0..4 {
        play.round_of(|_| None, well);
    }
    assert_eq!((play.judge(), play.doubted()), (NOBODY, NOBODY));
}

#[test]
fn a_site_that_sends_nothing_cannot_test() {
    let mut play = Play::of(Kind::Maddash, &plain(6));
    play.round(well);
    for _ in 0..4 {
        play.round_of(|server| (server != 2).then_some(Health::Ok), well);
    }
    assert_eq!((play.judge(), play.doubted()), (NOBODY, vec![2]));
}
