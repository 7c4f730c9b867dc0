//! The dates of a certificate on both sides of each threshold, and the two keys at the door.

use core::time::Duration;

use super::{Asking, Errand, Held, Lifetime, RENEWABLE_FOR, Showing, Stage};
use crate::time::Moment;

const DAY: Duration = Duration::from_hours(24);

fn day(days: u32) -> Moment {
    Moment::ZERO.after(DAY * days)
}

/// 48 days: two thirds are over after 32, a sixteenth is 3.
const LIFE: Lifetime =
    Lifetime { not_before: Moment::from_ms(100 * 86_400_000), not_after: Moment::from_ms(148 * 86_400_000) };

const INSTANT: Duration = Duration::from_millis(1);

#[test]
fn a_certificate_is_fresh_then_due_then_late_then_expired_then_lost() {
    for (from, stage) in [
        (day(132), Stage::Due),
        (day(138), Stage::Late),
        (day(148).after(INSTANT), Stage::Expired),
        (day(238).after(INSTANT), Stage::Lost),
    ] {
        assert_eq!(LIFE.stage(from), stage);
        assert!(LIFE.stage(from.before(INSTANT)) < stage, "a moment before {}", stage.as_str());
    }
    assert_eq!(LIFE.stage(Moment::ZERO), Stage::Fresh);
    assert_eq!(RENEWABLE_FOR, DAY * 90);
}

#[test]
fn a_certificate_is_renewed_while_it_is_due_and_each_agent_has_a_day_of_its_own() {
    assert_eq!(LIFE.renew_at(0), day(132));
    assert_eq!(LIFE.renew_at(1 << 63), day(132).after(DAY * 3 / 2));
    assert!(LIFE.renew_at(u64::MAX) < day(135));
    assert!(LIFE.renew_at(u64::MAX) > day(135).before(Duration::from_secs(1)));
}

#[test]
fn a_certificate_whose_end_lies_before_its_beginning_is_late_until_it_is_expired() {
    let upside_down = Lifetime { not_before: day(9), not_after: day(3) };
    assert_eq!(upside_down.renew_at(u64::MAX), day(3));
    assert_eq!(upside_down.stage(day(3)), Stage::Late);
    assert_eq!(upside_down.stage(day(3).after(INSTANT)), Stage::Expired);
}

#[test]
fn whoever_gets_no_answer_asks_ever_more_rarely_and_at_least_once_an_hour() {
    let mut asking = Asking::default();
    let mut now = day(1);
    let mut pauses = std::vec::Vec::new();
    for _ in 0..12 {
        assert!(asking.allowed_from() <= now);
        asking.handle_asked(now);
        pauses.push(asking.allowed_from().since(now).as_secs());
        now = asking.allowed_from();
    }
    assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
}

#[test]
fn certificates_that_are_due_at_once_are_renewed_once_an_hour() {
    let mut asking = Asking::default();
    asking.handle_asked(day(1));
    asking.handle_taken_up(day(1));
    assert_eq!(asking.allowed_from(), day(1).after(Duration::from_hours(1)));
}

fn with_pending() -> Showing {
    let mut showing = Showing::default();
    showing.handle_files(true, true);
    showing
}

#[test]
fn without_a_pending_identity_the_active_one_is_shown_whatever_happens() {
    let mut showing = Showing::default();
    for happens in [Showing::handle_silence, Showing::handle_refused, Showing::handle_welcome] {
        assert_eq!(showing.next(), (Held::Active, Errand::Session));
        happens(&mut showing);
        showing.handle_files(false, false);
    }
}

#[test]
fn the_pending_identity_comes_first_and_each_makes_way_for_the_other() {
    let mut showing = with_pending();
    for held in [Held::Pending, Held::Active, Held::Pending] {
        assert_eq!(showing.next(), (held, Errand::Session));
        showing.handle_silence();
    }
    for held in [Held::Active, Held::Pending] {
        assert_eq!(showing.next(), (held, Errand::Session));
        showing.handle_refused();
    }
}

#[test]
fn the_identity_that_was_let_in_is_shown_again() {
    let mut showing = with_pending();
    showing.handle_refused();
    showing.handle_welcome();
    assert_eq!(showing.next(), (Held::Active, Errand::Session));
    let mut showing = with_pending();
    showing.handle_welcome();
    assert_eq!(showing.next().0, Held::Pending, "the disk took no change");
    showing.handle_taken_up();
    showing.handle_silence();
    assert_eq!(showing.next(), (Held::Active, Errand::Session));
}

#[test]
fn only_when_every_identity_was_refused_is_a_person_needed() {
    let mut showing = with_pending();
    showing.handle_refused();
    assert!(!showing.is_refused());
    showing.handle_silence();
    showing.handle_silence();
    showing.handle_refused();
    assert!(showing.is_refused());
    showing.handle_welcome();
    assert!(!showing.is_refused());
    let mut alone = Showing::default();
    alone.handle_silence();
    assert!(!alone.is_refused());
    alone.handle_refused();
    assert!(alone.is_refused());
}

#[test]
fn an_expired_identity_comes_back_to_be_renewed_until_that_is_done() {
    let mut showing = Showing::default();
    showing.handle_expired();
    showing.handle_silence();
    showing.handle_welcome();
    assert_eq!(showing.next(), (Held::Active, Errand::Renewal));
    showing.handle_files(true, true);
    assert_eq!(showing.next(), (Held::Pending, Errand::Session));
}

#[test]
fn an_expired_pending_identity_is_taken_up_and_renewed() {
    let mut showing = with_pending();
    showing.handle_expired();
    assert_eq!(showing.next(), (Held::Pending, Errand::Renewal));
    showing.handle_welcome();
    showing.handle_taken_up();
    assert_eq!(showing.next(), (Held::Active, Errand::Renewal));
}

#[test]
fn an_identity_that_was_given_again_is_tried_again() {
    let mut showing = with_pending();
    showing.handle_silence();
    showing.handle_welcome();
    assert_eq!(showing.next(), (Held::Active, Errand::Session));
    showing.handle_renewed();
    showing.handle_files(true, false);
    assert_eq!(showing.next(), (Held::Pending, Errand::Session));
}

#[test]
fn an_identity_from_a_new_enrolment_wipes_the_slate() {
    let mut showing = with_pending();
    showing.handle_refused();
    showing.handle_refused();
    assert!(showing.is_refused());
    showing.handle_files(false, true);
    assert!(!showing.is_refused());
    assert_eq!(showing.next(), (Held::Active, Errand::Session));
}
