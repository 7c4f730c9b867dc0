//! What a driver that did not run makes of a round.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

#[test]
fn a_stall_over_ten_rounds_gives_no_failure_and_no_fresh_word() {
    let pause = Pause { from: secs(130), span: secs(600) };
    let street = Street::walk_with(plan(10, 5), 2, secs(1_000), &[pause], |_, _| (TIMEOUT, secs(5)));
    let (before, after) = (Moment::ZERO.after(secs(130)), Moment::ZERO.after(secs(730)));
    let interrupted = street.rounds.iter().find(|round| round.outcomes.contains(&STALLED)).unwrap();
    assert!(interrupted.ended_at <= before.after(secs(60)));
    let stalled = interrupted.outcomes.iter().filter(|outcome| **outcome == STALLED).count();
    let failed = interrupted.outcomes.iter().filter(|outcome| **outcome == TIMEOUT).count();
    let place = street.rounds.iter().position(|round| round == interrupted).unwrap();
    let ran = street.starts.iter().filter(|start| start.round == place && start.at.after(secs(5)) <= before);
    assert_eq!((failed, stalled), (ran.count(), interrupted.outcomes.len() - failed));
    assert!(!street.rounds.iter().any(|round| round.ended_at > before.after(secs(60)) && round.ended_at < after));
}

#[test]
fn a_pause_within_the_bound_is_no_stall_and_one_beyond_it_is() {
    for (span_ms, expected) in [(1_900, TIMEOUT), (3_100, STALLED)] {
        let mut pacing = Pacing::new(plan(1, 0), 1, Moment::ZERO);
        let mut now = Moment::ZERO;
        while pacing.poll_probe().is_none() {
            now = pacing.poll_timeout();
            pacing.handle_tick(now);
        }
        now = now.after(Duration::from_millis(span_ms));
        pacing.handle_outcome(TIMEOUT, now);
        assert_eq!(pacing.poll_round().map_or(expected, |round| round.outcomes[0]), expected);
        while now < Moment::ZERO.after(secs(125)) {
            now = pacing.poll_timeout();
            pacing.handle_tick(now);
            let Some(round) = pacing.poll_round() else { continue };
            assert_eq!(round.outcomes, [expected]);
            break;
        }
    }
}

#[test]
fn a_success_that_was_cut_short_by_a_stall_is_no_word_either() {
    let mut pacing = Pacing::new(plan(2, 0), 1, Moment::ZERO);
    let mut now = Moment::ZERO;
    while pacing.poll_probe().is_none() {
        now = pacing.poll_timeout();
        pacing.handle_tick(now);
    }
    now = now.after(secs(3));
    pacing.handle_outcome(REACHED, now);
    let mut outcomes = Vec::new();
    while outcomes.is_empty() {
        if pacing.poll_probe().is_some() {
            pacing.handle_outcome(REACHED, now);
        } else {
            now = pacing.poll_timeout();
            pacing.handle_tick(now);
        }
        outcomes.extend(pacing.poll_round().map(|round| round.outcomes));
    }
    outcomes[0].sort_by_key(|outcome| *outcome == STALLED);
    assert_eq!(outcomes, [[REACHED, STALLED]]);
}

#[test]
fn the_bound_shrinks_with_speed_but_not_below_what_a_busy_machine_needs() {
    let bound = |speed| Pacing::new(ProbePlan { speed, ..plan(1, 0) }, 1, Moment::ZERO).stall_bound();
    assert_eq!([bound(0), bound(1), bound(4)], [secs(2), secs(2), Duration::from_millis(500)]);
    assert_eq!(bound(60), Duration::from_millis(200));
}
