//! Faults on real processes, in the short form that CI has time for. `cargo xtask bench faults --long` does the same for as
//! long as it takes to believe it.

#![allow(clippy::cast_precision_loss, reason = "what is counted here is far below 2^52")]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stderr, reason = "tests tell what they do on standard error")]

mod fault;

use std::env;

use quorate_tests::machine::with_namespaces_and;

use self::fault::{ALL, Ask, Finding, Form};

/// CI makes the same faults each time: one that fails there fails here.
const SEED: u64 = 5;

#[test]
fn killed_at_random_instants_nothing_is_lost_and_nothing_is_said_wrongly() {
    holds("kills");
}

#[test]
fn on_a_full_disk_nothing_is_lost_and_nothing_is_said_wrongly() {
    holds("disk");
}

#[test]
fn a_database_that_is_gone_or_stopped_or_slow_loses_nothing_and_changes_no_verdict() {
    holds("database");
}

#[test]
fn without_a_descriptor_left_an_agent_accuses_nobody_and_an_aggregator_keeps_its_sessions() {
    holds("descriptors");
}

#[test]
fn who_is_stopped_accuses_nobody_and_takes_nobody_for_silent() {
    holds("stops");
}

#[test]
fn dates_that_step_change_nothing() {
    holds("clocks");
}

#[test]
fn a_flooded_gateway_keeps_its_sessions_and_its_bounds() {
    holds("flood");
}

#[test]
fn knocks_on_black_holes_leave_nothing_open() {
    holds("holes");
}

#[test]
fn agents_of_other_versions_have_a_session_or_a_clear_refusal() {
    holds("versions");
}

#[test]
fn a_fleet_that_lives_fast_holds_what_it_held_at_first() {
    holds("soak");
}

/// `QUORATE_FAULTS=long` does as much as the bench.
fn holds(name: &str) {
    let fault = ALL.iter().find(|fault| fault.name == name).expect("a test's fault has its name");
    let form = env::var("QUORATE_FAULTS").ok().and_then(|word| Form::named(&word)).unwrap_or(Form::Short);
    with_namespaces_and(fault.needs, || {
        let findings = (fault.run)(&Ask { form, seed: SEED });
        for finding in &findings {
            eprintln!("{}\n{}", finding.shown(), finding.to_json(name));
        }
        assert!(findings.iter().all(Finding::is_good), "{name}: see above");
    });
}
