//! Figures that the documentation may quote.

mod edges;
mod replay;
mod web;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum Bench {
    /// Replays the largest recorded mesh; fails if that takes more than a second.
    Replay,
    /// Kills the edge that an agent uses, and gives it names with a bad address: how long until it is back, and whether a
    /// report is lost or comes twice. Wants what the lab wants; takes about five minutes.
    Edges(edges::Arguments),
    /// The pages in Chromium: first load, frames of the mesh at 1,000 by 1,000, the filter at 5,000 servers; fails if a frame
    /// takes more than 50 ms. Wants Node.js and Chromium.
    Web(web::Arguments),
}

impl Bench {
    pub fn run(self) -> Result<ExitCode> {
        match self {
            Self::Replay => replay::run(),
            Self::Edges(arguments) => arguments.run(),
            Self::Web(arguments) => arguments.run(),
        }
    }
}
