//! The program as a shell runs it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{FLEET, GOOD, case};

/// The program itself, as a shell would run it.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-aggregator"));
    command.arg("replay").args(arguments).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_trace_comes_through_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.json");
    fs::write(&fleet, FLEET).unwrap();
    let mut running = program(&["--fleet", fleet.to_str().unwrap(), "--trace", "-"]).spawn().unwrap();
    running.stdin.take().unwrap().write_all(format!("{GOOD}\n").as_bytes()).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 1);
}

#[test]
fn a_bad_line_is_one_line_on_standard_error_and_a_non_zero_exit() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.json");
    fs::write(&fleet, FLEET).unwrap();
    let mut running = program(&["--fleet", fleet.to_str().unwrap(), "--trace", "-"]).spawn().unwrap();
    running.stdin.take().unwrap().write_all(format!("{GOOD}\nnonsense\n{GOOD}\n").as_bytes()).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 1, "what was said before stands");
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(told.lines().count(), 1);
    assert!(told.contains("-:2: column 2: expected ident"), "{told}");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let case = case("a_border_closes");
    let (fleet, trace) = (case.fleet.unwrap(), case.trace.unwrap());
    let mut running =
        program(&["--fleet", fleet.to_str().unwrap(), "--trace", trace.to_str().unwrap()]).spawn().unwrap();
    drop(running.stdout.take());
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}
