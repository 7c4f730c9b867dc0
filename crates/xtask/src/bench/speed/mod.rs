//! `cargo xtask bench`: what Quorate costs, each figure beside what a user would use instead, measured in the same run.
//!
//! A *part* (`part`) measures one thing and gives *rows* (`row`). What is measured runs in programs of its own, built in
//! release, which print *figures* as JSON lines (`figures`); a part turns figures into rows and says which goal each has.
//! The frame here chooses the parts, asks what the machine lacks, builds everything in one go, looks at the machine's noise
//! before and after (`noise`), and shows the rows.
//!
//! CPU time and ratios are what counts: on a machine that others use too, wall time says more about the others.

#![allow(dead_code, reason = "the parts that use all of it are being written")]

mod agent;
mod figures;
mod fold;
mod part;
mod row;
mod table;

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;

use self::part::Part;
use self::row::Row;
use super::noise::Noise;
use super::place;
use crate::needs;

/// All parts, in the order in which they run.
const PARTS: &[&Part] = &[&agent::PART, &fold::PART];

#[derive(clap::Args)]
pub struct Choice {
    /// These parts alone, e.g. `fold` or `fold,api`.
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<String>,
    /// The rows as JSON too, on the last line.
    #[arg(long)]
    json: bool,
}

impl Choice {
    pub fn run(self) -> Result<ExitCode> {
        let parts = self.parts()?;
        needs::require(&parts.iter().flat_map(|part| part.needs.iter().copied()).collect::<Vec<_>>())?;
        part::build(&parts)?;
        let before = Noise::measure();
        let mut rows: Vec<Row> = Vec::new();
        for part in &parts {
            eprintln!("{}: {}", part.name, part.about);
            rows.extend((part.measure)()?);
        }
        let noise = before.and(&Noise::measure());
        let (commit, machine) = (place::commit(), place::machine());
        println!("{}", table::shown(&rows));
        println!("Commit {commit} on {machine}.\n{noise}");
        if self.json {
            let rows: Vec<_> = rows.iter().map(Row::to_json).collect();
            println!("{}", json!({"commit": commit, "machine": machine, "noisy": noise.is_noisy(), "rows": rows}));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn parts(&self) -> Result<Vec<&'static Part>> {
        let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
        if let Some(unknown) = self.only.iter().find(|name| !names.contains(&name.as_str())) {
            bail!("there is no part `{unknown}`: there are {}", names.join(", "));
        }
        let chosen = |part: &&Part| self.only.is_empty() || self.only.iter().any(|name| name == part.name);
        Ok(PARTS.iter().copied().filter(chosen).collect())
    }
}
