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
            let chi_square = chi_square(times.iter().map(|own| own[round]), every);
            assert!(chi_square < CHI_SQUARE_MAX, "round {round}: {chi_square}");
        }
    }
}

#[test]
fn agents_that_share_seeds_and_a_tenth_without_jitter_would_be_seen_to_fall_together() {
    let every = Timing::default().watch_every;
    let is_round = |duty: &Duty| matches!(duty, Duty::Measure { .. } | Duty::Probe { .. });
    let own: Vec<Vec<Moment>> = (0..u64::from(AGENTS)).map(|seed| duties(seed, is_round)).collect();
    for round in [0, 1, 2, 7, 30] {
        let in_step = Moment::ZERO.after(every * (round as u32 + 1));
        let one_seed = |_: usize| own[7][round];
        let ten_seeds = |number: usize| own[number % 10][round];
        let a_tenth_in_step = |number: usize| if number.is_multiple_of(10) { in_step } else { own[number][round] };
        for moment_of in [&one_seed as &dyn Fn(usize) -> Moment, &ten_seeds, &a_tenth_in_step] {
            let chi_square = chi_square((0..own.len()).map(moment_of), every);
            assert!(chi_square > CHI_SQUARE_MAX, "round {round}: {chi_square}");
        }
    }
}

/// How far the offsets of these moments in a period, one of each agent, are from falling evenly into its twentieths.
fn chi_square(moments: impl Iterator<Item = Moment>, every: Duration) -> f64 {
    let expected = f64::from(AGENTS) / f64::from(BINS as u32);
    let mut counts = [0_u32; BINS as usize];
    for moment in moments {
        let offset_ms = moment.as_ms() % ms(every);
        counts[(offset_ms * BINS / ms(every)) as usize] += 1;
    }
    counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
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
