//! The command line of `replay`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use quorate_core::time::Moment;

use super::summary::Summary;
use super::{Replay, archive, explain};
use crate::store::Store;

/// Folds what was recorded under a policy, without network, and prints what the aggregator would have said: a JSON line for
/// each evaluation.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Fleet and policy, JSON; `-` is standard input, `.gz` is read too.
    #[arg(long, value_name = "FILE", required_unless_present = "archive")]
    pub fleet: Option<PathBuf>,
    /// What happened, JSON lines in the order in which it happened; `-` is standard input, `.gz` is read too.
    #[arg(long, value_name = "FILE", required_unless_present = "archive")]
    pub trace: Option<PathBuf>,
    /// Read an aggregator's own archive of reports: `sqlite:PATH` or `postgres://…`.
    #[arg(long, value_name = "URL", conflicts_with_all = ["fleet", "trace"])]
    pub archive: Option<String>,
    /// Begin with the reports received at this moment, like `2026-11-30T14:00:00Z`.
    #[arg(long, value_name = "TIME", requires = "archive", value_parser = moment)]
    pub from: Option<Moment>,
    /// End with the reports received at this moment.
    #[arg(long, value_name = "TIME", requires = "archive", value_parser = moment)]
    pub to: Option<Moment>,
    /// Instead of JSON lines, say why this server or entry point is as it is at the end.
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,
    /// Instead of JSON lines, print tables for people: how long each server was in each status, how often each rule fired.
    #[arg(long)]
    pub summary: bool,
}

/// A moment as people write it.
fn moment(text: &str) -> Result<Moment, String> {
    let time: jiff::Timestamp = text.parse().map_err(|_| "use a time like 2026-11-30T14:00:00Z".to_owned())?;
    let ms = u64::try_from(time.as_millisecond()).map_err(|_| "use a time after 1970".to_owned())?;
    Ok(Moment::from_ms(ms))
}

/// Runs `replay` on standard output.
pub async fn main(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout());
    let done = replay(args, &mut out).await.and_then(|()| out.flush().context("cannot write the output"));
    match done {
        // Whoever reads has enough: `replay … | head` is no failure.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        // What earlier lines printed stands; the buffer is flushed as it is dropped.
        Err(error) => Err(error),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

/// Runs `replay` and writes what it prints to `out`.
pub async fn replay(args: &ReplayArgs, out: &mut impl Write) -> anyhow::Result<()> {
    if args.explain.is_none() && !args.summary {
        let mut print = |replay: &Replay| writeln!(out, "{}", replay.line()).context("cannot write the output");
        return feed(args, &mut print).await.map(drop);
    }
    let mut summary = Summary::default();
    let mut note = |replay: &Replay| {
        summary.note(replay.fleet(), replay.verdicts());
        Ok(())
    };
    let mut replay = feed(args, &mut note).await?;
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

/// Replays what the arguments name.
async fn feed(args: &ReplayArgs, evaluated: &mut dyn FnMut(&Replay) -> anyhow::Result<()>) -> anyhow::Result<Replay> {
    let stdin = Path::new("-");
    match (&args.fleet, &args.trace, &args.archive) {
        (Some(fleet), Some(trace), _) if fleet == stdin && trace == stdin => {
            bail!("--fleet and --trace cannot both be standard input: give one of them a file")
        }
        (Some(fleet), Some(trace), _) => super::feed(fleet, trace, evaluated),
        (_, _, Some(url)) => {
            if let Some(path) = url.strip_prefix("sqlite:")
                && !Path::new(path).exists()
            {
                bail!("--archive {url}: there is no such file");
            }
            let store = Store::open_existing(url).await?;
            let latest = store.latest_moment().await?;
            let (from, to) = (args.from.unwrap_or(Moment::ZERO), args.to.unwrap_or(latest).min(latest));
            archive::feed(&store, from, to, evaluated).await
        }
        _ => bail!("give --fleet and --trace, or --archive"),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
