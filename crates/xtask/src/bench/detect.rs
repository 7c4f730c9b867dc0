//! `cargo xtask bench detect`: Quorate and published detectors, fed with the same simulated and recorded fleets. Package
//! `quorate-sim` plays and scores; here the figures are compared and shown.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use self::board::Board;
use super::noise::Noise;
use super::place;
use crate::clock::{children_cpu, timed};
use crate::process::{self, cargo, root, target_dir};

mod board;
mod compare;
mod figure;
mod page;
mod plot;
mod table;

#[cfg(test)]
mod tests;

#[derive(clap::Args)]
pub struct Arguments {
    /// Runs of each scenario, each from a seed of its own.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    seeds: u32,
    /// This scenario alone, like `S9`, or `sciera` for a recorded mesh; may be said more than once.
    #[arg(long, value_name = "NAME")]
    scenario: Vec<String>,
    /// All rows as JSON too, on the last line.
    #[arg(long)]
    json: bool,
    /// Writes the tables and plots of docs/detection.md.
    #[arg(long, conflicts_with = "scenario")]
    write: bool,
}

impl Arguments {
    pub fn run(self) -> Result<ExitCode> {
        process::run(cargo().args(["build", "--quiet", "--release", "--package", "quorate-sim", "--bin", "detect"]))?;
        let before = Noise::measure();
        let cpu_before = children_cpu();
        let (printed, wall) = timed(|| self.played());
        let cpu = children_cpu().saturating_sub(cpu_before);
        let noise = before.and(&Noise::measure());
        let board = Board::read(&printed?)?;
        let (commit, machine) = (place::commit(), place::machine());
        let place = format!(
            "Commit {commit} on {machine}; {:.0} CPU seconds in {:.0} seconds.\n{noise}",
            cpu.as_secs_f64(),
            wall.as_secs_f64()
        );
        println!("{}\n{place}", table::for_people(&board));
        if self.write {
            page::write(&board, &self.command(), &place)?;
        }
        if self.json {
            let rows: Vec<&Value> = board.rows.iter().map(|row| &row.json).collect();
            let all = json!({"commit": commit, "machine": machine, "noisy": noise.is_noisy(), "rows": rows,
                             "goals": board.json["goals"], "cpu_s": board.json["cpu_s"]});
            println!("{all}");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What the program prints that plays.
    fn played(&self) -> Result<String> {
        let mut detect = Command::new(target_dir()?.join("release/detect"));
        detect.args(["--seeds", &self.seeds.to_string()]);
        for scenario in &self.scenario {
            detect.args(["--scenario", scenario]);
        }
        let meshes = env::var_os("QUORATE_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
        if meshes.is_dir() {
            detect.arg("--recorded").arg(meshes);
        } else {
            eprintln!("{} is not there: no recorded meshes. Name their folder in QUORATE_DATA.", meshes.display());
        }
        process::output(&mut detect).context("the scoreboard could not be played")
    }

    fn command(&self) -> String {
        let seeds = if self.seeds == 30 { String::new() } else { format!(" --seeds {}", self.seeds) };
        format!("cargo xtask bench detect{seeds} --write")
    }
}
