//! Long times and many agents.

use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use super::river::{River, at, edge, edges, mins, took};
use crate::edge::{Chooser, Duty, Memory, Resolution, Timing};
use crate::time::Moment;

const MONTH: Duration = Duration::from_hours(30 * 24);

#[test]
fn equal_edges_do_not_swap_places_in_a_month() {
    for seed in 0..4 {
        let mut river = River::new(&[30, 30, 31], seed);
        river.bridges.insert(edge(2), Some(30_400));
        river.bridges.insert(edge(3), Some(30_900));
        river.spikes = 33;
        river.connect();
        river.run(MONTH);
        assert!(river.rounds().len() > 8_000);
        assert!(river.moves().len() <= 1, "{:?}", river.moves());
    }
}

#[test]
fn an_equal_edge_that_fails_every_day_costs_a_move_a_day_at_most() {
    for seed in 0..2 {
        let mut river = River::new(&[30, 30], seed);
        river.spikes = 33;
        river.connect();
        for _ in 0..30 {
            let away = river.session.unwrap();
            river.kill(super::river::number(away));
            river.run(mins(60));
            river.bridges.insert(away, Some(30_000));
            river.run(mins(23 * 60));
        }
        assert!(river.moves().len() <= 30, "{:?}", river.moves());
    }
}

/// The 99.9 % point of chi-square with 19 degrees of freedom.
const CHI_SQUARE_MAX: f64 = 43.82;
const BINS: u64 = 20;
const AGENTS: u32 = 1000;

#[test]
fn the_rounds_of_a_thousand_agents_that_begin_together_do_not_fall_together() {
    let timing = Timing::default();
    for (every, is_wanted) in [
        (timing.watch_every, (|duty| matches!(duty, Duty::Measure { .. } | Duty::Probe { .. })) as fn(&Duty) -> bool),
        (timing.resolve_every, |duty| *duty == Duty::Resolve),
    ] {
        let times: Vec<Vec<Moment>> = (0..u64::from(AGENTS)).map(|seed| duties(seed, is_wanted)).collect();
        for round in [0, 1, 2, 7, 30] {
            let mut counts = [0_u32; BINS as usize];
            for own in &times {
                let offset_ms = own[round].as_ms() % ms(every);
                counts[(offset_ms * BINS / ms(every)) as usize] += 1;
            }
            let expected = f64::from(AGENTS) / f64::from(BINS as u32);
            let chi_square: f64 = counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum();
            assert!(chi_square < CHI_SQUARE_MAX, "round {round}: {chi_square} {counts:?}");
        }
    }
}

#[test]
fn agents_with_one_seed_would_fall_together() {
    let is_round = |duty: &Duty| matches!(duty, Duty::Measure { .. } | Duty::Probe { .. });
    assert_eq!(duties(7, is_round), duties(7, is_round));
    assert_ne!(duties(7, is_round), duties(8, is_round));
}

fn ms(span: Duration) -> u64 {
    span.as_millis() as u64
}

/// When an agent that begins at zero does what is wanted, the first few times.
fn duties(seed: u64, is_wanted: fn(&Duty) -> bool) -> Vec<Moment> {
    let mut chooser = Chooser::new(&Memory::default(), Timing::default(), seed, Moment::ZERO, Moment::ZERO);
    chooser.handle_resolved(Resolution::Addresses(edges(&[1, 2])), Moment::ZERO);
    chooser.handle_opened(edge(1), Moment::ZERO);
    let mut done = vec![];
    let mut now = Moment::ZERO;
    while done.len() <= 30 {
        while let Some(duty) = chooser.poll_duty() {
            if is_wanted(&duty) {
                done.push(now);
            }
            let answers =
                |addresses: Vec<_>| addresses.into_iter().map(|address| (address, Some(took(30)))).collect::<Vec<_>>();
            match duty {
                Duty::Resolve => chooser.handle_resolved(Resolution::Failed, now),
                Duty::Measure { addresses } => chooser.handle_measured(&answers(addresses), now),
                Duty::Probe { addresses } => chooser.handle_probed(&answers(addresses), now),
                Duty::Move(_) => unreachable!("all are equal"),
            }
        }
        now = chooser.poll_timeout().unwrap();
        chooser.handle_tick(now);
        assert!(now < at(MONTH));
    }
    done
}
