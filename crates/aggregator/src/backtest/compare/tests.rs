//! Two timelines, drawn as one letter a minute: `.` OK, `U` unreachable, `M` marked, `B` blocked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::{Difference, compare, longest_within, verdicts};
use crate::backtest::findings::Change;
use crate::backtest::timeline::{Stay, Timeline};

const GRAIN: Duration = Duration::from_secs(10);

fn at(minute: usize) -> Moment {
    Moment::from_ms(60_000 * minute as u64)
}

fn drawn(line: &str) -> Vec<Stay> {
    let status = |letter| match letter {
        '.' => Status::Ok,
        'U' => Status::Unreachable,
        'M' => Status::Marked,
        'B' => Status::Blocked,
        other => panic!("{other} is no status of these tests"),
    };
    let mut stays: Vec<Stay> = Vec::new();
    for (minute, letter) in line.chars().enumerate() {
        let status = status(letter);
        match stays.last_mut().filter(|last| last.status == status) {
            Some(last) => last.to = at(minute + 1),
            None => stays.push(Stay { status, from: at(minute), to: at(minute + 1), sites: 2 }),
        }
    }
    stays
}

fn found(was: &str, would: &str) -> Vec<Difference> {
    verdicts(&drawn(was), &drawn(would), GRAIN)
}

fn changes(was: &str, would: &str) -> Vec<(Status, Change)> {
    found(was, would).into_iter().map(|difference| (difference.status, difference.change)).collect()
}

#[test]
fn what_is_the_same_is_no_difference() {
    assert_eq!(changes("..UUU..MM", "..UUU..MM"), []);
}

#[test]
fn a_verdict_that_would_not_have_been_is_gone_and_one_that_was_not_is_new() {
    let gone = found("..UUUU..", "..MMM...");
    assert_eq!(gone.len(), 2);
    let [unreachable, marked] = &gone[..] else { panic!("{gone:?}") };
    // Both begin at once; the weaker word comes first.
    let (unreachable, marked) =
        if unreachable.status == Status::Unreachable { (unreachable, marked) } else { (marked, unreachable) };
    assert_eq!((unreachable.change, unreachable.instead), (Change::Gone, Some(Status::Marked)));
    assert_eq!((unreachable.begin(), unreachable.end(), unreachable.weight()), (at(2), at(6), at(4).since(at(0))));
    assert_eq!((marked.change, marked.instead), (Change::New, Some(Status::Unreachable)));
    assert_eq!(changes("......", "..BB.."), [(Status::Blocked, Change::New)]);
}

#[test]
fn one_that_would_have_begun_or_ended_at_another_time_says_how() {
    assert_eq!(changes("..UUUU..", "...UUU.."), [(Status::Unreachable, Change::Later)]);
    assert_eq!(changes("..UUUU..", ".UUUUU.."), [(Status::Unreachable, Change::Earlier)]);
    assert_eq!(changes("..UUUU..", "..UUUUU."), [(Status::Unreachable, Change::Longer)]);
    assert_eq!(changes("..UUUU..", "..UUU..."), [(Status::Unreachable, Change::Shorter)]);
    let both = found("..UUUU..", "...UUUU.");
    assert_eq!(both[0].change, Change::Later, "when it would have been seen weighs more than when it would have ended");
    assert_eq!(both[0].weight(), Duration::from_secs(120));
}

#[test]
fn what_was_said_in_pieces_and_would_have_been_said_in_one_differs_in_its_ends_alone() {
    assert_eq!(changes("..UU.UU..", "..UUUUU.."), []);
    assert_eq!(changes("..UU.UU..", "..UUUUUU."), [(Status::Unreachable, Change::Longer)]);
    // Two that do not touch are two.
    assert_eq!(changes("UU...UU", "UU....."), [(Status::Unreachable, Change::Gone)]);
}

#[test]
fn ends_within_a_grain_are_the_same_and_beyond_it_are_not() {
    let stay = |from_ms, to_ms| {
        let (from, to) = (Moment::from_ms(from_ms), Moment::from_ms(to_ms));
        vec![Stay { status: Status::Unreachable, from, to, sites: 1 }]
    };
    assert_eq!(verdicts(&stay(60_000, 120_000), &stay(70_000, 110_000), GRAIN), []);
    let later = verdicts(&stay(60_000, 120_000), &stay(70_001, 120_000), GRAIN);
    assert_eq!(later[0].change, Change::Later);
    assert_eq!(verdicts(&stay(60_000, 70_000), &[], GRAIN), [], "a blink is none");
    assert_eq!(verdicts(&stay(60_000, 70_001), &[], GRAIN).len(), 1);
    let lasting = verdicts(&stay(60_000, 65_000), &stay(60_000, 120_000), GRAIN);
    assert_eq!(lasting[0].change, Change::New, "what was a blink on the way to another word would have lasted");
}

#[test]
fn what_was_instead_is_what_took_most_of_the_time() {
    let stay = drawn("..UUUUU..")[1];
    assert_eq!(longest_within(&drawn("..M.M...."), &stay), Some(Status::Ok));
    assert_eq!(longest_within(&drawn("..M.MM..."), &stay), Some(Status::Marked));
    assert_eq!(longest_within(&[], &stay), None);
}

#[test]
fn empty_timelines_do_not_differ() {
    let nothing = Timeline::new(at(0));
    let found = compare(&nothing, &nothing, GRAIN);
    assert_eq!((found.servers.len(), found.routes.len(), found.of_servers), (0, 0, 0));
}
