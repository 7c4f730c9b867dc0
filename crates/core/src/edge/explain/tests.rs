//! What an operator reads in each situation.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use expect_test::{Expect, expect};

use super::{Place, explain};
use crate::edge::tests::river::{edge, edges};
use crate::edge::{Gain, Memory, MoveReason, Ranked, Seat, Times, Timing, Why};
use crate::time::Moment;

fn ranked(number: u8, ms: u64) -> Ranked {
    let times = Times { tcp: Duration::from_millis(ms / 3), tls: Duration::from_millis(ms), samples: 3 };
    Ranked { address: edge(number), times: Some(times), failing: false, good_rounds: 0, better_rounds: 0 }
}

fn on(number: u8, why: Why) -> Seat {
    Seat { address: edge(number), since: Moment::from_ms(43_380_000), why, missing: 0 }
}

/// Four edges, the second of them under the session.
fn memory() -> Memory {
    Memory {
        addresses: edges(&[1, 2, 3, 4]),
        resolved_at: Some(Moment::from_ms(43_000_000)),
        ranking: [ranked(1, 30), ranked(2, 100), ranked(3, 88), ranked(4, 120)].into(),
        measured_on: edges(&[1, 2, 3, 4]),
        measured_at: Some(Moment::from_ms(33_300_000)),
        seat: Some(on(2, Why::Fallback)),
    }
}

fn check(memory: &Memory, expected: &Expect) {
    let when = |at: Moment| format!("{:02}:{:02}", at.as_ms() / 3_600_000, at.as_ms() / 60_000 % 60);
    let told = explain(memory, &Timing::default(), &when);
    expected.assert_eq(&told.sentences.iter().fold(String::new(), |text, sentence| text + sentence + "\n"));
}

#[test]
fn an_agent_off_its_best_edge_says_what_it_waits_for() {
    let mut memory = memory();
    check(
        &memory,
        &expect![[r"
            The session goes through 203.0.113.2 since 12:03: those that come before it did not answer in time.
            The edges were measured at 09:15, and are measured anew when that is 6 h old or an address comes or goes.
            The agent goes back to 203.0.113.1 when that is good in 2 rounds in a row: in none so far.
            The agent leaves for 203.0.113.3 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: now 12 ms and 12 %.
            The agent leaves for 203.0.113.4 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: it is no nearer now.
            The agent leaves 203.0.113.2 when that is missing from the name's addresses 2 times in a row.
        "]],
    );
    memory.ranking[0].failing = true;
    memory.ranking[2].better_rounds = 1;
    memory.ranking[2].times = ranked(3, 40).times;
    memory.ranking[3].failing = true;
    check(
        &memory,
        &expect![[r"
            The session goes through 203.0.113.2 since 12:03: those that come before it did not answer in time.
            The edges were measured at 09:15, and are measured anew when that is 6 h old or an address comes or goes.
            The agent goes back to 203.0.113.1 when that is good in 2 rounds in a row: it does not answer now.
            The agent leaves for 203.0.113.3 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: now 60 ms and 60 %, in 1 of them so far.
            203.0.113.4 does not answer: it is dialled last, and tried again in every round.
            The agent leaves 203.0.113.2 when that is missing from the name's addresses 2 times in a row.
        "]],
    );
}

#[test]
fn an_agent_on_its_best_edge_says_what_would_lure_it_away() {
    let mut memory = memory();
    memory.seat = Some(on(1, Why::First));
    memory.ranking[3].times = None;
    check(
        &memory,
        &expect![[r"
            The session goes through 203.0.113.1 since 12:03: it comes first.
            The edges were measured at 09:15, and are measured anew when that is 6 h old or an address comes or goes.
            The agent leaves for 203.0.113.2 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: it is no nearer now.
            The agent leaves for 203.0.113.3 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: it is no nearer now.
            203.0.113.4 is not measured yet.
            The agent leaves 203.0.113.1 when that is missing from the name's addresses 2 times in a row.
        "]],
    );
}

#[test]
fn each_reason_for_being_somewhere_is_told() {
    let reasons = [Why::NoChoice, Why::First, Why::Fallback].into_iter().chain(MoveReason::ALL.map(Why::Moved));
    let mut told = String::new();
    for why in reasons {
        let explanation =
            explain(&Memory { seat: Some(on(2, why)), ..memory() }, &Timing::default(), &|_| String::from("noon"));
        told += &explanation.sentences[0];
        told += "\n";
        assert_eq!(Why::from_word(why.as_str()), Some(why));
    }
    assert_eq!(Why::from_word("edge"), None);
    expect![[r"
        The session goes through 203.0.113.2 since noon: there was nothing to choose by when it began.
        The session goes through 203.0.113.2 since noon: it comes first.
        The session goes through 203.0.113.2 since noon: those that come before it did not answer in time.
        The session goes through 203.0.113.2 since noon: the edge before it is no longer in DNS.
        The session goes through 203.0.113.2 since noon: it is back, and comes before the edge used meanwhile.
        The session goes through 203.0.113.2 since noon: it is clearly nearer than the edge before it.
    "]]
    .assert_eq(&told);
}

#[test]
fn an_edge_that_was_missing_once_is_about_to_be_left() {
    let mut memory = memory();
    memory.addresses = edges(&[1, 3]);
    memory.seat = Some(Seat { missing: 1, ..on(2, Why::First) });
    check(
        &memory,
        &expect![[r"
            The session goes through 203.0.113.2 since 12:03: it comes first.
            The edges were measured at 09:15, and are measured anew when that is 6 h old or an address comes or goes.
            The agent goes back to 203.0.113.1 when that is good in 2 rounds in a row: in none so far.
            The agent leaves for 203.0.113.3 when that is nearer by 20 ms and 25 % in 2 measurements in a row, after 10 min here at the earliest: now 12 ms and 12 %.
            The agent leaves 203.0.113.2 when that is missing from the name's addresses 2 times in a row: it was missing the last time.
        "]],
    );
}

#[test]
fn where_there_is_nothing_to_choose_little_is_said() {
    check(
        &Memory::default(),
        &expect![[r"
        No address of the gateway's name is known.
        No session is up.
    "]],
    );
    let one = Memory { addresses: edges(&[7]), seat: Some(on(7, Why::NoChoice)), ..Memory::default() };
    check(
        &one,
        &expect![[r"
        The gateway's name has one address, 203.0.113.7: there is nothing to choose.
        The session goes through 203.0.113.7 since 12:03: there was nothing to choose by when it began.
        The agent leaves 203.0.113.7 when that is missing from the name's addresses 2 times in a row.
    "]],
    );
    let unmeasured = Memory { addresses: edges(&[7, 8]), seat: Some(on(7, Why::NoChoice)), ..Memory::default() };
    check(
        &unmeasured,
        &expect![[r"
        The session goes through 203.0.113.7 since 12:03: there was nothing to choose by when it began.
        The edges are not measured yet; a round beside a session does it.
        The agent leaves 203.0.113.7 when that is missing from the name's addresses 2 times in a row.
    "]],
    );
}

#[test]
fn without_a_session_the_order_is_all_there_is_to_say() {
    let mut memory = memory();
    memory.seat = None;
    memory.ranking[0].failing = true;
    check(
        &memory,
        &expect![[r"
            No session is up.
            The edges were measured at 09:15, and are measured anew when that is 6 h old or an address comes or goes.
            203.0.113.1 does not answer: it is dialled last.
        "]],
    );
}

#[test]
fn the_same_is_told_as_data() {
    let places = |memory: &Memory| {
        let told = explain(memory, &Timing::default(), &|_| String::new());
        told.rows.iter().map(|row| row.place).collect::<alloc::vec::Vec<_>>()
    };
    let by = Gain { by: Duration::from_millis(12), percent: 12 };
    let mut memory = memory();
    let behind = |nearer_by| Place::Behind { nearer_by };
    assert_eq!(places(&memory), [Place::Before, Place::Current, behind(Some(by)), behind(None)]);
    // Who was never measured comes before nobody.
    memory.ranking[0].times = None;
    assert_eq!(places(&memory)[0], behind(None));
    memory.addresses = edges(&[2, 3]);
    assert_eq!(places(&memory), [Place::Current, behind(Some(by))]);
    memory.seat = None;
    assert_eq!(places(&memory), [Place::Idle; 2]);
}
