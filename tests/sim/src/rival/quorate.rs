//! Quorate itself: core's ledger, evaluator and slates, driven as the aggregator's engine drives them, whole or without one of
//! its rules.
//!
//! The engine evaluates 100 ms after a report and at least every five seconds; here it is evaluated whenever a tape asks for
//! findings. An evaluation is derived afresh from what was folded, so that only a verdict that would both rise and fall between
//! two such moments is missed.

mod ablation;

use std::ops::RangeInclusive;
use std::sync::Arc;

use quorate_core::balance;
use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::{EntryIx, Fleet, RouteIx};
use quorate_core::ledger::{Ledger, Standing};
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::{EntryVerdict, Verdicts};

pub use self::ablation::Ablation;
use self::ablation::Scratch;
use crate::detector::{Detector, Findings};
use crate::tape::{Setting, Step};

/// Quorate, perhaps without one of its rules.
pub(super) struct Quorate {
    without: Option<Ablation>,
    fleet: Arc<Fleet>,
    policy: Policy,
    ledger: Ledger,
    evaluator: Evaluator,
    scratch: Scratch,
    findings: Findings,
}

impl Quorate {
    pub fn new(setting: &Setting, without: Option<Ablation>) -> Self {
        let fleet = changed_fleet(without, &setting.fleet);
        Self {
            without,
            policy: without.map_or_else(|| setting.policy.clone(), |ablation| ablation.policy(&setting.policy)),
            ledger: Ledger::new(&fleet, Moment::ZERO),
            evaluator: Evaluator::default(),
            findings: findings(without, &fleet, &nothing(&fleet)),
            scratch: Scratch::default(),
            fleet,
        }
    }

    fn evaluate(&mut self, at: Moment) {
        if self.without == Some(Ablation::Hold) {
            for ix in self.fleet.entry_ixs() {
                self.ledger.restore_standing(ix, Standing::default());
            }
        }
        if self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, at) {
            self.findings = findings(self.without, &self.fleet, self.evaluator.verdicts());
        }
    }
}

/// What is said before anything was heard.
fn nothing(fleet: &Fleet) -> Verdicts {
    Verdicts { entry_points: vec![EntryVerdict::default(); fleet.entry_points().len()], ..Verdicts::default() }
}

fn changed_fleet(without: Option<Ablation>, fleet: &Arc<Fleet>) -> Arc<Fleet> {
    without.and_then(|ablation| ablation.fleet(fleet)).map_or_else(|| fleet.clone(), Arc::new)
}

fn findings(without: Option<Ablation>, fleet: &Fleet, verdicts: &Verdicts) -> Findings {
    let changed = without.and_then(|ablation| ablation.verdicts(verdicts));
    let shown = changed.as_ref().unwrap_or(verdicts);
    let of_tier = |tiers: RangeInclusive<u8>| {
        let tier = |ix: EntryIx| shown.entry_points[ix.at()].state().tier();
        fleet.entry_ixs().filter(|ix| tiers.contains(&tier(*ix))).collect()
    };
    let delivered = |route: RouteIx| -> Vec<EntryIx> {
        // R19 is about routes without an audience; what takes it away would say something else to R18.
        let is_spared = without == Some(Ablation::Spare) && !fleet.route(route).audience.is_empty();
        let slate = balance::slate(fleet, if is_spared { verdicts } else { shown }, route, None);
        if slate.last_resort && without == Some(Ablation::LastResort) {
            return Vec::new();
        }
        slate.deliver.iter().map(|offer| offer.entry_point).collect()
    };
    Findings { removed: of_tier(2..=4), doubted: of_tier(1..=1), delivered: fleet.route_ixs().map(delivered).collect() }
}

impl Detector for Quorate {
    fn name(&self) -> &str {
        self.without.map_or("quorate", Ablation::name)
    }

    fn take(&mut self, at: Moment, step: &Step) {
        match step {
            Step::Report(report) => {
                let report = match self.without {
                    Some(ablation) => ablation.report(report, &mut self.scratch),
                    None => report,
                };
                self.ledger.fold(&self.fleet, &self.policy, report);
            }
            Step::Fleet(fleet) => {
                let fleet = changed_fleet(self.without, fleet);
                self.ledger = self.ledger.over(&self.fleet, &fleet, at);
                self.fleet = fleet;
                self.evaluator = Evaluator::default();
            }
            Step::Resumed => self.ledger.resume(at),
            Step::Judge => self.evaluate(at),
        }
    }

    fn findings(&self) -> &Findings {
        &self.findings
    }
}
