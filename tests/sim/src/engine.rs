//! Core, driven by a tape as the aggregator's engine drives it: fold, take a fleet over, resume, evaluate.

use std::sync::Arc;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::fold::Folded;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::report::Report;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;

use crate::tape::{Setting, Step};

/// All that an aggregator has of one fleet.
#[derive(Debug, Clone)]
pub struct Engine {
    /// The fleet in force.
    pub fleet: Arc<Fleet>,
    /// Its policy.
    pub policy: Policy,
    /// What was folded.
    pub ledger: Ledger,
    /// What was kept of the last evaluation.
    pub evaluator: Evaluator,
}

impl Engine {
    /// An aggregator that begins with the tape.
    pub fn new(setting: &Setting) -> Self {
        Self {
            fleet: setting.fleet.clone(),
            policy: setting.policy.clone(),
            ledger: Ledger::new(&setting.fleet, Moment::ZERO),
            evaluator: Evaluator::default(),
        }
    }

    /// Takes a step; evaluates at [`Step::Judge`].
    pub fn take(&mut self, at: Moment, step: &Step) {
        match step {
            Step::Report(report) => {
                self.fold(report);
            }
            Step::Fleet(next) => {
                self.ledger = self.ledger.over(&self.fleet, next, at);
                self.fleet = next.clone();
                self.evaluator = Evaluator::default();
            }
            Step::Resumed => self.ledger.resume(at),
            Step::Judge => {
                self.evaluate(at);
            }
        }
    }

    /// Folds a report; one without outcomes is a self-check alone.
    pub fn fold(&mut self, report: &Report) -> Folded {
        if report.outcomes.is_empty() {
            self.ledger.fold_heartbeat(report)
        } else {
            self.ledger.fold(&self.fleet, &self.policy, report)
        }
    }

    /// What is said at a moment.
    pub fn evaluate(&mut self, at: Moment) -> &Verdicts {
        self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, at);
        self.evaluator.verdicts()
    }
}
