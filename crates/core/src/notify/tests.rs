#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod invariants;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::{Change, Desk, Gate, Key, Pace, Severity, Standing, Telling, Topic};
use crate::time::Moment;

const PACE: Pace = Pace { grouping: Duration::from_secs(20), rest: Duration::from_secs(60) };

fn key(subject: &str) -> Key {
    Key { topic: Topic::ServerStatus, subject: subject.into() }
}

fn standing(text: &str) -> Vec<Standing> {
    let alarm = |word: &str| {
        let (subject, word) = word.split_once(':').unwrap();
        Standing { key: key(subject), word: word.into(), severity: Severity::Warning }
    };
    text.split_whitespace().map(alarm).collect()
}

fn at(s: u64) -> Moment {
    Moment::from_ms(1_000_000 + s * 1000)
}

/// "a: -unreachable +blocked"
fn shown(telling: &Telling) -> String {
    let change = |Change { key, before, after }: &Change| {
        let before = before.as_ref().filter(|told| !told.silent).map(|told| format!(" -{}", told.word));
        let after = after.as_ref().map(|(word, _)| format!(" +{word}"));
        format!("{}:{}{}", key.subject, before.unwrap_or_default(), after.unwrap_or_default())
    };
    let changes = telling.changes.iter().map(change);
    let notes = telling.notes.iter().map(|id| format!("note {id}"));
    changes.chain(notes).collect::<Vec<_>>().join(", ")
}

/// A desk that is past its beginning at second 0, and what it says of each picture.
struct Stage {
    desk: Desk,
    gate: Gate,
    believed: bool,
}

impl Stage {
    fn settled() -> Self {
        let mut stage = Self { desk: Desk::new(PACE), gate: Gate::Open, believed: true };
        assert_eq!(stage.at(0, ""), "");
        stage
    }

    fn at(&mut self, s: u64, standing: &str) -> String {
        self.desk.handle_picture(self::standing(standing), self.believed, |_, _| self.gate, at(s));
        self.desk.poll(at(s)).as_ref().map(shown).unwrap_or_default()
    }

    /// As after a restart of the process.
    fn restart(&mut self) {
        self.desk = Desk::resume(PACE, self.desk.is_settled(), self.desk.told().clone());
    }
}

#[test]
fn an_alarm_and_its_end_are_told_once_each() {
    let mut stage = Stage::settled();
    assert_eq!(stage.at(10, "a:unreachable"), "");
    assert_eq!(stage.at(29, "a:unreachable"), "");
    assert_eq!(stage.at(30, "a:unreachable"), "a: +unreachable");
    assert_eq!(stage.at(200, "a:unreachable"), "");
    assert_eq!(stage.at(300, ""), "");
    assert_eq!(stage.at(320, ""), "a: -unreachable");
    assert_eq!(stage.at(400, ""), "");
}

#[test]
fn what_changes_together_is_one_message() {
    let mut stage = Stage::settled();
    assert_eq!(stage.at(10, "a:unreachable"), "");
    assert_eq!(stage.at(20, "a:unreachable b:unreachable"), "");
    assert_eq!(stage.at(30, "a:unreachable b:unreachable c:down"), "a: +unreachable, b: +unreachable, c: +down");
}

#[test]
fn what_comes_and_goes_while_messages_are_grouped_is_not_told() {
    let mut stage = Stage::settled();
    assert_eq!(stage.at(10, "a:unreachable"), "");
    assert_eq!(stage.at(25, ""), "");
    assert_eq!(stage.at(60, ""), "");
    assert_eq!(stage.at(70, "a:unreachable"), "", "its wait begins anew");
    assert_eq!(stage.at(89, "a:unreachable"), "");
    assert_eq!(stage.at(90, "a:unreachable"), "a: +unreachable");
    assert_eq!(stage.at(95, ""), "");
    assert_eq!(stage.at(100, "a:unreachable"), "", "a recovery that was none is not told either");
    assert_eq!(stage.at(300, "a:unreachable"), "");
}

#[test]
fn a_subject_is_told_of_once_a_minute() {
    let mut stage = Stage::settled();
    stage.at(0, "a:unreachable");
    assert_eq!(stage.at(20, "a:unreachable"), "a: +unreachable");
    assert_eq!(stage.at(21, "a:blocked"), "");
    assert_eq!(stage.at(79, "a:blocked"), "");
    assert_eq!(stage.at(80, "a:blocked"), "a: -unreachable +blocked");
    assert_eq!(stage.at(81, ""), "");
    assert_eq!(stage.at(140, ""), "a: -blocked");
    assert_eq!(stage.at(141, "a:down"), "");
    assert_eq!(stage.at(199, "a:down"), "");
    assert_eq!(stage.at(200, "a:down"), "a: +down");
    assert_eq!(Pace::default(), PACE);
}

#[test]
fn what_stood_at_the_beginning_is_told_neither_then_nor_when_it_ends() {
    let mut stage = Stage { desk: Desk::new(PACE), gate: Gate::Open, believed: true };
    assert_eq!(stage.at(0, "a:unreachable b:down"), "");
    assert_eq!(stage.at(100, "a:unreachable"), "");
    assert_eq!(stage.at(200, ""), "");
    assert_eq!(stage.at(300, "a:unreachable"), "", "once more is news");
    assert_eq!(stage.at(320, "a:unreachable"), "a: +unreachable");
}

#[test]
fn another_word_on_what_stood_at_the_beginning_is_news() {
    let mut stage = Stage { desk: Desk::new(PACE), gate: Gate::Open, believed: true };
    stage.at(0, "a:unreachable");
    stage.at(100, "a:blocked");
    assert_eq!(stage.at(120, "a:blocked"), "a: +blocked");
    stage.at(200, "");
    assert_eq!(stage.at(220, ""), "a: -blocked");
}

#[test]
fn the_beginning_lasts_until_a_picture_is_believed() {
    let mut stage = Stage { desk: Desk::new(PACE), gate: Gate::Open, believed: false };
    assert_eq!(stage.at(0, ""), "");
    assert_eq!(stage.at(60, "a:no_data"), "");
    assert!(!stage.desk.is_settled());
    stage.believed = true;
    assert_eq!(stage.at(240, "a:no_data"), "");
    assert_eq!(stage.at(300, "a:no_data b:down"), "");
    assert_eq!(stage.at(320, "a:no_data b:down"), "b: +down");
}

#[test]
fn a_restart_tells_nothing_twice_and_forgets_no_end() {
    let mut stage = Stage::settled();
    stage.at(0, "a:unreachable b:unreachable");
    assert_eq!(stage.at(20, "a:unreachable b:unreachable"), "a: +unreachable, b: +unreachable");
    stage.restart();
    stage.believed = false;
    assert_eq!(stage.at(100, "b:unreachable"), "", "a is only not seen yet");
    assert_eq!(stage.at(300, "b:unreachable"), "");
    stage.believed = true;
    stage.at(301, "b:unreachable");
    assert_eq!(stage.at(321, "b:unreachable"), "a: -unreachable");
    stage.restart();
    stage.at(500, "");
    assert_eq!(stage.at(520, ""), "b: -unreachable");
    stage.restart();
    assert_eq!(stage.at(700, ""), "");
}

#[test]
fn what_began_while_nobody_watched_is_told() {
    let mut stage = Stage::settled();
    stage.restart();
    stage.believed = false;
    stage.at(100, "a:unreachable");
    assert_eq!(stage.at(120, "a:unreachable"), "a: +unreachable");
}

#[test]
fn what_is_held_is_told_when_the_gate_opens_if_it_still_stands() {
    let mut stage = Stage::settled();
    stage.gate = Gate::Held;
    assert_eq!(stage.at(10, "a:unreachable b:down"), "");
    assert_eq!(stage.desk.poll_timeout(), None);
    assert_eq!(stage.at(3600, "a:unreachable b:down"), "");
    assert_eq!(stage.at(7200, "b:down"), "");
    stage.gate = Gate::Open;
    assert_eq!(stage.at(7201, "b:down"), "b: +down", "and nothing of a");
    stage.gate = Gate::Held;
    assert_eq!(stage.at(8000, ""), "");
    stage.gate = Gate::Open;
    assert_eq!(stage.at(9000, ""), "b: -down", "a recovery waits too");
}

#[test]
fn what_nobody_wants_is_no_news_when_somebody_wants_it_later() {
    let mut stage = Stage::settled();
    stage.gate = Gate::Unwanted;
    assert_eq!(stage.at(10, "a:unreachable"), "");
    stage.gate = Gate::Open;
    assert_eq!(stage.at(100, "a:unreachable"), "");
    assert_eq!(stage.at(200, ""), "");
    assert_eq!(stage.at(300, ""), "");
}

#[test]
fn the_end_of_what_was_told_is_told_whatever_is_wanted_since() {
    let mut stage = Stage::settled();
    stage.at(0, "a:unreachable");
    assert_eq!(stage.at(20, "a:unreachable"), "a: +unreachable");
    stage.gate = Gate::Unwanted;
    assert_eq!(stage.at(100, "a:blocked"), "", "no false recovery while it stands");
    assert_eq!(stage.at(200, "a:blocked"), "");
    stage.at(300, "");
    assert_eq!(stage.at(320, ""), "a: -unreachable");
}

#[test]
fn a_note_is_told_once_and_not_later() {
    let mut stage = Stage::settled();
    stage.desk.handle_note(7, Gate::Open, at(10));
    stage.desk.handle_note(8, Gate::Held, at(10));
    assert_eq!(stage.desk.first_note(), Some(7));
    stage.desk.handle_note(7, Gate::Open, at(25));
    assert_eq!(stage.at(29, ""), "");
    assert_eq!(stage.at(30, ""), "note 7");
    assert_eq!(stage.desk.first_note(), None);
    assert_eq!(stage.at(60, ""), "");
}
