//! What is kept over a restart, and what is made of what was kept.

use alloc::vec::Vec;
use core::time::Duration;

use super::river::{Event, River, edge, edges, mins, secs, wall};
use crate::edge::{Chooser, ConnectOrder, Memory, Ranked, Times, Timing};
use crate::time::Moment;

#[test]
fn a_memory_comes_back_as_it_was() {
    let mut river = River::settled(&[80, 40, 10], 1);
    river.kill(2);
    river.chooser.handle_ended(crate::edge::Ended::Planned, river.now);
    let memory = river.chooser.memory(river.now, wall(river.now));
    let later = secs(500);
    // Another boot: time since boot has begun anew.
    let again = Chooser::new(&memory, Timing::default(), 9, Moment::ZERO, wall(river.now.after(later)));
    assert_eq!(again.memory(Moment::ZERO, wall(river.now.after(later))), memory);
    assert_eq!(again.connect_order(), river.chooser.connect_order());
}

#[test]
fn a_fail_over_survives_a_restart() {
    let mut river = River::settled(&[40, 10], 1);
    river.kill(2);
    river.restart();
    assert_eq!(river.order(), [1, 2]);
    // And so does the way back.
    river.set(2, 10);
    river.run(mins(30));
    assert_eq!(river.moves(), [("edge_return", 2)]);
}

#[test]
fn a_measurement_ages_while_no_agent_runs() {
    for (away, measures) in [(mins(200), false), (mins(400), true)] {
        let mut river = River::settled(&[40, 10], 1);
        river.restart_after(away);
        river.run(mins(10));
        assert_eq!(river.events.iter().any(|(_, event)| matches!(event, Event::Measured(_))), measures);
    }
}

#[test]
fn what_claims_to_be_from_the_future_is_measured_anew_and_dialled_meanwhile() {
    let river = River::settled(&[40, 10], 1);
    let memory = river.chooser.memory(river.now, wall(river.now));
    let mut chooser = Chooser::new(&memory, Timing::default(), 1, Moment::ZERO, Moment::from_ms(5));
    assert_eq!(chooser.connect_order().addresses(), edges(&[2, 1]));
    assert_eq!(chooser.memory(Moment::ZERO, Moment::from_ms(5)).measured_at, None);
    chooser.handle_tick(Moment::ZERO.after(Duration::from_hours(7 * 24) + secs(1)));
    assert_eq!(chooser.connect_order(), ConnectOrder::Plain(Vec::new()));
}

#[test]
fn a_memory_of_rubbish_does_no_harm() {
    let absurd = Times { tcp: Duration::MAX, tls: Duration::MAX, samples: u8::MAX };
    let ranked =
        |n| Ranked { address: edge(n), times: Some(absurd), failing: false, good_rounds: 255, better_rounds: 255 };
    let memory = Memory {
        addresses: (0..=255).chain(0..=255).map(edge).collect(),
        resolved_at: Some(Moment::MAX),
        ranking: (0..=255).chain(0..=255).map(ranked).collect(),
        measured_on: (0..=255).map(edge).collect(),
        measured_at: Some(Moment::ZERO),
        seat: None,
    };
    let chooser = Chooser::new(&memory, Timing::default(), 1, Moment::ZERO, Moment::ZERO);
    let ConnectOrder::Ranked(dials) = chooser.connect_order() else { panic!("a choice") };
    assert_eq!(dials.len(), 16);
    assert!(dials.iter().all(|dial| dial.stagger == secs(2)));
    assert!(
        chooser
            .memory(Moment::ZERO, Moment::ZERO)
            .ranking
            .iter()
            .all(|edge| (edge.good_rounds, edge.better_rounds) == (0, 0))
    );
}

#[test]
fn a_memory_is_written_when_it_changed_and_not_because_time_has_passed() {
    let mut river = River::settled(&[40, 10], 1);
    assert!(river.chooser.poll_memory(river.now, wall(river.now)).is_some());
    assert_eq!(river.chooser.poll_memory(river.now, wall(river.now)), None);
    river.run(mins(120));
    assert!(river.rounds().len() > 10 && river.resolved.len() > 60);
    assert_eq!(river.chooser.poll_memory(river.now, wall(river.now)), None);
    river.kill(2);
    let memory = river.chooser.poll_memory(river.now, wall(river.now)).unwrap();
    assert_eq!(memory.seat.unwrap().address, edge(1));
}

#[test]
fn the_last_good_set_does_not_age_in_the_file_while_it_is_fresh_in_the_agent() {
    let mut river = River::new(&[10], 1);
    river.connect();
    assert!(river.chooser.poll_memory(river.now, wall(river.now)).is_some());
    river.run(mins(350));
    assert_eq!(river.chooser.poll_memory(river.now, wall(river.now)), None);
    river.run(mins(12));
    let memory = river.chooser.poll_memory(river.now, wall(river.now)).unwrap();
    assert!(wall(river.now).since(memory.resolved_at.unwrap()) < mins(2));
}
