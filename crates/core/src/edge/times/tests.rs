//! Both thresholds from both sides, and the least of several.

use core::time::Duration;

use super::{Times, best_of};

fn took(ms: u64) -> Times {
    Times::once(Duration::from_millis(ms) / 2, Duration::from_millis(ms))
}

#[test]
fn a_gain_must_be_felt_and_be_large_in_proportion() {
    for (from, to, enough) in
        [(80, 60, true), (80, 61, false), (79, 59, true), (100, 75, true), (100, 76, false), (4, 3, false)]
    {
        assert_eq!(took(to).beats(&took(from)), enough, "{from} → {to}");
    }
    let just = Duration::from_nanos(75_000_001);
    assert!(!Times::once(just, just).beats(&took(100)), "a nanosecond short of a quarter");
    assert!(!took(80).beats(&took(60)), "it is farther");
}

#[test]
fn a_gain_is_told_in_time_and_percent() {
    let gain = took(88).gain_over(&took(100)).map(|gain| (gain.by.as_millis(), gain.percent));
    assert_eq!(gain, Some((12, 12)));
    assert_eq!(took(101).gain_over(&took(100)), None);
    let nothing = Times::once(Duration::ZERO, Duration::ZERO);
    assert_eq!(nothing.gain_over(&nothing).map(|gain| gain.percent), Some(0));
    let absurd = Times::once(Duration::MAX, Duration::MAX);
    assert!(nothing.beats(&absurd) && absurd.gain_over(&nothing).is_none());
}

#[test]
fn the_least_of_each_kind_counts_and_how_many_there_were() {
    let once = |tcp, tls| Some(Times::once(Duration::from_millis(tcp), Duration::from_millis(tls)));
    let best = best_of(&[once(9, 30), None, once(12, 25)]);
    assert_eq!(best, Some(Times { tcp: Duration::from_millis(9), tls: Duration::from_millis(25), samples: 2 }));
    assert_eq!(best_of(&[None, None]), None);
    assert_eq!(best_of(&[]), None);
}
