//! The sentences as people read them.

use std::time::Duration;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::{About, told};
use crate::backtest::compare::{Difference, Differences, ServerDifference};
use crate::backtest::findings::Change;
use crate::backtest::timeline::Stay;

/// 2026-11-30 13:00 UTC.
const ONE_O_CLOCK: u64 = 1_796_043_600_000;

fn at(minute: u64) -> Moment {
    Moment::from_ms(ONE_O_CLOCK + 60_000 * minute)
}

fn about() -> About<'static> {
    About { title: "quorum 3", from: at(0), to: at(600), reports: 12 }
}

fn stay(status: Status, from: u64, to: u64) -> Stay {
    Stay { status, from: at(from), to: at(to), sites: 2 }
}

fn differences(verdicts: Vec<Difference>, withheld: (u64, u64)) -> Differences {
    let minutes = |minutes| Duration::from_secs(60 * minutes);
    let withheld = (minutes(withheld.0), minutes(withheld.1));
    Differences {
        servers: vec![ServerDifference { server: "nl-1".to_owned(), withheld, verdicts }],
        withheld,
        said: 4,
        of_servers: 50,
        ..Differences::default()
    }
}

fn sentences(verdict: Difference) -> Vec<String> {
    told(about(), &differences(vec![verdict], (29, 0))).sentences
}

#[test]
fn a_verdict_that_would_not_have_been_is_told_with_what_it_rested_on_and_what_would_have_been_instead() {
    let gone = Difference {
        status: Status::Unreachable,
        change: Change::Gone,
        was: Some(stay(Status::Unreachable, 62, 91)),
        would: None,
        instead: Some(Status::Marked),
    };
    assert_eq!(
        sentences(gone),
        [
            "With quorum 3, 1 of 50 servers would have been judged otherwise, and servers would have been withheld for \
             no time at all and not for 29 min.",
            "With quorum 3, nl-1 would not have been unreachable from 14:02 UTC to 14:31 UTC (29 min): 2 sites accused \
             it. It would have been marked with a broken pair meanwhile."
        ]
    );
}

#[test]
fn later_and_shorter_are_told_with_both_times() {
    let moved = |change, would| Difference {
        status: Status::Unreachable,
        change,
        was: Some(stay(Status::Unreachable, 62, 91)),
        would: Some(would),
        instead: None,
    };
    assert_eq!(
        sentences(moved(Change::Later, stay(Status::Unreachable, 65, 91)))[1],
        "With quorum 3, nl-1 would have been unreachable 3 min later: from 14:05 UTC and not from 14:02 UTC."
    );
    assert_eq!(
        sentences(moved(Change::Shorter, stay(Status::Unreachable, 62, 80)))[1],
        "With quorum 3, nl-1 would have been unreachable 11 min less long: until 14:20 UTC and not until 14:31 UTC."
    );
}

#[test]
fn what_reaches_an_end_of_the_time_is_said_so_and_days_are_named_where_there_are_several() {
    let new = |from, to| Difference {
        status: Status::Blocked,
        change: Change::New,
        was: None,
        would: Some(stay(Status::Blocked, from, to)),
        instead: Some(Status::Ok),
    };
    assert!(sentences(new(0, 600))[1].contains("blocked all the time (10 h 0 min): a verifier could not reach it."));
    assert!(sentences(new(0, 30))[1].contains("from before 13:00 UTC until 13:30 UTC (30 min)"));
    assert!(sentences(new(570, 600))[1].contains("from 22:30 UTC to the end (30 min)"));
    let two_days = About { to: at(2_000), ..about() };
    let result = told(two_days, &differences(vec![new(60, 90)], (0, 30)));
    assert!(result.sentences[1].contains("from 2026-11-30 14:00 UTC to 2026-11-30 14:30 UTC"), "{result:?}");
}

#[test]
fn a_weak_word_in_the_place_of_a_strong_one_is_not_told_twice() {
    let gone = Difference {
        status: Status::Unreachable,
        change: Change::Gone,
        was: Some(stay(Status::Unreachable, 62, 91)),
        would: None,
        instead: Some(Status::Marked),
    };
    let marked = Difference {
        status: Status::Marked,
        change: Change::New,
        was: None,
        would: Some(stay(Status::Marked, 62, 91)),
        instead: Some(Status::Unreachable),
    };
    let result = told(about(), &differences(vec![marked, gone], (29, 0)));
    assert_eq!(result.sentences.len(), 2, "{:?}", result.sentences);
    assert_eq!((result.verdicts_gone, result.verdicts_new), (1, 1));
    assert_eq!(result.servers[0].verdicts.len(), 2);
    assert!((result.withheld_minutes.was - 29.0).abs() < 0.01);
}

#[test]
fn many_marks_are_counted_and_few_are_told() {
    let mark = |minute| Difference {
        status: Status::Marked,
        change: Change::Gone,
        was: Some(stay(Status::Marked, minute, minute + 1)),
        would: None,
        instead: None,
    };
    let of = |count: u64| told(about(), &differences((0..count).map(|nth| mark(2 * nth)).collect(), (0, 0))).sentences;
    assert_eq!(of(5).len(), 6);
    let many = of(6);
    assert_eq!(many[1..], ["6 marks and other words for which nothing is removed would have differed, too."]);
}

#[test]
fn that_nothing_differs_is_a_sentence_too() {
    let same = Differences { said: 3, of_servers: 50, ..Differences::default() };
    let result = told(about(), &same);
    let wanted = "With quorum 3, everything would have been said just the same: 3 verdicts, nothing withheld.";
    assert_eq!(result.sentences, [wanted]);
}

#[test]
fn what_is_too_much_to_be_told_is_counted() {
    let gone = |minute| Difference {
        status: Status::Unreachable,
        change: Change::Gone,
        was: Some(stay(Status::Unreachable, minute, minute + 1)),
        would: None,
        instead: None,
    };
    let result = told(about(), &differences((0..300).map(|nth| gone(2 * nth)).collect(), (300, 0)));
    assert_eq!(result.sentences.len(), 41);
    assert_eq!(result.servers[0].verdicts.len(), 100);
    assert_eq!(result.left_out.as_deref(), Some("260 of 300 verdicts are not told in a sentence"));
}
