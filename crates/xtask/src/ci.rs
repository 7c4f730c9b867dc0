//! What must hold before a change lands, cheapest first. One profile throughout: what clippy does not share with the tests
//! is built once each.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::process::{cargo, run, works};
use crate::{suite, tidy, web};

/// Stops at the first thing that does not hold.
pub fn run_all() -> Result<ExitCode> {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    run(cargo().args(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))?;
    if tidy::run()? != ExitCode::SUCCESS {
        bail!("tidy found what is listed above");
    }
    if works("cargo", &["deny", "--version"]) {
        run(cargo().args(["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    }
    // Before anything is compiled that takes the pages in.
    web::build_if_possible()?;
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]))?;
    // A workspace of its own, which finds here what was just checked; without libFuzzer, so without a C++ compiler.
    let fuzz = ["--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target", "--no-default-features"];
    run(cargo().arg("clippy").args(fuzz).args([
        "--features",
        "agent,aggregator",
        "--locked",
        "--",
        "--deny",
        "warnings",
    ]))?;
    suite::run(&[])
}
