//! R4 and R5 on a single pair.

use core::time::Duration;

use super::{Pair, Word};
use crate::policy::Policy;
use crate::time::Moment;

const fn s(seconds: u64) -> Moment {
    Moment::from_ms(seconds * 1000)
}

const fn ms(ms: u64) -> Moment {
    Moment::from_ms(ms)
}

/// Failures at these moments, after a success at zero.
fn failed_at(moments: &[Moment]) -> Pair {
    moments.iter().fold(Pair::UNKNOWN.reached(s(0)), |pair, at| pair.failed(*at, &Policy::default()))
}

#[test]
fn nothing_heard_says_nothing() {
    assert_eq!(Pair::UNKNOWN.word(&Policy::default(), s(0)), Word::Unknown);
    assert_eq!(Pair::UNKNOWN.last_evidence_at(), None);
}

#[test]
fn one_failed_knock_means_nothing() {
    assert_eq!(failed_at(&[s(60)]).word(&Policy::default(), s(60)), Word::Unknown);
}

#[test]
fn two_failures_are_too_few_and_three_are_enough() {
    assert_eq!(failed_at(&[s(60), s(160)]).word(&Policy::default(), s(160)), Word::Unknown);
    assert_eq!(failed_at(&[s(60), s(120), s(160)]).word(&Policy::default(), s(160)), Word::Sustained);
}

#[test]
fn three_failures_must_span_ninety_seconds() {
    assert_eq!(failed_at(&[s(60), s(100), ms(149_999)]).word(&Policy::default(), s(150)), Word::Unknown);
    assert_eq!(failed_at(&[s(60), s(100), ms(150_000)]).word(&Policy::default(), s(150)), Word::Sustained);
}

#[test]
fn one_success_wipes_the_series() {
    let pair = failed_at(&[s(60), s(120), s(180)]).reached(s(240));
    assert_eq!(pair.word(&Policy::default(), s(240)), Word::Sees);
    assert_eq!((pair.streak(), pair.first_failed_at()), (0, None));
}

#[test]
fn a_series_goes_on_after_a_gap_of_hold_for_and_begins_anew_after_a_longer_one() {
    let before = failed_at(&[s(60), s(120), s(180)]);
    let within = before.failed(ms(180_000 + 900_000), &Policy::default());
    let beyond = before.failed(ms(180_000 + 900_001), &Policy::default());
    assert_eq!((within.streak(), within.first_failed_at()), (4, Some(s(60))));
    assert_eq!((beyond.streak(), beyond.first_failed_at()), (1, Some(ms(1_080_001))));
}

#[test]
fn a_series_accuses_for_stale_after_and_no_longer() {
    let pair = failed_at(&[s(60), s(120), s(180)]);
    assert_eq!(pair.word(&Policy::default(), ms(360_000)), Word::Sustained);
    assert_eq!(pair.word(&Policy::default(), ms(360_001)), Word::Unknown);
    assert!(pair.has_full_series(&Policy::default()), "it is old, and still a full series");
}

#[test]
fn a_success_vouches_for_stale_after_and_no_longer() {
    let pair = Pair::UNKNOWN.reached(s(60));
    assert_eq!(pair.word(&Policy::default(), ms(240_000)), Word::Sees);
    assert_eq!(pair.word(&Policy::default(), ms(240_001)), Word::Unknown);
}

#[test]
fn a_late_failure_makes_no_span() {
    let policy = Policy { sustain_rounds: 2, sustain_for: Duration::ZERO, ..Policy::default() };
    let in_order = Pair::UNKNOWN.failed(s(60), &policy).failed(s(60), &policy);
    let late = Pair::UNKNOWN.failed(s(60), &policy).failed(s(59), &policy);
    assert!(in_order.has_full_series(&policy));
    assert!(!late.has_full_series(&policy));
}

#[test]
fn the_streak_stops_counting_at_its_limit() {
    let policy = Policy::default();
    let pair = (0..70_000).fold(Pair::UNKNOWN, |pair, round| pair.failed(s(60 * round), &policy));
    assert_eq!((pair.streak(), pair.first_failed_at()), (u16::MAX, Some(s(0))));
}

#[test]
fn what_was_stored_comes_back_the_same() {
    let pairs =
        [Pair::UNKNOWN, Pair::UNKNOWN.reached(s(60)), failed_at(&[s(60), s(120)]), Pair::UNKNOWN.reached(Moment::MAX)];
    for pair in pairs {
        assert_eq!(Pair::from_bytes(pair.to_bytes()), pair);
    }
}
