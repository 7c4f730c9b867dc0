//! What is known of each target from earlier rounds: whom a round owes a turn, and who rests.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::dice::Dice;
use crate::outcome::{Outcome, Reason};
use crate::plan::{ProbePlan, Target};
use crate::probe::Probe;
use crate::time::Moment;

/// What is known of a target from earlier rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Its last evidence was a failure.
    failing: bool,
    /// It was due and got no turn.
    pub owed: bool,
    /// It failed when started then, and rests.
    failed_at: Option<Moment>,
    /// In which of its `every` rounds it is due.
    phase: u64,
}

impl Memory {
    /// Whether the target is to be probed in the round of that number.
    pub fn is_due(&self, probe: &Probe, round_number: u64) -> bool {
        let every = u64::from(probe.every.max(1));
        self.failing || self.owed || (round_number + self.phase).is_multiple_of(every)
    }

    /// Takes over how a probe that began at `started_at` ended.
    pub fn note(&mut self, outcome: Outcome, started_at: Moment) {
        self.owed = matches!(outcome, Outcome::Inconclusive(Reason::Stalled | Reason::NotRun));
        match outcome {
            Outcome::Reached { .. } => (self.failing, self.failed_at) = (false, None),
            Outcome::Failed(_) => (self.failing, self.failed_at) = (true, Some(started_at)),
            Outcome::Inconclusive(_) => {}
        }
    }

    /// A failed probe is not repeated at once.
    pub fn rests_until(&self, interval: Duration) -> Moment {
        self.failed_at.map_or(Moment::ZERO, |failed_at| failed_at.after(interval / 4))
    }
}

/// One for each target of a plan that begins: nothing is known yet.
pub(super) fn fresh(plan: &ProbePlan, dice: &mut Dice) -> Vec<Memory> {
    plan.targets.iter().map(|target| unknown(target, dice)).collect()
}

/// One for each target of a plan that takes the place of `old`: what is known of targets that stay as they were is kept.
pub(super) fn carried_over(old: ProbePlan, memories: Vec<Memory>, new: &ProbePlan, dice: &mut Dice) -> Vec<Memory> {
    let known: BTreeMap<String, (Probe, Memory)> = old
        .targets
        .into_iter()
        .zip(memories)
        .map(|(target, memory)| (target.entry_point, (target.probe, memory)))
        .collect();
    let remember = |target: &Target| match known.get(&target.entry_point) {
        Some((probe, memory)) if *probe == target.probe => memory.clone(),
        Some(_) | None => unknown(target, dice),
    };
    new.targets.iter().map(remember).collect()
}

fn unknown(target: &Target, dice: &mut Dice) -> Memory {
    Memory { phase: dice.below(u64::from(target.probe.every.max(1))), ..Memory::default() }
}
