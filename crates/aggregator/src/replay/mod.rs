//! `replay`: folds a recorded trace under a policy, without network or database, and prints what the aggregator would have
//! said.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use flate2::read::MultiGzDecoder;
use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;

use self::fleet_file::FleetFile;
use self::trace_file::Line;

mod fleet_file;
mod output;
mod trace_file;

/// A replay under way: the same folding and evaluating that the engine does.
pub struct Replay {
    fleet: Fleet,
    policy: Policy,
    ledger: Ledger,
    evaluator: Evaluator,
    at: Moment,
}

impl Replay {
    /// Begins with the fleet (and policy) of a fleet file.
    pub fn new(fleet_json: &str) -> anyhow::Result<Self> {
        let file: FleetFile = serde_json::from_str(fleet_json)?;
        let (fleet, policy) = file.checked()?;
        let ledger = Ledger::new(&fleet, Moment::ZERO);
        Ok(Self {
            fleet,
            policy: policy.unwrap_or_default(),
            ledger,
            evaluator: Evaluator::default(),
            at: Moment::ZERO,
        })
    }

    /// Takes one line of the trace; an evaluate line answers with the line to print.
    pub fn take(&mut self, text: &str) -> anyhow::Result<Option<String>> {
        let (at, line) = trace_file::parse(text, &self.fleet)?;
        if at < self.at {
            bail!("time goes back from {} to {} ms", self.at.as_ms(), at.as_ms());
        }
        self.at = at;
        match line {
            Line::Report(report) => {
                self.ledger.fold(&self.fleet, &self.policy, &report);
            }
            Line::Resumed => self.ledger.resume(at),
            Line::Fleet(file) => {
                let (fleet, policy) = file.checked()?;
                self.ledger = self.ledger.over(&self.fleet, &fleet, at);
                self.fleet = fleet;
                self.policy = policy.unwrap_or_else(|| self.policy.clone());
                self.evaluator = Evaluator::default();
            }
            Line::Evaluate => {
                self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, at);
                return Ok(Some(output::line(&self.fleet, self.evaluator.verdicts())));
            }
        }
        Ok(None)
    }

    /// The fleet of this moment.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// The policy of this moment.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The folded state.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What the last evaluation said.
    pub fn verdicts(&self) -> &Verdicts {
        self.evaluator.verdicts()
    }
}

/// The longest line of a trace: a report over 40,000 entry points fits many times over.
const LINE_BYTES_MAX: u64 = 16 << 20;

/// Replays `trace` over `fleet` and prints a line for each evaluation. The paths may be `-` for standard input and may end
/// in `.gz`. Returns the replay as it stands at the end.
pub fn run(fleet: &Path, trace: &Path, out: &mut impl Write) -> anyhow::Result<Replay> {
    let mut text = String::new();
    open(fleet)?.read_to_string(&mut text).with_context(|| format!("{}: cannot be read", fleet.display()))?;
    let mut replay = Replay::new(&text).with_context(|| fleet.display().to_string())?;
    let mut reader = open(trace)?;
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let place = || format!("{}:{number}", trace.display());
        let read = (&mut reader).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).with_context(place)?;
        if read == 0 {
            break;
        }
        if read as u64 == LINE_BYTES_MAX {
            bail!("{}: longer than {LINE_BYTES_MAX} bytes", place());
        }
        let text = std::str::from_utf8(&line).with_context(place)?;
        if text.trim().is_empty() {
            continue;
        }
        if let Some(said) = replay.take(text).with_context(place)? {
            writeln!(out, "{said}").context("cannot write the output")?;
        }
    }
    Ok(replay)
}

/// A file or standard input, decompressed where the name says so.
fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?;
    Ok(if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    })
}
