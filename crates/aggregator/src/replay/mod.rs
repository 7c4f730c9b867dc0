//! `replay`: folds a recorded trace under a policy, without network or database, and prints what the aggregator would have
//! said.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use quorate_core::evaluate::Evaluator;
use quorate_core::explain::Sentence;
use quorate_core::fleet::{EntryIx, Fleet};
use quorate_core::fold::Folded;
use quorate_core::ledger::Ledger;
use quorate_core::outcome::Evidence;
use quorate_core::policy::Policy;
use quorate_core::report::Report;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;
use quorate_trace::{Declared, Line};

pub use self::args::ReplayArgs;
use self::firing::Folds;
use crate::when;

mod archive;
pub mod args;
mod firing;
mod output;
mod summary;

/// A replay under way: the same folding and evaluating that the engine does.
pub struct Replay {
    fleet: Fleet,
    policy: Policy,
    ledger: Ledger,
    evaluator: Evaluator,
    at: Moment,
    folded: Folds,
}

/// What a line of the trace led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Something was folded or changed.
    Taken,
    /// The fleet was evaluated: [`Replay::verdicts`] and [`Replay::line`] are of this moment.
    Evaluated,
}

impl Replay {
    /// Begins with the fleet (and policy) of a fleet file's text.
    pub fn new(fleet_json: &str) -> anyhow::Result<Self> {
        Ok(Self::over(quorate_trace::parse_fleet(fleet_json)?))
    }

    fn over(Declared { fleet, policy }: Declared) -> Self {
        Self {
            ledger: Ledger::new(&fleet, Moment::ZERO),
            fleet,
            policy: policy.unwrap_or_default(),
            evaluator: Evaluator::default(),
            at: Moment::ZERO,
            folded: Folds::default(),
        }
    }

    /// Takes one line of the trace that is not blank.
    pub fn take(&mut self, text: &str) -> anyhow::Result<Step> {
        let (at, line) = quorate_trace::parse_line(text, &self.fleet)?;
        if at < self.at {
            bail!("time goes back from {} to {} ms", self.at.as_ms(), at.as_ms());
        }
        self.at = at;
        match line {
            Line::Report(report) => self.fold(&report),
            Line::Resumed => self.ledger.resume(at),
            Line::Fleet(Declared { fleet, policy }) => {
                self.ledger = self.ledger.over(&self.fleet, &fleet, at);
                self.fleet = fleet;
                self.policy = policy.unwrap_or_else(|| self.policy.clone());
                self.evaluator = Evaluator::default();
            }
            Line::Evaluate => {
                self.evaluate();
                return Ok(Step::Evaluated);
            }
        }
        Ok(Step::Taken)
    }

    fn fold(&mut self, report: &Report) {
        let is_failing = |ledger: &Ledger, ix| ledger.pair(report.witness, ix).streak() > 0;
        let failing: Vec<EntryIx> =
            report.outcomes.iter().map(|(ix, _)| *ix).filter(|ix| is_failing(&self.ledger, *ix)).collect();
        if self.ledger.fold(&self.fleet, &self.policy, report) == Folded::Repeated {
            self.folded.repeated += 1;
            return;
        }
        let inconclusive = report.outcomes.iter().filter(|(_, outcome)| outcome.evidence() == Evidence::Inconclusive);
        self.folded.inconclusive += inconclusive.count() as u64;
        self.folded.series_ended += failing.iter().filter(|ix| !is_failing(&self.ledger, **ix)).count() as u64;
        self.folded.discredited += self.ledger.server(report.witness).discredited().iter().count() as u64;
    }

    fn evaluate(&mut self) {
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, self.at);
    }

    /// What the last evaluation said, as a JSON line without its end.
    pub fn line(&self) -> String {
        output::line(&self.fleet, self.evaluator.verdicts())
    }

    /// The moment of the last line.
    pub fn at(&self) -> Moment {
        self.at
    }

    /// What folding the reports did so far.
    pub fn folded(&self) -> Folds {
        self.folded
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

/// Replays `trace` over `fleet` and prints a line for each evaluation. The paths may be `-` for standard input and may end
/// in `.gz`. Returns the replay as it stands at the end.
pub fn run(fleet: &Path, trace: &Path, out: &mut impl Write) -> anyhow::Result<Replay> {
    feed(fleet, trace, &mut |replay| writeln!(out, "{}", replay.line()).context("cannot write the output"))
}

/// Replays `trace` over `fleet` and calls `evaluated` after each evaluation.
fn feed(
    fleet: &Path,
    trace: &Path,
    evaluated: &mut dyn FnMut(&Replay) -> anyhow::Result<()>,
) -> anyhow::Result<Replay> {
    let mut replay = Replay::over(quorate_trace::file::fleet(fleet)?);
    quorate_trace::file::lines(trace, |text| match replay.take(text)? {
        Step::Evaluated => evaluated(&replay),
        Step::Taken => Ok(()),
    })?;
    Ok(replay)
}

/// Why a server or entry point is as it is at the replay's last moment, a line for each sentence.
fn explain(replay: &mut Replay, id: &str) -> anyhow::Result<Vec<String>> {
    // The trace may end with reports that no evaluate line follows.
    replay.evaluate();
    let (fleet, policy, verdicts) = (&replay.fleet, &replay.policy, replay.evaluator.verdicts());
    let said = match (fleet.find_server(id), fleet.find_entry_point(id)) {
        (Some(ix), _) => quorate_core::explain::server(fleet, policy, verdicts, ix, &moment),
        (None, Some(ix)) => quorate_core::explain::entry_point(fleet, policy, verdicts, ix, &moment),
        (None, None) => bail!("--explain: '{id}' is no server and no entry point of the fleet at the end of the trace"),
    };
    let head = format!("{id} at {}:", moment(replay.at));
    Ok([head].into_iter().chain(said.sentences().map(Sentence::to_string)).collect())
}

/// A trace may count from its own beginning or from 1970; the first gigasecond (until 2001) belongs to the former.
fn moment(at: Moment) -> String {
    let ms = at.as_ms();
    match (ms / 1000, ms % 1000) {
        _ if ms >= 1_000_000_000_000 => when::date_and_time(at),
        (seconds, 0) => format!("second {seconds}"),
        (seconds, ms) => format!("second {seconds}.{ms:03}"),
    }
}
