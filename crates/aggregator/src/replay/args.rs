//! The command line of `replay`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::summary::Summary;
use super::{Replay, explain, feed};

/// Folds a recorded trace under a policy, without network or database, and prints what the aggregator would have said: a
/// JSON line for each evaluation.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Fleet and policy, JSON; `-` is standard input, `.gz` is read too.
    #[arg(long, value_name = "FILE")]
    pub fleet: PathBuf,
    /// What happened, JSON lines in the order in which it happened; `-` is standard input, `.gz` is read too.
    #[arg(long, value_name = "FILE")]
    pub trace: PathBuf,
    /// Instead of JSON lines, say why this server or entry point is as it is at the end of the trace.
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,
    /// Instead of JSON lines, print tables for people: how long each server was in each status, how often each rule fired.
    #[arg(long)]
    pub summary: bool,
}

/// Runs `replay` on standard output.
pub fn main(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    let done = replay(args, &mut out).and_then(|()| out.flush().context("cannot write the output"));
    match done {
        // Whoever reads has enough: `replay … | head` is no failure.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        // What earlier lines printed stands; the buffer is flushed as it is dropped.
        Err(error) => Err(error),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// Runs `replay` and writes what it prints to `out`.
pub fn replay(args: &ReplayArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let stdin = Path::new("-");
    if args.fleet == stdin && args.trace == stdin {
        bail!("--fleet and --trace cannot both be standard input: give one of them a file");
    }
    if args.explain.is_none() && !args.summary {
        let mut print = |replay: &Replay| writeln!(out, "{}", replay.line()).context("cannot write the output");
        return feed(&args.fleet, &args.trace, &mut print).map(drop);
    }
    let mut summary = Summary::default();
    let mut note = |replay: &Replay| {
        summary.note(replay.fleet(), replay.verdicts());
        Ok(())
    };
    let mut replay = feed(&args.fleet, &args.trace, &mut note)?;
    summary.end(replay.at());
    // Before anything is printed, so that an unknown id is an error alone.
    let sentences = args.explain.as_ref().map(|id| explain(&mut replay, id)).transpose()?;
    let mut text = String::new();
    if args.summary {
        text.push_str(&summary.tables(replay.folded()));
    }
    for sentence in sentences.into_iter().flatten() {
        text.push_str(&sentence);
        text.push('\n');
    }
    out.write_all(text.as_bytes()).context("cannot write the output")
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
