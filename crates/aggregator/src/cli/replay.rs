//! `replay`: folds a recorded trace and prints what the aggregator would have said.

use std::io::{BufWriter, Write as _, stdout};
use std::path::PathBuf;

use clap::Args;
use quorate_core::explain::{self, Sentence};
use quorate_core::time::Moment;

use super::{End, Failure, print};
use crate::replay::{self, Replay};

/// What to replay.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The fleet, as JSON (- is standard input, .gz is read too)
    #[arg(long, value_name = "FILE")]
    fleet: PathBuf,
    /// The trace, as JSON lines (- is standard input, .gz is read too)
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// Say at the end why this server or entry point is as it is
    #[arg(long, value_name = "ID")]
    explain: Option<String>,
}

pub fn run(args: &ReplayArgs) -> Result<End, Failure> {
    let mut out = BufWriter::new(stdout().lock());
    let replayed = replay::run(&args.fleet, &args.trace, &mut out);
    // What earlier lines printed stands, also when the run ends with an error.
    let flushed = out.flush();
    drop(out);
    let replayed = replayed.map_err(|error| Failure::new(format!("{error:#}")))?;
    flushed.map_err(|error| Failure::new(format!("cannot write the output: {error}")))?;
    if let Some(id) = &args.explain {
        for sentence in explanation(&replayed, id)? {
            print::line(&sentence.to_string())?;
        }
    }
    Ok(End::Fine)
}

fn explanation(replayed: &Replay, id: &str) -> Result<Vec<Sentence>, Failure> {
    let (fleet, policy, verdicts) = (replayed.fleet(), replayed.policy(), replayed.verdicts());
    if verdicts.servers.len() != fleet.servers().len() {
        return Err(Failure::new("nothing was evaluated: end the trace with an evaluate line"));
    }
    let when = |at: Moment| format!("{} ms", at.as_ms());
    if let Some(ix) = fleet.find_server(id) {
        return Ok(explain::server(fleet, policy, verdicts, ix, &when));
    }
    if let Some(ix) = fleet.find_entry_point(id) {
        return Ok(explain::entry_point(fleet, policy, verdicts, ix, &when));
    }
    Err(Failure::new(format!("--explain '{id}': no server or entry point of the fleet is called so")))
}
