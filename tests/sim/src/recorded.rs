//! A recorded mesh as a tape: what was really measured somewhere, and the truth that only hindsight knows.
//!
//! A round is what was reported up to an `evaluate` line. An *observer* of a round is a witness whose report reached at least
//! half of what it tried: one that reached less says more about itself. An entry point was dead in a round in which observers
//! tried it and none of them reached it, and well in one in which one of them did; where no observer tried it, it is taken to be
//! as it was in the round before. So a witness that is blind though everybody reaches it is well, and two that reach each other
//! and nobody else are dead.
//!
//! In trouble is a round in which somebody was dead, or a witness was no observer.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::outcome::Evidence;
use quorate_core::report::Report;
use quorate_core::time::Moment;
use quorate_trace::Line;

use crate::tape::{Setting, Step, Tape, Timed};
use crate::truth::{Plight, Trouble, Truth, Turn};

/// A recorded mesh, read once and played as often as one likes.
#[derive(Debug, Clone)]
pub struct Recorded {
    setting: Setting,
    steps: Arc<Vec<Timed>>,
    truth: Arc<Truth>,
    played: usize,
}

impl Recorded {
    /// Reads `fleet.json` and `trace.jsonl.gz` of a folder. A mesh whose inventory changes is refused: hindsight would have to
    /// know who left on purpose.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let declared = quorate_trace::file::fleet(&folder.join("fleet.json"))?;
        let (fleet, policy) = (Arc::new(declared.fleet), declared.policy.unwrap_or_default());
        let mut steps: Vec<Timed> = Vec::new();
        let trace = folder.join("trace.jsonl.gz");
        quorate_trace::file::lines(&trace, |text| {
            let (at, line) = quorate_trace::parse_line(text, &fleet)?;
            if steps.last().is_some_and(|last| at < last.at) {
                bail!("time goes back to {} ms", at.as_ms());
            }
            let step = match line {
                Line::Report(report) => Step::Report(report),
                Line::Resumed => Step::Resumed,
                Line::Evaluate => Step::Judge,
                Line::Fleet(_) => bail!("the inventory changes: only meshes that stay as they are can be scored"),
            };
            steps.push(Timed { at, step });
            Ok(())
        })?;
        let last = steps.last().with_context(|| format!("{}: is empty", trace.display()))?;
        let interval = policy.interval;
        let setting = Setting { ends_at: last.at.after(interval), fleet, policy, interval };
        let truth = Hindsight::of(&setting, &steps);
        Ok(Self { setting, steps: Arc::new(steps), truth: Arc::new(truth), played: 0 })
    }
}

impl Iterator for Recorded {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        let next = self.steps.get(self.played).cloned();
        self.played += 1;
        next
    }
}

impl Tape for Recorded {
    fn setting(&self) -> &Setting {
        &self.setting
    }

    fn truth(&self) -> &Truth {
        &self.truth
    }
}

/// Looks back, round by round.
struct Hindsight<'a> {
    fleet: &'a Fleet,
    dead: Vec<bool>,
    /// The first moment of the round, and its reports: the last one of each witness.
    round: Option<(Moment, BTreeMap<ServerIx, &'a Report>)>,
    in_trouble_since: Option<Moment>,
    truth: Truth,
}

impl<'a> Hindsight<'a> {
    fn of(setting: &'a Setting, steps: &'a [Timed]) -> Truth {
        let fleet = &*setting.fleet;
        let dead = vec![false; fleet.entry_points().len()];
        let mut hindsight = Self { fleet, dead, round: None, in_trouble_since: None, truth: Truth::default() };
        for Timed { at, step } in steps {
            match step {
                Step::Report(report) => {
                    hindsight.round.get_or_insert_with(|| (*at, BTreeMap::new())).1.insert(report.witness, report);
                }
                Step::Judge => hindsight.end_round(),
                Step::Fleet(_) | Step::Resumed => {}
            }
        }
        hindsight.end_round();
        hindsight.set_trouble(setting.ends_at, false);
        hindsight.truth
    }

    fn end_round(&mut self) {
        let Some((at, reports)) = self.round.take() else { return };
        let is_observer = |report: &&&Report| {
            let count = |evidence| self.tried(report).filter(|(_, found)| *found == evidence).count();
            count(Evidence::Reached) >= count(Evidence::Failed)
        };
        let observers: Vec<&&Report> = reports.values().filter(is_observer).collect();
        let mut reached: Vec<Option<bool>> = vec![None; self.dead.len()];
        for (entry_point, found) in observers.iter().flat_map(|report| self.tried(report)) {
            let any = &mut reached[entry_point.at()];
            *any = Some(any.unwrap_or(false) || found == Evidence::Reached);
        }
        for (ix, reached) in self.fleet.entry_ixs().zip(reached) {
            let is_dead = reached.map_or(self.dead[ix.at()], |reached| !reached);
            if is_dead != self.dead[ix.at()] {
                self.dead[ix.at()] = is_dead;
                let plight = if is_dead { Plight::Dead } else { Plight::Well };
                self.truth.turns.push(Turn { at, entry_point: ix, plight });
            }
        }
        let is_in_trouble = observers.len() < reports.len() || self.dead.contains(&true);
        self.set_trouble(at, is_in_trouble);
    }

    /// What a report says of others.
    fn tried(&self, report: &'a Report) -> impl Iterator<Item = (EntryIx, Evidence)> + use<'a, '_> {
        let of_others = report.outcomes.iter().filter(|(ix, _)| self.fleet.entry_point(*ix).server != report.witness);
        let found = of_others.map(|(ix, outcome)| (*ix, outcome.evidence()));
        found.filter(|(_, evidence)| *evidence != Evidence::Inconclusive)
    }

    fn set_trouble(&mut self, at: Moment, is_on: bool) {
        match (self.in_trouble_since, is_on) {
            (None, true) => self.in_trouble_since = Some(at),
            (Some(from), false) => {
                self.truth.troubles.push(Trouble { from, until: at });
                self.in_trouble_since = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
}

#[cfg(test)]
mod tests;
