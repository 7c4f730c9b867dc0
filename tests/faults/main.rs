//! Faults on real processes, in the short form that CI has time for. `cargo xtask bench faults --long` does the same for as
//! long as it takes to believe it.

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
