//! Does faults to real processes by name and prints what came of them: what `cargo xtask bench faults` runs.
//!
//! Arguments: the fault's name, `short` or `long`, the seed. Standard output has one JSON object for each finding, a line
//! each; what is done meanwhile is told on standard error.

#![allow(clippy::cast_precision_loss, reason = "what is counted here is far below 2^52")]
#![allow(clippy::unwrap_used, reason = "a lab that cannot be built is a failed run; the panic says where")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line: printing is its job")]

mod fault;

use std::env;
use std::process::ExitCode;

use quorate_tests::machine::{Ground, ground};

use self::fault::{ALL, Ask, Fault, Finding, Form};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [list] = &arguments[..]
        && list == "list"
    {
        for fault in ALL {
            println!("{}", fault.name);
        }
        return ExitCode::SUCCESS;
    }
    let Some((fault, ask)) = asked(&arguments) else {
        let names: Vec<&str> = ALL.iter().map(|fault| fault.name).collect();
        eprintln!("three arguments: one of {}; short or long; a seed", names.join(", "));
        return ExitCode::FAILURE;
    };
    match ground(fault.needs) {
        Err(reason) => {
            eprintln!("{}: {reason}", fault.name);
            ExitCode::FAILURE
        }
        Ok(Ground::Here) => run(fault, &ask),
        Ok(Ground::Inside(mut copy)) => {
            let status = copy.args(arguments).status().expect("unshare could be started a moment ago");
            if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

fn asked(arguments: &[String]) -> Option<(&'static Fault, Ask)> {
    let [name, form, seed] = arguments else { return None };
    let fault = ALL.iter().find(|fault| fault.name == name)?;
    let form = Form::named(form)?;
    Some((fault, Ask { form, seed: seed.parse().ok()? }))
}

fn run(fault: &Fault, ask: &Ask) -> ExitCode {
    let findings = (fault.run)(ask);
    for finding in &findings {
        eprintln!("{}", finding.shown());
        println!("{}", finding.to_json(fault.name));
    }
    if findings.iter().all(Finding::is_good) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
