//! Patience as a timeline: what ended, after how long a session, and the pause that follows.

use alloc::vec::Vec;
use core::time::Duration;

use super::{Backoff, Ended, PAUSE_MAX, PLANNED_WITHIN};
use crate::time::Moment;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A session of that length, or an attempt that came to nothing.
type Past = (Option<Duration>, Ended);

const REFUSED: Past = (None, Ended::Error);

const fn broke_after(span: Duration) -> Past {
    (Some(span), Ended::Error)
}

const fn left_after(span: Duration) -> Past {
    (Some(span), Ended::Planned)
}

/// The longest that any of a thousand agents waits after this past: jitter is full, so it shows the pause.
fn pause_after(past: &[Past]) -> Duration {
    waits_after(past).into_iter().max().unwrap_or_default()
}

fn waits_after(past: &[Past]) -> Vec<Duration> {
    let agents = (0..1000).map(|seed| {
        let mut backoff = Backoff::new(seed);
        let mut now = Moment::from_ms(1_000_000);
        let mut wait = Duration::ZERO;
        for (session, ended) in past {
            if let Some(span) = session {
                backoff.handle_opened(now);
                now = now.after(*span);
            }
            wait = backoff.handle_ended(*ended, now);
            now = now.after(wait);
        }
        wait
    });
    agents.collect()
}

/// Within a percent below.
fn is_about(span: Duration, pause: Duration) -> bool {
    span <= pause && span >= pause * 99 / 100
}

#[test]
fn errors_wait_a_second_and_double_up_to_a_minute() {
    for (errors, pause_s) in (1..).zip([1, 2, 4, 8, 16, 32, 60, 60, 60]) {
        let pause = pause_after(&[REFUSED].repeat(errors));
        assert!(is_about(pause, secs(pause_s)), "{errors} errors: {pause:?}");
    }
}

#[test]
fn jitter_is_full_and_even() {
    for (past, longest) in [([REFUSED; 7], PAUSE_MAX), ([left_after(secs(900)); 7], PLANNED_WITHIN)] {
        let waits = waits_after(&past);
        for tenth in 0..10 {
            let within =
                waits.iter().filter(|wait| **wait >= longest * tenth / 10 && **wait < longest * (tenth + 1) / 10);
            let count = within.count();
            assert!((60..150).contains(&count), "{tenth}: {count}");
        }
    }
}

#[test]
fn a_planned_end_is_followed_up_within_five_seconds_whatever_came_before() {
    let mut past = [REFUSED].repeat(10);
    past.push(left_after(secs(1)));
    assert!(is_about(pause_after(&past), secs(5)));
}

#[test]
fn a_planned_end_leaves_the_doubling_as_it_is() {
    assert!(is_about(pause_after(&[REFUSED, REFUSED, left_after(secs(1)), REFUSED]), secs(4)));
}

#[test]
fn a_second_planned_end_without_a_session_waits_like_an_error() {
    let refused = (None, Ended::Planned);
    assert!(is_about(pause_after(&[left_after(secs(900)), refused]), secs(1)));
    assert!(is_about(pause_after(&[left_after(secs(900)), refused, refused, refused, refused]), secs(8)));
    // The first has a session behind it again.
    assert!(is_about(pause_after(&[left_after(secs(900)), refused, left_after(secs(900))]), secs(5)));
}

#[test]
fn a_session_that_lasts_wipes_the_doubling_out() {
    let mut past = [REFUSED].repeat(10);
    past.push(broke_after(secs(60)));
    assert!(is_about(pause_after(&past), secs(1)));
}

#[test]
fn a_gateway_that_drops_its_agents_at_once_is_not_hammered() {
    assert!(is_about(pause_after(&[broke_after(Duration::from_millis(900)); 10]), secs(60)));
    // Sessions of ten seconds, over and over, are waited for about as long as they last.
    let pause = pause_after(&[broke_after(secs(10)); 50]);
    assert!(is_about(pause, secs(1)) || pause <= secs(8), "{pause:?}");
}
