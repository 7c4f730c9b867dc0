//! Figures that the documentation may quote. Without a word, the speed of all parts (`speed`); each word is a bench of its own.

mod detect;
mod edges;
mod faults;
mod noise;
mod place;
mod replay;
mod speed;
mod web;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<Bench>,
    #[command(flatten)]
    speed: speed::Choice,
}

#[derive(Subcommand)]
enum Bench {
    /// Replays the largest recorded mesh; fails if that takes more than a second.
    Replay,
    /// Quorate and published detectors on the same simulated and recorded fleets: who finds what, how fast, and whom they blame.
    /// Takes up to half an hour on two processors; `--scenario` takes a part of it.
    Detect(detect::Arguments),
    /// Kills the edge that an agent uses, and gives it names with a bad address: how long until it is back, and whether a
    /// report is lost or comes twice. Wants what the lab wants; takes about five minutes.
    Edges(edges::Arguments),
    /// Faults on real processes in the lab: killed, stopped, without disk, database or descriptors, flooded, older than the
    /// other side; fails if anything was lost or said wrongly. Wants what the lab wants.
    Faults(faults::Arguments),
    /// The pages in Chromium: first load, frames of the mesh at 1,000 by 1,000, the filter at 5,000 servers; fails if a frame
    /// takes more than 50 ms. Wants Node.js and Chromium.
    Web(web::Arguments),
}

impl Arguments {
    pub fn run(self) -> Result<ExitCode> {
        match self.what {
            None => self.speed.run(),
            Some(Bench::Replay) => replay::run(),
            Some(Bench::Detect(arguments)) => arguments.run(),
            Some(Bench::Edges(arguments)) => arguments.run(),
            Some(Bench::Faults(arguments)) => arguments.run(),
            Some(Bench::Web(arguments)) => arguments.run(),
        }
    }
}
