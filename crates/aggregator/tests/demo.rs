//! The demo as people and CI run it: the real program, its exit code, and what a program reads on its stdout.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

#[test]
fn the_demo_shows_every_promised_status_and_ends_well() {
    let played = demo(&["--once", "--for", "10m", "--json"]);
    let told = String::from_utf8(played.stderr).unwrap();
    assert!(played.status.success(), "{told}");
    assert!(told.lines().any(|line| line.starts_with("seen and healed: ")), "{told}");

    let events: Vec<Value> =
        String::from_utf8(played.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words: BTreeSet<&str> = events.iter().filter_map(|event| event["to"].as_str()).collect();
    for promised in ["unreachable", "marked", "blocked", "down", "no_data", "half_blind"] {
        assert!(words.contains(promised), "{promised} is not among the events: {words:?}");
    }
    let is_empty = |event: &&Value| event["kind"] == "route" && event["to"] == "nothing";
    assert_eq!(events.iter().find(is_empty), None);
    assert!(events.iter().all(|event| event["reason"].as_str().is_some_and(|reason| !reason.is_empty())));
}

#[test]
fn a_demo_that_is_cut_short_says_what_it_did_not_reach() {
    let played = demo(&["--for", "1s"]);
    assert!(played.status.success(), "{played:?}");
    let told = String::from_utf8(played.stdout).unwrap();
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("ended early; not reached yet: nl-1 unreachable, "), "{told}");
    assert!(!told.contains('\x1b'), "a pipe gets no colours and no table: {told}");
}

#[test]
fn led_by_hand_the_demo_says_what_it_takes_and_ends_with_its_input() {
    let played = demo(&["--by-hand"]);
    assert!(played.status.success(), "{played:?}");
    let told = String::from_utf8(played.stdout).unwrap();
    assert!(told.lines().any(|line| line.starts_with("by hand: ") && line.contains("border, pair")), "{told}");
    assert!(told.lines().last().unwrap().starts_with("ended; "), "{told}");
}

#[test]
fn a_span_that_is_none_is_refused_in_one_line() {
    let played = demo(&["--for", "soon"]);
    assert_eq!(played.status.code(), Some(2));
    let told = String::from_utf8(played.stderr).unwrap();
    assert!(told.contains("'soon' is no span of time"), "{told}");
}

fn demo(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quorate-aggregator"))
        .arg("demo")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}
