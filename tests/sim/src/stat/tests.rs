//! Against values that others published or computed, and on both sides of what is defined.

use super::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-5
}

/// Against R's `binom.test(x, n)$conf.int`.
#[test]
fn a_share_has_the_interval_of_clopper_and_pearson() {
    for (hits, cases, low, high) in [
        (0, 30, 0.0, 0.11570),
        (30, 30, 0.88430, 1.0),
        (1, 10, 0.00253, 0.44502),
        (5, 10, 0.18709, 0.81291),
        (3, 30, 0.02112, 0.26529),
    ] {
        let share = share(hits, cases).unwrap();
        assert!(near(share.low, low) && near(share.high, high), "{hits} of {cases}: {share:?}");
    }
}

#[test]
fn a_share_of_thousands_can_still_be_held() {
    let share = share(2_000, 4_000).unwrap();
    assert!(near(share.low, 0.48439) && near(share.high, 0.51561), "{share:?}");
}

#[test]
fn a_share_of_no_cases_is_none() {
    assert_eq!(share(0, 0), None);
}

#[test]
fn a_quantile_is_a_value_that_was_seen() {
    let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
    assert_eq!(quantile(&hundred, 0.5), Some(50.0));
    assert_eq!(quantile(&hundred, 0.95), Some(95.0));
    assert_eq!(quantile(&hundred, 0.99), Some(99.0));
    assert_eq!(quantile(&hundred[..10], 0.99), Some(10.0));
    assert_eq!(quantile(&hundred[..1], 0.5), Some(1.0));
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn what_never_ended_is_longer_than_everything_that_did() {
    let runs = [vec![1.0, f64::INFINITY], vec![2.0, 3.0]];
    let p = |q| quantile_of_runs(&runs, q).unwrap().value;
    assert_eq!(p(0.75), 3.0);
    assert_eq!(p(0.76), f64::INFINITY);
    assert_eq!(quantile_of_runs(&[vec![], vec![]], 0.5), None);
}

/// The mean of 30 runs that measured 0 … 29 is 14.5, its standard error 8.655 / √30 = 1.58, and ± 1.96 of those 11.4 … 17.6.
#[test]
fn the_interval_of_a_mean_is_what_the_normal_law_says() {
    let runs: Vec<f64> = (0..30).map(f64::from).collect();
    let mean = ratio(&runs, &[1.0; 30]).unwrap();
    assert_eq!(mean.value, 14.5);
    assert!((11.2..11.7).contains(&mean.low) && (17.3..17.9).contains(&mean.high), "{mean:?}");
}

#[test]
fn runs_that_all_say_the_same_leave_no_doubt() {
    let mean = ratio(&[2.0; 30], &[1.0; 30]).unwrap();
    assert_eq!(mean, Estimate { value: 2.0, low: 2.0, high: 2.0 });
}

#[test]
fn no_event_in_thirty_runs_may_still_be_one_in_eight() {
    let rate = rate(&[0.0; 30], &[1.0; 30]).unwrap();
    assert_eq!((rate.value, rate.low), (0.0, 0.0));
    assert!(near(rate.high, 0.12296), "{rate:?}");
}

#[test]
fn a_rate_with_events_is_drawn() {
    let mut events = [0.0; 30];
    events[7] = 3.0;
    let rate = rate(&events, &[1.0; 30]).unwrap();
    assert_eq!((rate.value, rate.low), (0.1, 0.0));
    assert!((0.2..0.4).contains(&rate.high), "{rate:?}");
}

#[test]
fn nothing_is_no_part_of_nothing() {
    assert_eq!(ratio(&[0.0], &[0.0]), None);
    assert_eq!(ratio(&[], &[]), None);
}

#[test]
fn the_same_runs_give_the_same_interval() {
    let runs: Vec<Vec<f64>> = (0..30_u32).map(|run| vec![f64::from(run * 7 % 30), f64::from(run)]).collect();
    assert_eq!(quantile_of_runs(&runs, 0.95), quantile_of_runs(&runs, 0.95));
}
