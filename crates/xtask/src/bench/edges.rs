//! What edges cost an agent, measured in the lab and shown: an edge that is killed under its session, and a name with
//! several addresses of which one is bad. `tests/bench` measures, `figures` judges.

use std::process::{Command, ExitCode, Stdio};

use anyhow::Result;

use self::figures::Figures;
use crate::needs;
use crate::process::{self, cargo, root, target_dir};

mod figures;

/// Quick enough to build cold. What is measured is nearly all waiting: pauses, budgets and ways to the gateway.
const PROFILE: &str = "quick";

#[derive(clap::Args)]
pub struct Arguments {
    /// How many edges are killed.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The figures as JSON too, on the last line.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self) -> Result<ExitCode> {
        needs::require_for_edges()?;
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", PROFILE]);
        build.args(["--package", "quorate-agent", "--bin", "quorate-agent"]);
        build.args(["--package", "quorate-aggregator", "--bin", "quorate-aggregator"]);
        build.args(["--package", "quorate-tests", "--example", "edges"]);
        process::run(&mut build)?;
        let load_before = load();
        let printed = measured(self.runs)?;
        let figures = Figures::read(&printed)?;
        println!("{}", figures.shown());
        println!(
            "Load of this machine: {} before, {} after; more than it has processors makes all of this slower.",
            load_before,
            load()
        );
        if self.json {
            println!("{}", figures.to_json());
        }
        figures.judge(self.runs)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What the measuring program prints; what it does meanwhile passes by on standard error.
fn measured(runs: u32) -> Result<String> {
    let mut measure = Command::new(target_dir()?.join(PROFILE).join("examples/edges"));
    measure.arg(runs.to_string()).current_dir(root()).stdin(Stdio::null());
    process::output(&mut measure)
}

/// The average of the last minute, and how much this machine can do.
fn load() -> String {
    let average = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let average = average.split_whitespace().next().unwrap_or("unknown").to_owned();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{average} on {processors} processors")
}
