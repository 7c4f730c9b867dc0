//! Moments at their bounds.

use core::time::Duration;

use super::Moment;

#[test]
fn the_past_has_an_end_and_so_has_the_future() {
    let moment = Moment::from_ms(500);
    assert_eq!(moment.before(Duration::from_secs(1)), Moment::ZERO);
    assert_eq!(moment.after(Duration::MAX), Moment::MAX);
    assert_eq!(Moment::from_ms(u64::MAX), Moment::MAX);
}

#[test]
fn what_lies_ahead_is_no_time_ago() {
    let (earlier, later) = (Moment::from_ms(500), Moment::from_ms(700));
    assert_eq!(later.since(earlier), Duration::from_millis(200));
    assert_eq!(earlier.since(later), Duration::ZERO);
}
