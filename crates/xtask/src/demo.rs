//! The demo: built with a profile that a clean clone affords, then run in the place of this process, so that signals,
//! terminal and exit code are its own.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};

use crate::{process, web};

/// Returns only if the demo could not be started.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    web::build_if_possible()?;
    process::run(process::cargo().args(["build", "--quiet", "--profile", "quick", "--package", "quorate-aggregator"]))?;
    let binary = process::target_dir()?.join("quick/quorate-aggregator");
    let error = Command::new(&binary).arg("demo").args(arguments).current_dir(process::root()).exec();
    Err(error).with_context(|| format!("cannot start {}", binary.display()))
}
