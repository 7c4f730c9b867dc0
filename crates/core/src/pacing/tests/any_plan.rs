//! Statements for any plan.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;

use super::*;

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
