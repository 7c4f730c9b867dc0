//! Measuring, ranking, connecting, and moving to a better edge.

use alloc::vec;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::river::{Event, River, at, edge, edges, mins, numbers, secs, took, wall};
use crate::edge::{CANDIDATES_MAX, Chooser, ConnectOrder, Dial, Duty, Ended, Memory, Resolution, Timing, Why};
use crate::time::Moment;

#[test]
fn an_agent_that_knows_nothing_connects_first_and_finds_the_best_edge_beside_its_session() {
    let mut river = River::new(&[80, 40, 10], 1);
    assert!(!river.has_choice());
    river.connect();
    river.run(mins(40));
    expect_test::expect![[r"
        0:00:00  session through 1
        0:02:25  measured [1, 2, 3]
        0:09:36  measured [1, 3, 2]
        0:10:00  edge_better to 3
        0:10:00  session through 3
        0:12:40  probed [3]
        0:19:20  probed [3]
        0:23:32  probed [3]
        0:26:53  probed [3]
        0:31:08  probed [3]
        0:37:04  probed [3]
        0:39:59  probed [3]
    "]]
    .assert_eq(&river.told());
}

#[test]
fn the_best_edge_is_kept_over_a_restart_without_measuring() {
    let mut river = River::settled(&[80, 40, 10], 1);
    assert_eq!(river.session, Some(edge(3)));
    river.restart();
    assert_eq!(river.session, Some(edge(3)));
    river.run(mins(60));
    assert!(river.events.iter().all(|(_, event)| !matches!(event, Event::Measured(_) | Event::Moved(..))));
    assert_eq!(river.chooser.memory(river.now, wall(river.now)).seat.unwrap().why, Why::First);
}

#[test]
fn edges_are_dialled_in_ranked_order_each_with_twice_its_time_ahead_of_the_next() {
    let river = River::settled(&[2500, 40, 300], 1);
    let dial = |number, ms| Dial { address: edge(number), stagger: Duration::from_millis(ms) };
    // Bounded by 250 ms and 2 s.
    let expected = vec![dial(2, 250), dial(3, 600), dial(1, 2000)];
    assert_eq!(river.chooser.connect_order(), ConnectOrder::Ranked(expected));
}

#[test]
fn who_is_new_is_dialled_after_the_ranked_and_who_fails_comes_last() {
    let mut river = River::settled(&[80, 40, 10], 1);
    river.kill(3);
    river.dns = Some(edges(&[9, 1, 2, 3]));
    river.connect();
    assert_eq!(river.order(), [2, 1, 9, 3]);
}

#[test]
fn without_a_measurement_the_set_is_dialled_as_the_resolver_gave_it() {
    let mut river = River::new(&[80, 40, 10], 1);
    river.dns = Some(edges(&[2, 3, 1]));
    river.connect();
    assert_eq!(river.chooser.connect_order(), ConnectOrder::Plain(edges(&[2, 3, 1])));
    assert_eq!(river.chooser.memory(river.now, wall(river.now)).seat.unwrap().why, Why::NoChoice);
}

#[test]
fn fewer_than_two_addresses_are_never_measured() {
    for ms in [&[50][..], &[]] {
        let mut river = River::new(ms, 1);
        river.connect();
        river.session = Some(edge(1));
        river.chooser.handle_opened(edge(1), river.now);
        river.events.clear();
        river.run(mins(600));
        assert_eq!(river.events, []);
        assert!(river.resolved.len() > 500, "an edge may be added at any time");
        assert_eq!(river.chooser.connect_order(), ConnectOrder::Plain(river.dns.unwrap()));
    }
}

#[test]
fn at_most_eight_are_measured_and_always_the_same() {
    let mut river = River::new(&[90, 80, 70, 60, 50, 40, 30, 20, 15, 10], 1);
    river.spikes = 33;
    river.connect();
    river.run(mins(24 * 60));
    let measured = measured_sets(&river);
    assert!(measured.len() > 4);
    assert!(measured.iter().all(|numbers| *numbers == measured[0] && numbers.len() == CANDIDATES_MAX));
    // All ten are dialled all the same.
    assert_eq!(river.order().len(), 10);
}

#[test]
fn a_measurement_is_made_anew_after_six_hours_and_not_before() {
    let mut river = River::settled(&[40, 10], 1);
    let first = river.run_until(|event| matches!(event, Event::Measured(_)));
    let second = river.run_until(|event| matches!(event, Event::Measured(_)));
    let between = second.since(first);
    assert!(between >= mins(360) && between <= mins(360) + mins(8), "{between:?}");
}

#[test]
fn an_edge_that_comes_or_goes_makes_the_measurement_stale() {
    let mut river = River::settled(&[80, 40, 10], 1);
    river.set(4, 60);
    river.dns = Some(edges(&[1, 2, 3, 4]));
    let since = river.now;
    let measured = river.run_until(|event| *event == Event::Measured(vec![3, 2, 1, 4]));
    assert!(measured.since(since) < mins(10));
    // The chosen one is still in.
    river.dns = Some(edges(&[1, 3, 4]));
    let since = river.now;
    let measured = river.run_until(|event| *event == Event::Measured(vec![3, 4, 1]));
    assert!(measured.since(since) < mins(10));
    assert_eq!(river.moves(), []);
}

#[test]
fn a_better_edge_needs_twenty_ms_and_a_quarter() {
    for (current, other, moves) in [
        (80, 60, true),   // 20 ms and 25 %
        (80, 61, false),  // 19 ms
        (100, 79, false), // 21 %
        (100, 75, true),  // 25 %
        (4, 3, false),    // 25 %, and 1 ms
        (40, 79, false),
    ] {
        let mut river = River::new(&[current, other], 1);
        river.connect();
        assert_eq!(river.session, Some(edge(1)));
        river.run(mins(60));
        let expected: &[_] = if moves { &[("edge_better", 2)] } else { &[] };
        assert_eq!(river.moves(), expected, "{current} → {other} ms");
    }
}

#[test]
fn one_better_measurement_means_nothing() {
    let mut river = River::settled(&[40, 60], 1);
    river.set(2, 10);
    river.run_until(|event| matches!(event, Event::Measured(_)));
    river.set(2, 60);
    let confirming = river.run_until(|event| matches!(event, Event::Measured(_)));
    assert!(confirming.since(river.events[0].0) > Duration::ZERO);
    river.run(mins(300));
    assert_eq!(river.moves(), []);
    // It was asked for soon after, and after that no more.
    let measured = river.events.iter().filter(|(_, event)| matches!(event, Event::Measured(_))).count();
    assert_eq!(measured, 2);
}

#[test]
fn a_better_edge_waits_until_the_present_one_had_ten_minutes() {
    for seed in 0..20 {
        let mut river = River::new(&[80, 10], seed);
        river.connect();
        let opened = river.now;
        let moved = river.run_until(|event| *event == Event::Moved("edge_better", 2));
        assert!(moved.since(opened) >= mins(10));
        let rounds = river.rounds().iter().filter(|(at, _)| *at <= moved).count();
        assert!(rounds >= 2);
        // Where two rounds fit in, that is the very moment.
        let early = river.rounds().iter().filter(|(at, _)| at.since(opened) < mins(10)).count() >= 2;
        assert!(!early || moved.since(opened) == mins(10));
    }
}

#[test]
fn an_edge_on_which_sessions_break_young_is_dialled_last() {
    for (age_s, order) in [(59, [2, 1]), (60, [1, 2])] {
        let mut river = River::settled(&[10, 11], 1);
        river.break_session();
        assert_eq!(river.session, Some(edge(1)));
        river.now = river.now.after(secs(age_s));
        river.chooser.handle_ended(Ended::Error, river.now);
        assert_eq!(river.order(), order, "{age_s} s");
    }
}

#[test]
fn a_planned_end_is_held_against_nobody() {
    let mut river = River::settled(&[10, 11], 1);
    river.break_session();
    river.chooser.handle_ended(Ended::Planned, river.now.after(secs(1)));
    assert_eq!(river.order(), [1, 2]);
}

#[test]
fn both_families_are_candidates_and_a_mapped_address_is_the_one_it_maps() {
    let v6: IpAddr = "2001:db8::7".parse().unwrap();
    let mapped: IpAddr = "::ffff:203.0.113.1".parse().unwrap();
    let mut chooser = Chooser::new(&Memory::default(), Timing::default(), 1, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(vec![mapped, v6, edge(1)]), at(secs(1)));
    assert_eq!(chooser.connect_order(), ConnectOrder::Plain(vec![edge(1), v6]));
    chooser.handle_opened(mapped, at(secs(2)));
    chooser.handle_tick(at(mins(6)));
    assert_eq!(chooser.poll_duty(), Some(Duty::Resolve));
    assert_eq!(chooser.poll_duty(), Some(Duty::Measure { addresses: vec![edge(1), v6] }));
    chooser.handle_measured(&[(v6, Some(took(9))), (mapped, Some(took(12)))], at(mins(6)));
    chooser.handle_ended(Ended::Planned, at(mins(6)));
    assert_eq!(chooser.connect_order().addresses(), [v6, edge(1)]);
}

#[test]
fn nothing_is_asked_for_while_no_session_is_up_and_everything_once_while_one_is() {
    let mut chooser = Chooser::new(&Memory::default(), Timing::default(), 1, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(edges(&[1, 2])), at(secs(1)));
    assert_eq!((chooser.poll_duty(), chooser.poll_timeout()), (None, None));
    chooser.handle_opened(edge(1), at(secs(1)));
    chooser.handle_tick(at(mins(60)));
    let duties =
        [chooser.poll_duty(), chooser.poll_duty(), chooser.poll_duty(), chooser.poll_timeout().map(|_| Duty::Resolve)];
    assert_eq!(duties, [Some(Duty::Resolve), Some(Duty::Measure { addresses: edges(&[1, 2]) }), None, None]);
    chooser.handle_ended(Ended::Error, at(mins(61)));
    assert_eq!((chooser.poll_duty(), chooser.poll_timeout()), (None, None));
    // What was under way is forgotten with the session.
    chooser.handle_opened(edge(1), at(mins(61)));
    chooser.handle_tick(at(mins(120)));
    assert_eq!(chooser.poll_duty(), Some(Duty::Resolve));
}

#[test]
fn a_lab_may_let_time_run_faster_but_never_in_a_busy_loop() {
    assert_eq!(Timing::scaled(60).watch_every, secs(5));
    assert_eq!(Timing::scaled(0), Timing::default());
    let timing = Timing::scaled(u32::MAX);
    let mut chooser = Chooser::new(&Memory::default(), timing, 1, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(edges(&[1])), at(secs(1)));
    chooser.handle_opened(edge(1), at(secs(1)));
    while chooser.poll_duty().is_some() {}
    assert!(chooser.poll_timeout().is_none_or(|at_ms| at_ms > at(secs(1))));
}

#[test]
fn an_address_that_never_answered_is_tried_in_every_round() {
    let mut river = River::new(&[10, 20, 30], 1);
    river.bridges.insert(edge(2), None);
    river.connect();
    river.run(mins(120));
    let rounds = river.rounds();
    assert!(rounds.len() > 15 && rounds.iter().all(|(_, numbers)| numbers.contains(&2)));
    // When it answers, it is measured soon and once, and ranked by that.
    river.set(2, 5);
    let since = river.now;
    let measured = river.run_until(|event| *event == Event::Measured(vec![1, 3, 2]));
    assert!(measured.since(since) <= mins(15));
    let before = river.rounds().len();
    river.run(mins(60));
    assert!(river.events.iter().skip(before + 1).all(|(_, event)| *event == Event::Probed(vec![1])));
    river.break_session();
    assert_eq!(numbers(&river.chooser.connect_order().addresses()), [2, 1, 3]);
}

#[test]
fn a_session_through_a_ninth_edge_puts_one_of_the_eight_out_for_good() {
    let mut river = River::new(&[30; 10], 1);
    river.spikes = 33;
    river.connect();
    river.run(mins(30));
    for number in 1..=8 {
        river.bridges.insert(edge(number), None);
    }
    river.break_session();
    assert_eq!(river.session, Some(edge(9)));
    for number in 1..=8 {
        river.set(number, 30);
    }
    river.events.clear();
    river.run(mins(24 * 60));
    let measured = measured_sets(&river);
    assert!(measured.len() >= 4 && measured[0].contains(&9));
    assert!(measured.iter().all(|numbers| *numbers == measured[0]), "{measured:?}");
}

/// Whom each full measurement tried, in their own order.
fn measured_sets(river: &River) -> Vec<Vec<u8>> {
    let measured = river.events.iter().filter_map(|(_, event)| match event {
        Event::Measured(numbers) => Some(numbers.clone()),
        Event::Probed(_) | Event::Moved(..) | Event::Opened(_) => None,
    });
    let sorted = measured.map(|mut numbers| {
        numbers.sort_unstable();
        numbers
    });
    sorted.collect()
}
