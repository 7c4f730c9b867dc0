#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::lane::Lane;
use crate::outcome::{Failure, FailureKind, Operation};
use crate::probe::{Probe, ProbeKind};

const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(60) };
const TIMEOUT: Outcome = Outcome::Failed(Failure {
    operation: Operation::TlsHandshake,
    kind: FailureKind::Timeout,
    after: Duration::from_secs(8),
    bytes: 0,
});
const NOT_RUN: Outcome = Outcome::Inconclusive(Reason::NotRun);
const STALLED: Outcome = Outcome::Inconclusive(Reason::Stalled);

// Timelines.

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

// Stalls.

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

// Plans.

#[test]
fn a_new_plan_waits_for_the_end_of_the_round_and_keeps_what_is_known() {
    let mut pacing = Pacing::new(plan(3, 0), 9, Moment::ZERO);
    let mut street = Street::default();
    let mut dead = |target: &Target, _: usize| match target.entry_point.as_str() {
        "t1" => (TIMEOUT, secs(8)),
        _ => (REACHED, Duration::from_millis(60)),
    };
    street.drive(&mut pacing, secs(100), &[], &mut dead);
    let mut wider = plan(4, 0);
    wider.version = 2;
    wider.targets[1].probe.every = 100;
    let mut known = wider.clone();
    known.targets[1].probe.every = 1;
    pacing.handle_plan(known, street.now);
    street.drive(&mut pacing, secs(400), &[], &mut dead);
    let first_new = street.rounds.iter().position(|round| round.plan_version == 2).unwrap();
    assert!(street.rounds[..first_new].iter().all(|round| round.plan_version == 1 && round.outcomes.len() == 3));
    assert!(street.rounds[first_new..].iter().all(|round| round.plan_version == 2 && round.outcomes.len() == 4));
    assert!(street.rounds[first_new].ended_at <= Moment::ZERO.after(secs(220)));
}

#[test]
fn a_new_plan_cuts_a_round_of_hours_short_after_a_minute() {
    let long = ProbePlan { interval: Duration::from_hours(4), ..plan(100, 0) };
    let mut pacing = Pacing::new(long, 9, Moment::ZERO);
    let mut street = Street::default();
    let mut answer = |_: &Target, _: usize| (REACHED, secs(1));
    street.drive(&mut pacing, Duration::from_hours(5), &[], &mut answer);
    let handed_at = street.now;
    pacing.handle_plan(ProbePlan { version: 2, ..plan(101, 0) }, handed_at);
    street.drive(&mut pacing, Duration::from_hours(5) + secs(400), &[], &mut answer);
    let cut = street.rounds.iter().rfind(|round| round.plan_version == 1).unwrap();
    assert!(cut.ended_at <= handed_at.after(secs(61)));
    assert!(cut.outcomes.contains(&NOT_RUN));
    assert_eq!(street.rounds.last().unwrap().plan_version, 2);
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

// Statements, for any plan.

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_at_a_time_spaced_and_each_target_once_whatever_happens(
        (tcp, udp) in (0usize..25, 0usize..12),
        seed in any::<u64>(),
        (interval_s, spacing_ms) in (5u64..120, 1u64..4_000),
        answers in proptest::collection::vec((0u64..12_000, any::<bool>()), 1..40),
        pauses in proptest::collection::vec((0u64..900, 0u64..200), 0..4),
        changes in proptest::collection::vec((0u64..900, 0usize..20), 0..4),
    ) {
        let spacing = Duration::from_millis(spacing_ms);
        let sized = |tcp, udp, version| ProbePlan {
            version, interval: secs(interval_s), min_spacing: spacing, ..plan(tcp, udp)
        };
        let pauses: Vec<Pause> =
            pauses.into_iter().map(|(from, span)| Pause { from: secs(from), span: secs(span) }).collect();
        let mut changes = changes;
        changes.sort_unstable();
        let mut pacing = Pacing::new(sized(tcp, udp, 1), seed, Moment::ZERO);
        let mut street = Street::default();
        let mut at = 0;
        let mut answer = |_: &Target, _: usize| {
            at += 1;
            let (took_ms, reached) = answers[at % answers.len()];
            (if reached { REACHED } else { TIMEOUT }, Duration::from_millis(took_ms))
        };
        let mut sizes = vec![tcp + udp];
        for (version, (from, count)) in (2u64..).zip(changes) {
            street.drive(&mut pacing, secs(from), &pauses, &mut answer);
            pacing.handle_plan(sized(count, 2, version), street.now);
            sizes.push(count + 2);
        }
        street.drive(&mut pacing, secs(1_200), &pauses, &mut answer);

        for pair in street.starts.windows(2) {
            prop_assert!(pair[1].at.since(pair[0].at) >= spacing);
            prop_assert!(pair[1].at >= pair[0].ended_at);
        }
        let unique: BTreeSet<_> = street.starts.iter().map(|start| (start.round, start.target)).collect();
        prop_assert_eq!(unique.len(), street.starts.len());
        for round in &street.rounds {
            prop_assert_eq!(round.outcomes.len(), sizes[round.plan_version as usize - 1]);
        }
        for pair in street.rounds.windows(2) {
            prop_assert!(pair[0].ended_at <= pair[1].ended_at);
        }
        prop_assert!(!street.rounds.is_empty() || interval_s > 100);
    }

    #[test]
    fn gaps_vary_by_up_to_30_percent_in_a_round_with_room((tcp, udp) in (0usize..8, 0usize..6), seed in any::<u64>()) {
        let street = Street::walk(plan(tcp, udp), seed, secs(600), |_, _| (REACHED, Duration::from_millis(60)));
        let slot_ms = 60_000 / (tcp + udp).max(1) as u64;
        let mut varied = BTreeSet::new();
        for pair in street.starts.windows(2) {
            let gap_ms = ms(pair[1].at.since(pair[0].at));
            prop_assert!((slot_ms * 7 / 10 - 2..=slot_ms * 13 / 10 + 2).contains(&gap_ms), "{gap_ms} of {slot_ms}");
            varied.insert(gap_ms);
        }
        prop_assert!(varied.len() * 2 >= street.starts.len().saturating_sub(1));
    }

    #[test]
    fn the_order_differs_from_round_to_round(seed in any::<u64>()) {
        let street = Street::walk(plan(12, 0), seed, secs(700), |_, _| (REACHED, Duration::from_millis(60)));
        let orders: BTreeSet<Vec<usize>> = (0..street.rounds.len())
            .map(|round| street.starts.iter().filter(|start| start.round == round).map(|start| start.target).collect())
            .collect();
        prop_assert_eq!(orders.len(), street.rounds.len());
    }

    #[test]
    fn udp_comes_after_tcp_in_every_round((tcp, udp) in (1usize..20, 1usize..20), seed in any::<u64>()) {
        let street = Street::walk(plan(tcp, udp), seed, secs(400), |_, round| {
            if round % 2 == 0 { (REACHED, secs(1)) } else { (TIMEOUT, secs(6)) }
        });
        for pair in street.starts.windows(2) {
            prop_assert!(pair[0].round != pair[1].round || pair[0].target < tcp || pair[1].target >= tcp);
        }
    }

    #[test]
    fn a_failed_probe_is_not_repeated_at_once(tcp in 1usize..20, seed in any::<u64>()) {
        let street = Street::walk(plan(tcp, 0), seed, secs(600), |_, _| (TIMEOUT, secs(1)));
        for target in 0..tcp {
            let starts: Vec<Moment> =
                street.starts.iter().filter(|start| start.target == target).map(|start| start.at).collect();
            prop_assert!(starts.windows(2).all(|pair| pair[1].since(pair[0]) >= secs(15)));
            prop_assert!(starts.len() >= 7);
        }
    }

    #[test]
    fn a_rare_probe_runs_every_nth_round_and_in_each_while_it_fails(every in 2u16..12, seed in any::<u64>()) {
        let mut plan = plan(3, 0);
        plan.targets[1].probe.every = every;
        let street = Street::walk(plan, seed, secs(3_000), |target, round| {
            if target.entry_point == "t1" && (20..25).contains(&round) {
                (TIMEOUT, secs(8))
            } else {
                (REACHED, Duration::from_millis(60))
            }
        });
        let ran: Vec<usize> =
            street.starts.iter().filter(|start| start.target == 1).map(|start| start.round).collect();
        let first_bad = ran.iter().copied().find(|round| (20..25).contains(round));
        for round in 0..street.rounds.len() {
            let due = round % usize::from(every) == ran[0];
            let failing = first_bad.is_some_and(|first| (first..=25).contains(&round));
            prop_assert_eq!(ran.contains(&round), due || failing, "round {} of {:?}", round, ran);
            prop_assert_eq!(street.rounds[round].outcomes[1] == NOT_RUN, !(due || failing));
        }
    }

    #[test]
    fn handshakes_with_one_name_are_spread_over_the_round(
        sizes in proptest::collection::vec(1usize..8, 1..6),
        seed in any::<u64>(),
    ) {
        let mut plan = plan(sizes.iter().sum(), 0);
        let names: Vec<usize> = sizes.iter().enumerate().flat_map(|(name, size)| vec![name; *size]).collect();
        for (target, name) in plan.targets.iter_mut().zip(&names) {
            target.probe.sni = Some(format!("name{name}.example"));
        }
        let street = Street::walk(plan, seed, secs(130), |_, _| (REACHED, Duration::from_millis(60)));
        let order: Vec<usize> =
            street.starts.iter().filter(|start| start.round == 0).map(|start| names[start.target]).collect();
        for (name, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 1) {
            let places: Vec<usize> = (0..order.len()).filter(|at| order[*at] == name).collect();
            let between: usize = (0..sizes.len())
                .filter(|other| *other != name && sizes[*other] > 1)
                .map(|other| sizes[other] / size)
                .sum();
            prop_assert!(places.windows(2).all(|pair| pair[1] - pair[0] > between), "{:?}", order);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_walk(seed in any::<u64>()) {
        let walk = || Street::walk(plan(8, 3), seed, secs(300), |_, _| (REACHED, secs(1))).timeline();
        prop_assert_eq!(walk(), walk());
    }
}

// Helpers.

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// At the default pace: `tcp` TLS targets and then `udp` QUIC ones, `t0`, `t1`, ….
fn plan(tcp: usize, udp: usize) -> ProbePlan {
    let target = |at: usize| {
        let (lane, kind) = if at < tcp { (Lane::Tcp4, ProbeKind::Tls) } else { (Lane::Udp4, ProbeKind::Quic) };
        let probe = Probe::new(kind, format!("192.0.2.{at}"), 443);
        Target { entry_point: format!("t{at}"), server: format!("s{at}"), lane, probe }
    };
    ProbePlan {
        version: 1,
        interval: secs(60),
        min_spacing: secs(2),
        targets: (0..tcp + udp).map(target).collect(),
        own: Vec::new(),
        controls: Vec::new(),
        speed: 1,
    }
}

/// A time in which the driver does not run.
struct Pause {
    from: Duration,
    span: Duration,
}

struct Start {
    at: Moment,
    ended_at: Moment,
    round: usize,
    target: usize,
}

/// What a driver saw.
#[derive(Default)]
struct Street {
    now: Moment,
    starts: Vec<Start>,
    rounds: Vec<Round>,
    running: Option<(Moment, Outcome)>,
}

impl Street {
    fn walk(
        plan: ProbePlan,
        seed: u64,
        until: Duration,
        answer: impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) -> Self {
        Self::walk_with(plan, seed, until, &[], answer)
    }

    fn walk_with(
        plan: ProbePlan,
        seed: u64,
        until: Duration,
        pauses: &[Pause],
        mut answer: impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) -> Self {
        let mut street = Self::default();
        let mut pacing = Pacing::new(plan, seed, Moment::ZERO);
        street.drive(&mut pacing, until, pauses, &mut answer);
        street
    }

    /// Calls the machine as its text says, on a clock that jumps from event to event.
    fn drive(
        &mut self,
        pacing: &mut Pacing,
        until: Duration,
        pauses: &[Pause],
        answer: &mut impl FnMut(&Target, usize) -> (Outcome, Duration),
    ) {
        let until = Moment::ZERO.after(until);
        loop {
            self.rounds.extend(pacing.poll_round());
            assert!(pacing.poll_round().is_none(), "a round is told once");
            if let Some(target) = pacing.poll_probe() {
                assert!(self.running.is_none(), "two probes at once");
                let (outcome, took) = answer(target, self.rounds.len());
                let id = target.entry_point.clone();
                let ends_at = self.now.after(took);
                self.running = Some((ends_at, outcome));
                let target = pacing.plan().targets.iter().position(|target| target.entry_point == id).unwrap();
                self.starts.push(Start { at: self.now, ended_at: ends_at, round: self.rounds.len(), target });
            }
            assert!(pacing.poll_probe().is_none(), "a target is handed out once");
            let timeout = pacing.poll_timeout();
            assert!(timeout > self.now, "a busy loop");
            let ends_at = self.running.map(|(ends_at, _)| ends_at);
            let event = ends_at.map_or(timeout, |ends_at| ends_at.min(timeout)).max(self.now);
            let event = pauses.iter().fold(event, |event, pause| {
                let (from, to) = (Moment::ZERO.after(pause.from), Moment::ZERO.after(pause.from + pause.span));
                if event > from && event < to { to } else { event }
            });
            if event > until {
                return;
            }
            self.now = event;
            match self.running {
                Some((ends_at, outcome)) if ends_at <= event => {
                    self.running = None;
                    if let Some(start) = self.starts.last_mut() {
                        start.ended_at = event;
                    }
                    pacing.handle_outcome(outcome, event);
                }
                _ => pacing.handle_tick(event),
            }
        }
    }

    fn timeline(&self) -> String {
        let mut lines: Vec<(Moment, String)> = self
            .starts
            .iter()
            .map(|start| (start.at, format!("{} ms  t{}", start.at.as_ms(), start.target)))
            .chain(self.rounds.iter().map(|round| {
                let words: Vec<String> = round
                    .outcomes
                    .iter()
                    .map(|outcome| match outcome {
                        Outcome::Reached { .. } => "reached".to_string(),
                        Outcome::Failed(failure) => failure.kind.to_string(),
                        Outcome::Inconclusive(reason) => reason.to_string(),
                    })
                    .collect();
                (round.ended_at, format!("{} ms  round: {}", round.ended_at.as_ms(), words.join(", ")))
            }))
            .collect();
        lines.sort_by_key(|(at, _)| *at);
        lines.into_iter().map(|(_, line)| line + "\n").collect()
    }
}
