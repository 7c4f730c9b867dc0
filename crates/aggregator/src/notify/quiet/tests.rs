#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use jiff::Timestamp;
use quorate_core::notify::Severity;
use quorate_core::time::Moment;

use super::QuietEntry;

fn entry(from: &str, to: &str, zone: &str) -> QuietEntry {
    QuietEntry { from: from.to_owned(), to: to.to_owned(), zone: zone.to_owned(), days: Vec::new(), except: None }
}

fn at(utc: &str) -> Moment {
    let timestamp: Timestamp = utc.parse().unwrap();
    Moment::from_ms(timestamp.as_millisecond().unsigned_abs())
}

#[test]
fn a_night_is_quiet_by_the_clock_on_the_wall() {
    let quiet = entry("22:00", "07:00", "Europe/Bucharest").checked().unwrap();
    let is = |utc| quiet.holds_back(Severity::Warning, at(utc));
    // Winter: two hours before UTC.
    assert!(!is("2026-11-30T19:59:59Z"));
    assert!(is("2026-11-30T20:00:00Z"));
    assert!(is("2026-12-01T04:59:59Z"));
    assert!(!is("2026-12-01T05:00:00Z"));
    // Summer: three.
    assert!(!is("2026-07-30T18:59:59Z"));
    assert!(is("2026-07-30T19:00:00Z"));
    assert!(!is("2026-07-31T04:00:00Z"));
}

#[test]
fn hours_of_a_day_are_quiet_on_its_days_alone() {
    let weekend = QuietEntry { days: vec!["sat".to_owned(), "sun".to_owned()], ..entry("09:00", "18:00", "UTC") };
    let quiet = weekend.checked().unwrap();
    let is = |utc| quiet.holds_back(Severity::Warning, at(utc));
    assert!(!is("2026-11-27T12:00:00Z"), "a Friday");
    assert!(is("2026-11-28T09:00:00Z"), "a Saturday");
    assert!(!is("2026-11-28T18:00:00Z"));
    assert!(is("2026-11-29T12:00:00Z"), "a Sunday");
}

#[test]
fn the_morning_belongs_to_the_day_before() {
    let friday = QuietEntry { days: vec!["fri".to_owned()], ..entry("22:00", "07:00", "UTC") };
    let quiet = friday.checked().unwrap();
    let is = |utc| quiet.holds_back(Severity::Warning, at(utc));
    assert!(!is("2026-11-27T06:00:00Z"), "Friday's morning is Thursday's night");
    assert!(is("2026-11-27T22:00:00Z"));
    assert!(is("2026-11-28T06:59:59Z"));
    assert!(!is("2026-11-28T22:00:00Z"));
}

#[test]
fn what_is_bad_enough_is_told_all_the_same() {
    let night = at("2026-11-30T23:00:00Z");
    let is = |except: Option<&str>, severity| {
        let entry = QuietEntry { except: except.map(str::to_owned), ..entry("22:00", "07:00", "UTC") };
        entry.checked().unwrap().holds_back(severity, night)
    };
    assert!(is(None, Severity::Warning) && !is(None, Severity::Critical));
    assert!(is(Some("warning"), Severity::Info) && !is(Some("warning"), Severity::Warning));
    assert!(is(Some("never"), Severity::Critical));
}

#[test]
fn hours_that_cannot_be_are_refused_with_their_field() {
    let field = |entry: QuietEntry| entry.checked().unwrap_err().0;
    assert_eq!(field(entry("25:00", "07:00", "UTC")), "quiet.from");
    assert_eq!(field(entry("22:00", "7", "UTC")), "quiet.to");
    assert_eq!(field(entry("07:00", "07:00", "UTC")), "quiet.to");
    assert_eq!(field(entry("22:00", "07:00", "Mars/Olympus")), "quiet.zone");
    assert_eq!(field(QuietEntry { days: vec!["monday".to_owned()], ..entry("22:00", "07:00", "UTC") }), "quiet.days");
    assert_eq!(field(QuietEntry { except: Some("bad".to_owned()), ..entry("22:00", "07:00", "UTC") }), "quiet.except");
}
