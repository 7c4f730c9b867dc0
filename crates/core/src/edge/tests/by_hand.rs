//! Round by round: what each answer does to the ranking and to the moves that follow from it.

use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use super::river::{edge, edges, mins, number, numbers, took};
use crate::edge::{Chooser, ConnectOrder, Duty, Memory, MoveReason, Resolution, Timing};
use crate::time::Moment;

/// A machine, and the moment.
struct Hand {
    chooser: Chooser,
    now: Moment,
}

/// What a round was, and on whom.
#[derive(Debug, PartialEq, Eq)]
enum Round {
    Full(Vec<u8>),
    Watch(Vec<u8>),
    Move(MoveReason, u8),
}

impl Hand {
    /// A session through the first of these, and nothing known.
    fn on(set: &[u8]) -> Self {
        let mut chooser = Chooser::new(&Memory::default(), Timing::default(), 1, Moment::ZERO, Moment::ZERO);
        chooser.handle_resolved(Resolution::Addresses(edges(set)), Moment::ZERO);
        chooser.handle_opened(edge(set[0]), Moment::ZERO);
        Self { chooser, now: Moment::ZERO }
    }

    fn resolve(&mut self, set: &[u8]) {
        self.chooser.handle_resolved(Resolution::Addresses(edges(set)), self.now);
    }

    /// The session ends, and one through this edge begins.
    fn open(&mut self, number: u8) {
        self.chooser.handle_ended(crate::edge::Ended::Planned, self.now);
        self.chooser.handle_opened(edge(number), self.now);
    }

    /// Lets time pass until a round or a move is due, and answers the round with these times; whoever is not named does
    /// not answer. The resolver fails meanwhile.
    fn round(&mut self, ms: &[(u8, u64)]) -> Round {
        let answer = |address| ms.iter().find(|(named, _)| *named == number(address)).map(|(_, ms)| took(*ms));
        loop {
            match self.chooser.poll_duty() {
                Some(Duty::Resolve) => self.chooser.handle_resolved(Resolution::Failed, self.now),
                Some(Duty::Measure { addresses }) => {
                    let results: Vec<_> = addresses.iter().map(|address| (*address, answer(*address))).collect();
                    self.chooser.handle_measured(&results, self.now);
                    return Round::Full(numbers(&addresses));
                }
                Some(Duty::Probe { addresses }) => {
                    let results: Vec<_> = addresses.iter().map(|address| (*address, answer(*address))).collect();
                    self.chooser.handle_probed(&results, self.now);
                    return Round::Watch(numbers(&addresses));
                }
                Some(Duty::Move(to)) => return Round::Move(to.reason, number(to.to)),
                None => self.pass(self.chooser.poll_timeout().unwrap().since(self.now)),
            }
        }
    }

    fn pass(&mut self, span: Duration) {
        self.now = self.now.after(span);
        self.chooser.handle_tick(self.now);
    }
}

#[test]
fn a_measurement_that_nobody_answers_is_none() {
    let mut hand = Hand::on(&[1, 2]);
    assert_eq!(hand.round(&[]), Round::Full(vec![1, 2]));
    assert_eq!(hand.chooser.connect_order(), ConnectOrder::Plain(edges(&[1, 2])));
    assert_eq!(hand.round(&[(1, 30), (2, 31)]), Round::Full(vec![1, 2]), "it is still wanted");
    assert!(matches!(hand.chooser.connect_order(), ConnectOrder::Ranked(_)));
}

#[test]
fn a_round_that_nobody_answers_breaks_the_row() {
    // Behind the current edge, and clearly nearer.
    let mut hand = Hand::on(&[1, 2]);
    let better = [(1, 90), (2, 10)];
    hand.round(&better);
    hand.round(&[]);
    hand.pass(mins(10));
    hand.round(&better);
    assert_eq!(hand.round(&better), Round::Full(vec![1, 2]), "one so far");
    assert_eq!(hand.round(&better), Round::Move(MoveReason::Better, 2));
    // Before it, and back.
    let mut hand = Hand::on(&[1, 2]);
    hand.round(&[(1, 10), (2, 90)]);
    hand.open(2);
    let back = [(1, 10), (2, 90)];
    hand.round(&back);
    hand.round(&[]);
    hand.round(&back);
    assert_eq!(hand.round(&back), Round::Watch(vec![2, 1]), "one so far");
    assert_eq!(hand.round(&back), Round::Move(MoveReason::Return, 1));
}

#[test]
fn a_better_edge_that_fails_while_the_move_waits_is_not_moved_to() {
    let better = [(1, 90), (2, 10)];
    for full in [true, false] {
        let mut hand = Hand::on(&[1, 2]);
        for _ in 0..2 {
            let results: Vec<_> = better.iter().map(|(n, ms)| (edge(*n), Some(took(*ms)))).collect();
            hand.chooser.handle_measured(&results, hand.now);
        }
        let failed = [(edge(1), Some(took(90))), (edge(2), None)];
        if full {
            hand.chooser.handle_measured(&failed, hand.now);
        } else {
            hand.chooser.handle_probed(&failed, hand.now);
        }
        hand.pass(mins(10));
        assert!(matches!(hand.round(&better), Round::Full(_) | Round::Watch(_)));
    }
}

#[test]
fn a_better_edge_that_leaves_dns_while_the_move_waits_is_not_moved_to() {
    let mut hand = Hand::on(&[1, 2, 3]);
    for _ in 0..2 {
        let results = [(edge(1), Some(took(90))), (edge(2), Some(took(10))), (edge(3), Some(took(20)))];
        hand.chooser.handle_measured(&results, hand.now);
    }
    hand.resolve(&[1, 3]);
    hand.pass(mins(10));
    assert_eq!(hand.round(&[]), Round::Move(MoveReason::Better, 3));
}

#[test]
fn a_move_to_a_better_edge_is_not_followed_by_one_to_its_equal() {
    let mut hand = Hand::on(&[1, 2, 3]);
    hand.round(&[(1, 90), (2, 10), (3, 200)]);
    // The third is found late to be as near as the second.
    hand.round(&[(1, 90), (2, 10), (3, 9)]);
    assert_eq!(hand.round(&[]), Round::Move(MoveReason::Better, 2));
    hand.open(2);
    for _ in 0..200 {
        assert!(!matches!(hand.round(&[(1, 90), (2, 10), (3, 9)]), Round::Move(..)));
    }
}

#[test]
fn who_is_away_is_gone_back_to_from_a_better_edge_too_if_it_is_nearer_still() {
    for (third, returns) in [(20, true), (5, false)] {
        let mut hand = Hand::on(&[1, 2, 3]);
        hand.round(&[(1, 10), (2, 90), (3, 95)]);
        hand.open(2);
        hand.resolve(&[1, 2, 3, 4]);
        hand.pass(mins(10));
        let times = [(2, 90), (3, third), (4, 200)];
        hand.round(&times);
        hand.round(&times);
        assert_eq!(hand.round(&[]), Round::Move(MoveReason::Better, 3));
        hand.open(3);
        hand.pass(mins(10));
        let back = [(1, 10), (3, third)];
        hand.round(&back);
        hand.round(&back);
        assert_eq!(hand.round(&back) == Round::Move(MoveReason::Return, 1), returns, "{third} ms");
    }
}

#[test]
fn an_edge_that_turns_out_to_be_no_nearer_loses_its_place() {
    for (ms, returns) in [(10, true), (11, false), (12, false)] {
        let mut hand = Hand::on(&[1, 2]);
        hand.round(&[(1, 10), (2, 11)]);
        hand.open(2);
        hand.resolve(&[1, 2, 3]);
        assert_eq!(hand.round(&[(1, ms), (2, 11), (3, 80)]), Round::Full(vec![2, 1, 3]));
        hand.round(&[(1, ms), (2, 11)]);
        assert_eq!(matches!(hand.round(&[(1, ms), (2, 11)]), Round::Move(MoveReason::Return, 1)), returns, "{ms} ms");
    }
}

#[test]
fn while_the_current_edge_answers_no_probe_nobody_loses_their_place_to_it() {
    // Whether or not it was measured before.
    for current in [2, 3] {
        let mut hand = Hand::on(&[1, 2]);
        hand.round(&[(1, 10), (2, 11)]);
        hand.resolve(&[1, 2, 3]);
        hand.open(current);
        assert!(matches!(hand.round(&[(1, 12)]), Round::Full(_)));
        assert!(matches!(hand.round(&[(1, 12), (current, 11)]), Round::Watch(_)));
        assert_eq!(hand.round(&[]), Round::Move(MoveReason::Return, 1), "from {current}");
    }
}

#[test]
fn an_edge_that_is_not_seen_by_dns_for_a_while_still_has_its_place_to_defend() {
    let times = [(1, 20), (2, 19), (3, 90)];
    let mut hand = Hand::on(&[1, 2, 3]);
    hand.round(&times);
    hand.resolve(&[2, 3]);
    assert_eq!(hand.round(&times), Round::Full(vec![2, 3]));
    hand.resolve(&[1, 2, 3]);
    assert_eq!(hand.round(&times), Round::Full(vec![1, 2, 3]));
    for _ in 0..10 {
        assert_eq!(hand.round(&times), Round::Watch(vec![1]));
    }
}

#[test]
fn who_comes_before_the_current_edge_is_watched_and_not_measured_again_and_again() {
    let mut hand = Hand::on(&[1, 2]);
    hand.round(&[(1, 10), (2, 90)]);
    hand.open(2);
    hand.resolve(&[1, 2, 3]);
    let times = [(1, 10), (2, 90), (3, 95)];
    assert_eq!(hand.round(&times), Round::Full(vec![2, 1, 3]));
    assert_eq!(hand.round(&times), Round::Watch(vec![2, 1]));
    assert_eq!(hand.round(&times), Round::Move(MoveReason::Return, 1));
}

#[test]
fn a_move_is_dialled_to_where_it_goes() {
    let mut hand = Hand::on(&[1, 2, 3]);
    hand.round(&[(1, 10), (2, 20), (3, 90)]);
    hand.open(3);
    hand.round(&[(2, 20), (3, 90)]);
    // The first is back as well, but only just.
    hand.round(&[(1, 10), (2, 20), (3, 90)]);
    assert_eq!(hand.round(&[]), Round::Move(MoveReason::Return, 2));
    assert_eq!(numbers(&hand.chooser.connect_order().addresses()), [2, 1, 3]);
    hand.open(2);
    assert_eq!(numbers(&hand.chooser.connect_order().addresses()), [1, 2, 3]);
}
