//! Measures what edges cost an agent: an edge that is killed under its session, and a name with several addresses of which
//! one is bad. Real programs, real HAProxy, and the product's own times: nothing that is measured runs faster than it would
//! anywhere else. `cargo xtask bench edges` builds and runs it, and shows what it found.
//!
//! Its one argument is the number of kills. Its last line on standard output is the findings as JSON; what it does
//! meanwhile is told on standard error. A kill that no report follows ends it in failure, without findings.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line: printing is its job")]

mod kills;
mod remembered;
mod several;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use quorate_tests::edge;
use quorate_tests::fleet::{Fleet, server};
use quorate_tests::machine::{Ground, Need, ground, program_path};
use quorate_tests::names;
use serde_json::json;

/// The one agent.
const AGENT: &str = "nl-1";
/// Times to the gateway of 10 to 40 ms and back: edges on one continent.
const DISTANCES: [Duration; 4] =
    [Duration::from_millis(5), Duration::from_millis(10), Duration::from_millis(15), Duration::from_millis(20)];
/// The archive is read by Python, which has SQLite built in.
const NEEDS: &[Need] = &[edge::available, names::available, || {
    program_path("python3").map(drop).ok_or_else(|| "python3 is not installed (apt-get install python3)".to_owned())
}];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let runs = match &arguments[..] {
        [runs] => runs.parse().ok().filter(|runs| *runs > 0),
        _ => None,
    };
    let Some(runs) = runs else {
        eprintln!("the one argument is the number of kills, at least 1");
        return ExitCode::FAILURE;
    };
    match ground(NEEDS) {
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
        Ok(Ground::Here) => measure(runs),
        Ok(Ground::Inside(mut copy)) => {
            let status = copy.args(arguments).status().expect("unshare could be started a moment ago");
            if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

fn measure(runs: u32) -> ExitCode {
    let mut fleet = Fleet::start_behind_edges(&[server(AGENT)], &DISTANCES);
    let kills = kills::measure(&mut fleet, runs);
    let free: Vec<_> = several::measure(&mut fleet).iter().map(several::Cell::to_json).collect();
    println!("{}", json!({ "took_ms": kills.took_ms, "lost": kills.lost, "doubled": kills.doubled, "free": free }));
    ExitCode::SUCCESS
}
