//! Going back to an edge that had failed.

use alloc::vec;
use alloc::vec::Vec;

use super::river::{Event, River, edge, mins, secs, wall};
use crate::edge::{MoveReason, Why};

#[test]
fn an_edge_that_is_back_is_gone_back_to_after_two_good_rounds() {
    let mut river = River::settled(&[40, 10, 80], 1);
    river.kill(2);
    river.run(mins(20));
    river.set(2, 10);
    river.run(mins(20));
    expect_test::expect![[r"
        1:00:00  session through 1
        1:04:06  probed [1, 2]
        1:10:55  probed [1, 2]
        1:15:36  probed [1, 2]
        1:18:48  probed [1, 2]
        1:25:50  probed [1, 2]
        1:30:51  probed [1, 2]
        1:30:51  edge_return to 2
        1:30:51  session through 2
        1:35:12  probed [2]
        1:38:30  probed [2]
    "]]
    .assert_eq(&river.told());
    assert_eq!(river.chooser.memory(river.now, wall(river.now)).seat.unwrap().why, Why::Moved(MoveReason::Return));
}

#[test]
fn one_good_round_is_an_edge_that_has_just_restarted() {
    let mut river = River::settled(&[40, 10], 1);
    river.kill(2);
    for _ in 0..20 {
        river.set(2, 10);
        next_round(&mut river);
        river.bridges.insert(edge(2), None);
        next_round(&mut river);
    }
    assert_eq!(river.moves(), []);
    river.set(2, 10);
    next_round(&mut river);
    assert_eq!(river.moves(), []);
    next_round(&mut river);
    assert_eq!(river.moves(), [("edge_return", 2)]);
}

#[test]
fn two_rounds_in_a_row_lie_some_time_apart() {
    for seed in 0..50 {
        let mut river = River::settled(&[40, 10], seed);
        river.run(mins(120));
        for pair in river.rounds().windows(2) {
            let apart = pair[1].0.since(pair[0].0);
            assert!(apart >= mins(5) / 2 && apart <= mins(5) * 3 / 2, "{apart:?}");
        }
    }
}

#[test]
fn of_several_that_are_back_the_first_is_gone_back_to() {
    let mut river = River::settled(&[10, 20, 80], 1);
    river.bridges.insert(edge(2), None);
    river.kill(1);
    assert_eq!(river.session, Some(edge(3)));
    river.set(2, 20);
    river.set(1, 10);
    river.run(mins(60));
    assert_eq!(river.moves(), [("edge_return", 1)]);
}

#[test]
fn the_next_best_is_gone_back_to_while_the_best_is_away() {
    let mut river = River::settled(&[10, 20, 80], 1);
    river.bridges.insert(edge(2), None);
    river.kill(1);
    river.set(2, 20);
    river.run(mins(60));
    assert_eq!(river.moves(), [("edge_return", 2)]);
    river.set(1, 10);
    river.run(mins(60));
    assert_eq!(river.moves(), [("edge_return", 2), ("edge_return", 1)]);
}

#[test]
fn a_round_tries_who_comes_before_the_current_edge_who_fails_and_itself() {
    let mut river = River::settled(&[10, 20, 30, 40], 1);
    river.bridges.insert(edge(4), None);
    river.kill(1);
    assert_eq!(river.session, Some(edge(2)));
    // Nobody has found out yet that 4 is away.
    next_round(&mut river);
    assert_eq!(river.rounds(), [(river.rounds()[0].0, &[2, 1][..])]);
}

#[test]
fn a_live_session_is_not_left_because_probes_fail() {
    let mut river = River::settled(&[10, 20, 30], 1);
    for number in 1..=3 {
        river.bridges.insert(edge(number), None);
    }
    river.run(mins(24 * 60));
    river.set(2, 20);
    river.set(3, 30);
    river.run(mins(24 * 60));
    assert_eq!((river.moves(), river.session), (vec![], Some(edge(1))));
}

#[test]
fn nobody_goes_back_to_an_edge_that_has_become_far() {
    let mut river = River::settled(&[10, 40], 1);
    river.kill(1);
    river.set(1, 300);
    river.run(mins(120));
    assert_eq!(river.moves(), []);
    // The next full measurement puts it where it belongs.
    river.run(mins(360));
    river.break_session();
    assert_eq!(river.order(), [2, 1]);
}

#[test]
fn an_edge_that_comes_and_goes_is_gone_back_to_every_ten_minutes_at_most() {
    for seed in 0..10 {
        let mut river = River::settled(&[10, 40], seed);
        for _ in 0..40 {
            river.kill(1);
            river.set(1, 10);
            river.run_until(|event| *event == Event::Moved("edge_return", 1));
        }
        let moved: Vec<_> =
            river.events.iter().filter(|(_, event)| matches!(event, Event::Moved(..))).map(|(at, _)| *at).collect();
        assert!(moved.windows(2).all(|pair| pair[1].since(pair[0]) >= mins(10)));
        assert!(moved.windows(2).any(|pair| pair[1].since(pair[0]) == mins(10)), "the bound is what holds it back");
    }
}

#[test]
fn a_move_that_ends_elsewhere_is_no_loop() {
    let mut river = River::settled(&[10, 40], 1);
    river.kill(1);
    // It answers probes and no session.
    for _ in 0..600 {
        river.set(1, 10);
        river.run(secs(10));
        if river.session == Some(edge(1)) {
            river.kill(1);
        }
    }
    let moves = river.moves().len();
    assert!((2..=11).contains(&moves), "{moves} in 100 min");
}

#[test]
fn an_edge_that_is_away_for_days_keeps_its_place() {
    let mut river = River::settled(&[40, 10], 1);
    river.kill(2);
    river.run(mins(3 * 24 * 60));
    assert!(river.events.iter().any(|(_, event)| matches!(event, Event::Measured(_))));
    river.set(2, 10);
    river.run(mins(30));
    assert_eq!(river.moves(), [("edge_return", 2)]);
}

fn next_round(river: &mut River) {
    river.run_until(|event| matches!(event, Event::Probed(_) | Event::Measured(_)));
}
