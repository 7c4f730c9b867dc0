#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use quorate_core::time::Moment;

use super::{again_after, next_state};
use crate::notify::carrier::Refusal;
use crate::store::{Delivery, DeliveryState};

fn delivery(attempts: u64) -> Delivery {
    Delivery {
        id: 1,
        name: "0badcafe".to_owned(),
        channel: "ops".to_owned(),
        state: DeliveryState::Waiting,
        made_at: Moment::from_ms(0),
        due_at: Moment::from_ms(0),
        attempts,
        ended_at: None,
        said: None,
        message: String::new(),
    }
}

fn later(after: Option<u64>) -> Refusal {
    Refusal::Later { said: "no answer".to_owned(), after: after.map(Duration::from_secs) }
}

fn refused() -> Refusal {
    Refusal::Refused { said: "HTTP 404".to_owned() }
}

#[test]
fn the_wait_doubles_up_to_a_quarter_of_an_hour() {
    let waits: Vec<u64> = (0..10).map(|attempts| again_after(attempts, &later(None), 128).as_secs()).collect();
    assert_eq!(waits, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
    assert_eq!(again_after(u64::MAX, &later(None), 128).as_secs(), 900);
}

#[test]
fn the_wait_is_a_fifth_more_or_less() {
    assert_eq!(again_after(0, &later(None), 0), Duration::from_secs(4));
    assert_eq!(again_after(0, &later(None), 255), Duration::from_secs(6));
}

#[test]
fn nobody_comes_before_the_other_side_wants_it() {
    assert_eq!(again_after(0, &later(Some(35)), 128).as_secs(), 35);
    assert_eq!(again_after(5, &later(Some(35)), 128).as_secs(), 160);
}

#[test]
fn a_message_is_tried_for_a_day_and_at_least_three_times() {
    let day = Moment::ZERO.after(Duration::from_hours(24));
    let before = day.before(Duration::from_millis(1));
    assert_eq!(next_state(&delivery(99), &later(None), before), DeliveryState::Waiting);
    assert_eq!(next_state(&delivery(99), &later(None), day), DeliveryState::Dead);
    assert_eq!(next_state(&delivery(1), &later(None), day), DeliveryState::Waiting, "sent again by hand");
    assert_eq!(next_state(&delivery(2), &later(None), day), DeliveryState::Dead);
}

#[test]
fn what_is_refused_is_given_up_at_the_third_try() {
    assert_eq!(next_state(&delivery(1), &refused(), Moment::ZERO), DeliveryState::Waiting);
    assert_eq!(next_state(&delivery(2), &refused(), Moment::ZERO), DeliveryState::Dead);
}
