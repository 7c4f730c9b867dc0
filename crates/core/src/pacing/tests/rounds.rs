//! How a round goes, and what it tells.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

#[test]
fn a_round_is_tcp_then_udp_and_a_rare_probe_waits_for_its_turn() {
    let mut plan = plan(3, 1);
    plan.targets[0].probe.every = 3;
    let street = Street::walk(plan, 7, secs(240), |target, _| match target.entry_point.as_str() {
        "t2" => (TIMEOUT, secs(8)),
        _ => (REACHED, Duration::from_millis(60)),
    });
    expect_test::expect![[r"
        41276 ms  t0
        54281 ms  t2
        69791 ms  t1
        84116 ms  t3
        84176 ms  round: reached, reached, generic_timeout_error, reached
        97481 ms  t2
        121081 ms  t1
        139941 ms  t3
        140001 ms  round: not_run, reached, generic_timeout_error, reached
        157661 ms  t2
        177201 ms  t1
        203101 ms  t3
        203161 ms  round: not_run, reached, generic_timeout_error, reached
        219911 ms  t2
        236111 ms  t1
    "]]
    .assert_eq(&street.timeline());
}

#[test]
fn a_round_over_nothing_ends_when_its_time_is_over() {
    let street = Street::walk(plan(0, 0), 1, secs(300), |_, _| unreachable!("there is nothing to probe"));
    assert!(street.rounds.len() >= 4);
    for pair in street.rounds.windows(2) {
        assert_eq!(pair[1].ended_at.since(pair[0].ended_at), secs(60));
        assert!(pair[0].outcomes.is_empty());
    }
}

#[test]
fn a_round_is_told_as_soon_as_all_of_it_is_known() {
    let street = Street::walk(plan(2, 0), 3, secs(200), |_, _| (REACHED, secs(1)));
    let last_of_first = street.starts[1].at.after(secs(1));
    assert_eq!(street.rounds[0].ended_at, last_of_first);
    assert_eq!(street.rounds[0].outcomes, [REACHED, REACHED]);
}

#[test]
fn a_full_round_fits_to_the_last_target() {
    let street = Street::walk(plan(30, 0), 5, secs(600), |_, _| (REACHED, Duration::from_millis(300)));
    assert!(street.rounds.len() >= 8);
    for round in &street.rounds {
        assert_eq!(round.outcomes, [REACHED; 30]);
    }
}

#[test]
fn what_does_not_fit_is_not_run_and_comes_first_in_the_next_round() {
    let street = Street::walk(plan(30, 0), 5, secs(400), |target, _| {
        let dead = ["t1", "t2", "t3", "t4"].contains(&target.entry_point.as_str());
        if dead { (TIMEOUT, secs(8)) } else { (REACHED, Duration::from_millis(60)) }
    });
    for (number, pair) in street.rounds.windows(2).enumerate() {
        let missed: BTreeSet<usize> = (0..30).filter(|at| pair[0].outcomes[*at] == NOT_RUN).collect();
        assert!((6..=14).contains(&missed.len()), "{missed:?}");
        let mut next = street.starts.iter().filter(|start| start.round == number + 1).map(|start| start.target);
        // A failed one that rests may be overtaken; none of these failed in the round before.
        assert_eq!(next.by_ref().take(missed.len()).collect::<BTreeSet<_>>(), missed);
    }
}

#[test]
fn slow_tcp_targets_do_not_take_the_turn_of_udp_ones() {
    let street = Street::walk(plan(20, 10), 5, secs(600), |target, _| {
        if target.lane.is_udp() { (REACHED, Duration::from_millis(60)) } else { (TIMEOUT, secs(8)) }
    });
    for round in &street.rounds {
        assert!(round.outcomes[20..].iter().filter(|outcome| **outcome == REACHED).count() >= 6);
    }
}

#[test]
fn a_probe_that_runs_when_its_round_ends_is_waited_for() {
    let street = Street::walk(plan(1, 0), 5, secs(600), |_, round| {
        if round == 1 { (TIMEOUT, secs(61)) } else { (REACHED, Duration::from_millis(60)) }
    });
    assert!(street.rounds.len() >= 8);
    // 61 s is far over the budget of 8 s: the witness was starved.
    assert_eq!(street.rounds[1].outcomes, [STALLED]);
    assert!(street.rounds.iter().skip(2).all(|round| round.outcomes == [REACHED]));
}

#[test]
fn failures_of_a_round_without_network_can_be_discounted() {
    let mut round = Round { plan_version: 1, ended_at: Moment::ZERO, outcomes: vec![REACHED, TIMEOUT, NOT_RUN] };
    round.discount_failures(Reason::ControlsFailed);
    assert_eq!(round.outcomes, [REACHED, Outcome::Inconclusive(Reason::ControlsFailed), NOT_RUN]);
}

#[test]
fn agents_with_different_seeds_begin_at_different_moments() {
    let begins: BTreeSet<u64> = (0..64)
        .map(|seed| Street::walk(plan(1, 0), seed, secs(80), |_, _| (REACHED, secs(1))).starts[0].at.as_ms() / 15_000)
        .collect();
    assert_eq!(begins.into_iter().take(4).collect::<Vec<_>>(), [0, 1, 2, 3]);
}
