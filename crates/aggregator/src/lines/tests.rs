#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::{Lines, Mark, SAMPLES_MAX, SLOTS, median};

fn at(minutes: u64) -> Moment {
    Moment::from_ms(minutes * 60_000 + 1)
}

fn cpu(percent: f32) -> v1::Metrics {
    v1::Metrics { cpu_percent: Some(percent), ..v1::Metrics::default() }
}

fn knock(ms: u64) -> Outcome {
    Outcome::Reached { latency: Duration::from_millis(ms) }
}

fn marks(lines: &Lines, now: Moment) -> Vec<Mark> {
    lines.until(now).next().unwrap().1
}

#[test]
fn a_strip_shows_the_last_hour_and_holes_where_nothing_came() {
    let mut lines = Lines::default();
    lines.note_self("nl-1", at(100), &cpu(1.0));
    lines.note_self("nl-1", at(101), &cpu(2.0));
    let now = marks(&lines, at(103));
    assert_eq!(now.len(), SLOTS);
    let cpu_of: Vec<_> = now[SLOTS - 5..].iter().map(|mark| mark.cpu_percent).collect();
    assert_eq!(cpu_of, [None, Some(1.0), Some(2.0), None, None]);
    let later = marks(&lines, at(160));
    assert_eq!(later[0].cpu_percent, Some(2.0), "the oldest that is still on the strip");
    assert!(later[1..].iter().all(|mark| mark.cpu_percent.is_none()));
    assert!(marks(&lines, at(1)).iter().all(|mark| *mark == Mark::default()), "before all of it");
}

#[test]
fn what_is_older_than_the_strip_overwrites_nothing() {
    let mut lines = Lines::default();
    lines.note_self("nl-1", at(160), &cpu(2.0));
    lines.note_self("nl-1", at(100), &cpu(1.0));
    assert_eq!(marks(&lines, at(160)).last().unwrap().cpu_percent, Some(2.0));
}

#[test]
fn latency_is_the_median_of_the_knocks_of_others_and_gathers_no_more_than_it_needs() {
    let mut lines = Lines::default();
    for ms in [10, 500, 30] {
        lines.note_knock("nl-1", at(100), &knock(ms));
    }
    assert_eq!(marks(&lines, at(100)).last().unwrap().latency_ms, Some(30.0));
    for _ in 0..10 * SAMPLES_MAX {
        lines.note_knock("nl-1", at(101), &knock(7));
    }
    // A late one finds the minute before over.
    lines.note_knock("nl-1", at(100), &knock(9_000));
    let now = marks(&lines, at(101));
    assert_eq!((now[SLOTS - 2].latency_ms, now[SLOTS - 1].latency_ms), (Some(30.0), Some(7.0)));
    assert!(lines.servers["nl-1"].gathering.1.len() <= SAMPLES_MAX);
}

#[test]
fn what_the_archive_has_goes_under_what_came_since() {
    let (mut lines, mut older) = (Lines::default(), Lines::default());
    lines.note_self("nl-1", at(101), &cpu(9.0));
    older.note_self("nl-1", at(100), &cpu(1.0));
    older.note_self("nl-1", at(101), &cpu(2.0));
    older.note_self("de-1", at(101), &cpu(3.0));
    lines.put_under(older);
    let of = |server: &str| {
        let (_, marks) = lines.until(at(101)).find(|(id, _)| *id == server).unwrap();
        marks[SLOTS - 2..].iter().map(|mark| mark.cpu_percent).collect::<Vec<_>>()
    };
    assert_eq!(of("nl-1"), [Some(1.0), Some(9.0)]);
    assert_eq!(of("de-1"), [None, Some(3.0)]);
    lines.keep_to(|server| server == "de-1");
    assert_eq!(lines.until(at(101)).count(), 1);
}

#[test]
fn the_median_of_two_is_the_lower_one_and_of_none_there_is_none() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[4.0]), Some(4.0));
    assert_eq!(median(&[4.0, 1.0]), Some(1.0));
    assert_eq!(median(&[4.0, 1.0, 3.0]), Some(3.0));
}
