//! Bounds of the policy.

use core::time::Duration;

use super::{Policy, PolicyError, Share};

#[test]
fn the_defaults_are_within_their_bounds() {
    assert_eq!(Policy::default().checked(), Ok(Policy::default()));
}

#[test]
fn one_word_is_never_a_verdict() {
    assert_eq!(Policy { quorum: 1, ..Policy::default() }.checked(), Err(PolicyError::Quorum(1)));
    assert!(Policy { quorum: 2, ..Policy::default() }.checked().is_ok());
}

#[test]
fn a_series_has_at_least_one_failure() {
    assert_eq!(Policy { sustain_rounds: 0, ..Policy::default() }.checked(), Err(PolicyError::SustainRounds));
    assert!(Policy { sustain_rounds: 1, ..Policy::default() }.checked().is_ok());
}

#[test]
fn holding_lasts_at_least_as_long_as_evidence() {
    let stale_after = Duration::from_secs(180);
    let just = Policy { hold_for: stale_after, ..Policy::default() };
    let short = Policy { hold_for: Duration::from_millis(179_999), ..Policy::default() };
    assert!(just.checked().is_ok());
    assert!(matches!(short.checked(), Err(PolicyError::HoldFor { .. })));
}

#[test]
fn a_share_is_at_most_one() {
    assert!(Share::from_thousandths(1000).is_some());
    assert!(Share::from_thousandths(1001).is_none());
}

#[test]
fn every_share_of_three_decimals_is_taken_exactly() {
    for thousandths in 0..=1000_u16 {
        let written = alloc::format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let share = written.parse().ok().and_then(Share::from_decimal);
        assert_eq!(share.map(Share::thousandths), Some(thousandths), "{written}");
    }
}

#[test]
fn a_fourth_decimal_and_what_is_no_share_are_refused() {
    for number in [0.0005, 0.500_000_000_1, 1.001, -0.001, f64::NAN, f64::INFINITY] {
        assert_eq!(Share::from_decimal(number), None, "{number}");
    }
}
