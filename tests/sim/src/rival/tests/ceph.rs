//! Ceph: reporters, domains, grace and floor; how one that lives comes back, and when it does not.

use quorate_core::report::Health;

use super::{Look, NOBODY, Play, ROUND, dead, fleet, plain, seen_down, setting, well};
use crate::rival::Kind;
use crate::rival::ceph::laggy::{Laggy, Scale};

/// Rounds until the grace of 3⅓ rounds is over.
const GRACE: usize = 4;

#[test]
fn two_reporters_mark_it_down_when_the_grace_is_over() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let looks = seen_down(|witness| witness <= 2, 0);
    assert_eq!(
        play.rounds(GRACE, looks),
        [NOBODY, NOBODY, NOBODY, vec![0]],
        "six others hear it, and that counts for nothing"
    );
}

#[test]
fn one_reporter_is_not_enough() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    assert_eq!(play.rounds(20, seen_down(|witness| witness == 1, 0)).concat(), NOBODY);
}

#[test]
fn two_reporters_of_one_failure_domain_are_one() {
    let fleet = fleet(8, |number, server| server.site = (1..=2).contains(&number).then(|| "one".to_owned()));
    let mut play = Play::of(Kind::Ceph, &fleet);
    play.round(well);
    assert_eq!(play.rounds(20, seen_down(|witness| witness <= 2, 0)).concat(), NOBODY);
}

#[test]
fn a_heartbeat_takes_a_report_back() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    play.rounds(GRACE, seen_down(|witness| witness == 1, 0));
    play.round(well);
    assert_eq!(play.rounds(GRACE, seen_down(|witness| witness == 2, 0)).concat(), NOBODY);
}

#[test]
fn none_is_marked_down_while_fewer_than_three_of_ten_are_up() {
    // Nine of eleven die. Four up are more than three of ten, three are not.
    let mut play = Play::of(Kind::Ceph, &plain(11));
    play.round(well);
    let speaks = |server: usize| (server >= 9).then_some(Health::Ok);
    for _ in 0..2 * GRACE {
        play.round_of(speaks, dead(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    }
    assert_eq!(play.judge(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn one_that_lives_boots_again_in_its_next_round() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    assert_eq!(play.rounds(GRACE, dead(&[0])).last(), Some(&vec![0]));
    assert_eq!(play.round(well), NOBODY);
}

#[test]
fn one_that_hears_less_than_a_third_of_its_peers_does_not_boot() {
    // Server 0 hears three or two of its nine peers; 33 % of nine is 2.97.
    let hears = |count: usize| {
        move |witness: usize, target: usize| match (witness, target) {
            (_, 0) => Look::Down,
            (0, target) if target > count => Look::Down,
            _ => Look::Up,
        }
    };
    for (count, after) in [(3, NOBODY), (2, vec![0])] {
        let mut play = Play::of(Kind::Ceph, &plain(10));
        play.round(well);
        assert_eq!(play.rounds(GRACE, hears(count)).last(), Some(&vec![0]));
        assert_eq!(play.round(hears(count)), after, "it hears {count} of 9");
    }
}

#[test]
fn a_dead_one_stays_down() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let speaks = |server: usize| (server != 0).then_some(Health::Ok);
    for _ in 0..30 {
        play.round_of(speaks, dead(&[0]));
    }
    assert_eq!(play.judge(), [0]);
}

#[test]
fn one_that_says_that_it_stops_is_down_at_once_and_back_at_once() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let word = |server: usize| Some(if server == 0 { Health::Down } else { Health::Ok });
    assert_eq!(play.round_of(word, well), [0]);
    assert_eq!(play.round(well), NOBODY);
}

#[test]
fn a_refused_connection_needs_neither_grace_nor_a_second_reporter() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let refused = |witness: usize, target: usize| match (witness, target) {
        (5, 0) => Look::Refused,
        _ => Look::Up,
    };
    assert_eq!(play.round(refused), [0]);
}

#[test]
fn one_that_is_often_down_by_mistake_is_given_more_grace() {
    // Its peers do not hear server 0, and it hears them: it is marked down, and boots again in its next round.
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let after = play.rounds(28, dead(&[0]));
    let is_down = |at: &usize| !after[*at].is_empty();
    let downs: Vec<usize> = (0..after.len()).filter(is_down).collect();
    let gaps: Vec<usize> = downs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [5, 5, 5, 5], "a round down is little, and four rounds are more than the grace");
    // Three hours of it are more: the half-life is ten.
    let mut laggy = Laggy::default();
    let scale = Scale::of(&setting(&plain(2)));
    laggy.was_wrongly_down(scale, ROUND * 180);
    let grace = laggy.grace(scale, ROUND * 4);
    laggy.was_wrongly_down(scale, ROUND * 180);
    assert!(laggy.grace(scale, ROUND * 4) > 2 * grace);
    assert!(laggy.grace(scale, ROUND * 600) < laggy.grace(scale, ROUND * 4));
}

#[test]
fn the_sixth_time_within_a_hundred_rounds_it_stops_for_good() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let after = play.rounds(60, dead(&[0]));
    let times = after.windows(2).filter(|pair| pair[0].is_empty() && !pair[1].is_empty()).count();
    assert_eq!(times, 6);
    assert_eq!(play.rounds(30, well).last(), Some(&vec![0]), "it waits for a person");
    for _ in 0..GRACE {
        play.round_of(|server| (server != 0).then_some(Health::Ok), dead(&[0]));
    }
    assert_eq!(play.round(well), NOBODY, "who starts it anew");
}

#[test]
fn one_that_the_monitors_do_not_hear_of_is_down_after_a_hundred_and_fifty_rounds() {
    let mut play = Play::of(Kind::Ceph, &plain(8));
    play.round(well);
    let speaks = |server: usize| (server != 0).then_some(Health::Ok);
    let after: Vec<Vec<usize>> = (0..151).map(|_| play.round_of(speaks, well)).collect();
    assert_eq!(after[149], NOBODY);
    assert_eq!(after[150], [0]);
}
