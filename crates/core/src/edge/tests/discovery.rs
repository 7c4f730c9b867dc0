//! The set of addresses: what a resolver's answer, its silence and its changes do.

use alloc::vec;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use super::river::{Event, River, edge, edges, mins, number, secs, wall};
use crate::edge::{ADDRESSES_MAX, Resolution};

#[test]
fn a_resolver_that_fails_or_knows_nothing_changes_nothing() {
    for answer in [None, Some(vec![])] {
        let mut river = River::settled(&[40, 10], 1);
        river.dns = answer;
        river.run(mins(60));
        river.break_session();
        assert_eq!((river.order(), river.moves()), (vec![2, 1], vec![]));
    }
}

#[test]
fn the_last_good_set_is_kept_for_seven_days_and_no_longer() {
    let mut river = River::settled(&[40, 10], 1);
    river.chooser.handle_resolved(Resolution::Addresses(edges(&[1, 2])), river.now);
    let week = mins(7 * 24 * 60);
    for (age, order) in [(week, vec![2, 1]), (week + Duration::from_millis(1), vec![])] {
        river.chooser.handle_tick(river.now.after(age));
        assert_eq!(river.order(), order);
    }
    // It also ages while no agent runs.
    let memory = River::settled(&[40, 10], 1).chooser.memory(river.now, wall(river.now));
    for (age, known) in [(mins(7 * 24 * 60 - 2), true), (week + mins(2), false)] {
        let (now, wall) = (river.now, memory.resolved_at.unwrap().after(age));
        let chooser = crate::edge::Chooser::new(&memory, crate::edge::Timing::default(), 1, now, wall);
        assert_eq!(!chooser.connect_order().addresses().is_empty(), known, "{age:?}");
    }
}

#[test]
fn an_address_that_is_missing_twice_is_left_at_once_and_without_thresholds() {
    let mut river = River::settled(&[10, 200], 1);
    river.dns = Some(edges(&[2]));
    let since = river.now;
    let moved = river.run_until(|event| matches!(event, Event::Moved(..)));
    assert_eq!(river.moves(), [("edge_removed", 2)]);
    assert_eq!(river.session, Some(edge(2)));
    let resolutions = river.resolved.iter().filter(|at| **at > since && **at <= moved).count();
    assert_eq!(resolutions, 2);
    assert!(moved.since(since) <= secs(180));
}

#[test]
fn an_address_that_is_missing_once_is_not_left() {
    let mut river = River::settled(&[10, 200], 1);
    for _ in 0..20 {
        river.dns = Some(edges(&[2]));
        next_resolution(&mut river);
        river.dns = Some(edges(&[1, 2]));
        next_resolution(&mut river);
    }
    assert_eq!(river.moves(), []);
}

#[test]
fn a_failed_resolution_between_two_says_nothing_about_who_is_missing() {
    let mut river = River::settled(&[10, 200], 1);
    river.dns = Some(edges(&[2]));
    next_resolution(&mut river);
    river.dns = None;
    next_resolution(&mut river);
    river.dns = Some(vec![]);
    next_resolution(&mut river);
    assert_eq!(river.moves(), []);
    river.dns = Some(edges(&[2]));
    next_resolution(&mut river);
    assert_eq!(river.moves(), [("edge_removed", 2)]);
}

#[test]
fn a_retired_edge_is_left_even_just_after_another_move() {
    let mut river = River::settled(&[10, 20, 30], 1);
    river.dns = Some(edges(&[2, 3]));
    let first = river.run_until(|event| *event == Event::Moved("edge_removed", 2));
    river.dns = Some(edges(&[3]));
    let second = river.run_until(|event| *event == Event::Moved("edge_removed", 3));
    assert!(second.since(first) < mins(5));
}

#[test]
fn who_left_the_set_is_not_moved_to() {
    let mut river = River::settled(&[10, 20, 30], 1);
    river.kill(1);
    river.dns = Some(edges(&[2, 3]));
    river.set(1, 10);
    river.run(mins(120));
    assert_eq!((river.moves(), river.session), (vec![], Some(edge(2))));
}

#[test]
fn of_too_many_addresses_the_known_stay_wherever_the_resolver_begins() {
    let mut river = River::settled(&[40, 10], 1);
    let many: alloc::vec::Vec<_> = (10..250).map(edge).chain(edges(&[1, 2])).collect();
    for turn in 0..many.len() {
        let mut turned = many.clone();
        turned.rotate_left(turn);
        river.chooser.handle_resolved(Resolution::Addresses(turned), river.now);
        let order = river.chooser.connect_order().addresses();
        assert_eq!((order.len(), number(order[0]), number(order[1])), (ADDRESSES_MAX, 2, 1));
    }
}

#[test]
fn a_name_that_changes_all_the_time_fills_no_memory() {
    let mut river = River::settled(&[40, 10], 1);
    for turn in 0..1000_u32 {
        let fresh = (0..16).map(|n| IpAddr::V4(Ipv4Addr::from_bits(0xc612_0000 + turn * 16 + n)));
        river.chooser.handle_resolved(Resolution::Addresses(fresh.collect()), river.now);
        assert!(river.chooser.memory(river.now, wall(river.now)).ranking.len() <= 2 + ADDRESSES_MAX);
    }
}

fn next_resolution(river: &mut River) {
    let before = river.resolved.len();
    while river.resolved.len() == before {
        river.run(secs(1));
    }
}
