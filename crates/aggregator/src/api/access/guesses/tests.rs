#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::net::IpAddr;

use quorate_core::time::Moment;

use super::{Answer, Guesses, ONE_PLACE, REMEMBERED_MAX, STRANGERS};
use crate::api::access::origin::Origin;

fn at(s: u64) -> Moment {
    Moment::from_ms(1_000_000 + s * 1000)
}

fn place(n: u32) -> Origin {
    Origin::Place(IpAddr::from(n.to_be_bytes()))
}

fn key(n: u32) -> [u8; 32] {
    let mut key = [0; 32];
    key[..4].copy_from_slice(&n.to_be_bytes());
    key
}

const GOOD: [u8; 32] = [7; 32];

/// Whether a wrong key is looked at.
fn guess(guesses: &Guesses, origin: Origin, n: u32, now: Moment) -> bool {
    match guesses.show(origin, key(n), now) {
        Answer::Look(attempt) => {
            attempt.fails();
            true
        }
        Answer::TooFast(_) => false,
        Answer::Wrong => panic!("it is new"),
    }
}

fn fits(guesses: &Guesses, origin: Origin, now: Moment) -> bool {
    match guesses.show(origin, GOOD, now) {
        Answer::Look(attempt) => {
            attempt.fits();
            true
        }
        Answer::TooFast(_) => false,
        Answer::Wrong => panic!("it is good"),
    }
}

#[test]
fn ten_keys_are_tried_at_once_and_then_one_in_six_seconds() {
    let guesses = Guesses::default();
    let tried = (0..12).filter(|n| guess(&guesses, place(1), *n, at(0))).count();
    assert_eq!(tried, 10);
    let Answer::TooFast(wait) = guesses.show(place(1), key(20), at(0)) else { panic!("too many") };
    assert_eq!(wait, ONE_PLACE.1);
    assert!(!guess(&guesses, place(1), 21, at(5)));
    assert!(guess(&guesses, place(1), 22, at(6)));
    assert!(!guess(&guesses, place(1), 23, at(6)));
    assert!(guess(&guesses, place(2), 24, at(6)), "another place has its own");
}

#[test]
fn the_same_wrong_key_again_costs_nothing() {
    let guesses = Guesses::default();
    assert!(guess(&guesses, place(1), 1, at(0)));
    for _ in 0..100 {
        assert!(matches!(guesses.show(place(1), key(1), at(0)), Answer::Wrong));
    }
    assert!(guess(&guesses, place(1), 2, at(0)));
}

#[test]
fn a_key_that_has_fitted_is_looked_at_whoever_else_guesses() {
    let guesses = Guesses::default();
    assert!(fits(&guesses, place(1), at(0)));
    while guess(&guesses, place(1), guesses_made(&guesses), at(0)) {}
    assert!(fits(&guesses, place(1), at(0)), "from the very place of the guesses");
    guesses.made(key(1000));
    assert!(matches!(guesses.show(place(1), key(1000), at(0)), Answer::Look(_)), "one that was made here");
}

/// The next key that was not tried.
fn guesses_made(guesses: &Guesses) -> u32 {
    u32::try_from(guesses.memory().wrong.all.len()).unwrap()
}

#[test]
fn a_right_key_costs_nothing_however_often_it_comes() {
    let guesses = Guesses::default();
    for _ in 0..100 {
        assert!(fits(&guesses, place(1), at(0)));
    }
    let tried = (0..12).filter(|n| guess(&guesses, place(1), *n, at(0))).count();
    assert_eq!(tried, 10);
}

#[test]
fn a_page_of_badges_with_one_new_token_pays_for_it_once() {
    let guesses = Guesses::default();
    let all: Vec<_> = (0..40).map(|_| guesses.show(place(1), GOOD, at(0))).collect();
    assert!(all.iter().all(|answer| matches!(answer, Answer::Look(_))));
}

#[test]
fn a_key_that_no_longer_fits_is_like_any_other() {
    let guesses = Guesses::default();
    assert!(fits(&guesses, place(1), at(0)));
    let Answer::Look(attempt) = guesses.show(place(1), GOOD, at(1)) else { panic!("it is looked at") };
    attempt.fails();
    assert!(matches!(guesses.show(place(1), GOOD, at(2)), Answer::Wrong));
}

#[test]
fn a_store_that_is_away_is_nobodys_wrong_guess() {
    let guesses = Guesses::default();
    for n in 0..100 {
        let Answer::Look(attempt) = guesses.show(place(1), key(n), at(0)) else { panic!("it is looked at") };
        drop(attempt);
    }
    assert!(guesses.memory().looked_up.is_empty());
    let Answer::Look(attempt) = guesses.show(place(1), key(1), at(0)) else { panic!("it is tried anew") };
    attempt.fits();
}

#[test]
fn strangers_from_everywhere_share_one_allowance_and_leave_those_who_are_known_theirs() {
    let guesses = Guesses::default();
    assert!(fits(&guesses, place(1), at(0)));
    let tried = (100..1100).filter(|n| guess(&guesses, place(*n), *n, at(0))).count();
    assert_eq!(tried, STRANGERS.0 as usize);
    assert!(!guess(&guesses, place(2), 2000, at(0)), "a stranger waits");
    assert!(guess(&guesses, place(2), 2000, at(1)), "and his own allowance was not touched");
    let known = (3000..3012).filter(|n| guess(&guesses, place(1), *n, at(1))).count();
    assert_eq!(known, 10, "a place from which a key has fitted");
    let here = (4000..4012).filter(|n| guess(&guesses, Origin::Here, *n, at(1))).count();
    assert_eq!(here, 10, "the machine itself");
}

#[test]
fn a_million_guesses_leave_no_more_behind_than_a_few_thousand() {
    let guesses = Guesses::default();
    for n in 0..1_000_000 {
        // As fast as strangers may, each from a place of his own.
        assert!(n < 60 || guess(&guesses, place(n), n, at(u64::from(n))));
    }
    let memory = guesses.memory();
    assert!(memory.wrong.all.len() <= REMEMBERED_MAX && memory.wrong.order.len() <= REMEMBERED_MAX);
    assert!(memory.looked_up.is_empty());
}
