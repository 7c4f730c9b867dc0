//! All tests, with the better runner that is there. A test that cannot run on this machine writes its name and the reason
//! into the file named by `QUORATE_SKIPPED` and passes; the list is printed at the end, so that no gap stays silent.

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::{needs, process, web};

/// Begins the line of a test that lacks only data which need not be there.
const OPTIONAL: &str = "optional ";

/// Builds all, runs all, prints what was skipped.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    needs::tell();
    web::build_if_possible()?;
    // The lab runs the real binaries: one build makes them and the tests, so neither is ever older than the other.
    process::run(process::cargo().args(["build", "--workspace", "--all-targets"]))?;
    let nextest = process::works("cargo", &["nextest", "--version"]);
    if nextest && arguments.is_empty() {
        // nextest leaves documentation tests out. They go first: the last summary printed is then that of the whole.
        process::run(process::cargo().args(["test", "--quiet", "--workspace", "--doc"]))?;
    }

    let skipped = tempfile::NamedTempFile::new().context("cannot make a file for the list of skipped tests")?;
    let mut tests = process::cargo();
    if nextest {
        tests.args(["nextest", "run"]);
    } else {
        eprintln!("cargo-nextest is not installed (to get it: cargo install cargo-nextest); using cargo test");
        tests.arg("test");
    }
    // Cargo takes `--workspace --package x` for the whole.
    if !arguments.iter().any(|argument| argument.starts_with("-p") || argument.starts_with("--package")) {
        tests.arg("--workspace");
    }
    let ran = process::run(tests.args(arguments).env("QUORATE_SKIPPED", skipped.path()));

    let list = std::fs::read_to_string(skipped.path()).context("cannot read the list of skipped tests")?;
    let skipped: BTreeSet<&str> = list.lines().collect();
    println!("{} tests skipped", skipped.len());
    for line in &skipped {
        println!("  skipped {}", line.trim_start_matches(OPTIONAL));
    }
    ran?;
    let lacking = skipped.iter().any(|line| !line.starts_with(OPTIONAL));
    if lacking && std::env::var_os("QUORATE_NO_SKIPS").is_some() {
        bail!("QUORATE_NO_SKIPS is set and tests were skipped: provide what they lack");
    }
    Ok(ExitCode::SUCCESS)
}
