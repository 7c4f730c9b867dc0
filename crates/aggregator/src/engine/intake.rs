//! From a stored report to what the fold takes: outcomes in plan order become outcomes by entry point, and those about an
//! entry point that is dialled otherwise since then are dropped (R2).

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::outcome::Outcome;
use quorate_core::report::{Health, Report, Sequence};
use quorate_core::time::Moment;
use quorate_proto::outcomes::{UnpackError, unpack};
use quorate_proto::v1;

use super::plan::{dialled, target};
use crate::digest::hex;
use crate::store::{PlannedTarget, StoredPlan};

/// Why a stored report says nothing about others. Its self-check counts all the same.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// It was made by another aggregator, or is older than what is kept.
    #[error("its plan {0} is not known here")]
    UnknownPlan(u64),
    /// They are cut short, or follow another plan.
    #[error("its outcomes do not fit plan {version}: {error}")]
    Outcomes {
        /// Of the plan that it names.
        version: u64,
        /// Where they end.
        error: UnpackError,
    },
}

/// A report on its way into the fold.
#[derive(Debug)]
pub struct Taken {
    /// What the fold takes.
    pub report: Report,
    /// Whether it carries a round, and not a self-check alone.
    pub is_round: bool,
    /// In plan order.
    pub outcomes: Vec<Outcome>,
    /// Set when the outcomes could not be read.
    pub flaw: Option<IntakeError>,
}

/// Where the targets of plans lie in one fleet, looked up once for each plan and witness. Belongs to one fleet: make a new
/// one with each.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// How each entry point is dialled, by its index; read when it is first asked for.
    dialled: Vec<Option<String>>,
    of: BTreeMap<(u64, ServerIx), Arc<[Option<EntryIx>]>>,
}

/// Witnesses whose plans are kept in [`Places`], a few plans of a large fleet; then all are looked up again.
const PLACES_MAX: usize = 40_000;

impl Places {
    /// By target: the entry point, if clients dial it as the plan did.
    fn of(&mut self, fleet: &Fleet, witness: ServerIx, plan: u64, targets: &[PlannedTarget]) -> Arc<[Option<EntryIx>]> {
        if self.dialled.is_empty() {
            let dialled_now = |ix| target(fleet, ix).map(|target| dialled(&target));
            self.dialled = fleet.entry_ixs().map(dialled_now).collect();
        }
        if self.of.len() >= PLACES_MAX {
            self.of.clear();
        }
        let still_dialled = |planned: &PlannedTarget| {
            let ix = fleet.find_entry_point(&planned.entry_point)?;
            (self.dialled[ix.at()].as_ref() == Some(&planned.address)).then_some(ix)
        };
        self.of.entry((plan, witness)).or_insert_with(|| targets.iter().map(still_dialled).collect()).clone()
    }
}

/// What a report says of `witness`'s neighbours and of itself.
pub fn take(
    fleet: &Fleet,
    places: &mut Places,
    witness: ServerIx,
    plans: &BTreeMap<u64, StoredPlan>,
    observed_at: Moment,
    report: &v1::Report,
) -> Taken {
    let read = outcomes(&fleet.server(witness).id, plans, report);
    let is_round = read.is_ok() && !report.outcomes.is_empty();
    let ((targets, outcomes), flaw) = read.map_or_else(|flaw| ((&[][..], Vec::new()), Some(flaw)), |read| (read, None));
    // Looked up for a round alone: what is kept for its plan must not come from a report that names no targets.
    let places = if is_round { places.of(fleet, witness, report.plan_version, targets) } else { Arc::default() };
    let counted = places.iter().zip(&outcomes).filter_map(|(place, outcome)| Some(((*place)?, *outcome)));
    let outbox = hex(&report.outbox_id);
    let health = report.self_check.as_ref().map_or(v1::Health::Unspecified, v1::SelfCheck::health);
    Taken {
        is_round,
        report: Report {
            witness,
            observed_at,
            health: if health == v1::Health::Down { Health::Down } else { Health::Ok },
            outcomes: counted.collect(),
            sequence: Some(Sequence { outbox, number: report.sequence }),
        },
        outcomes,
        flaw,
    }
}

/// Outcomes of a report with the entry points they are about, in plan order.
pub(crate) fn named(
    witness: &str,
    plans: &BTreeMap<u64, StoredPlan>,
    plan: u64,
    outcomes: Vec<Outcome>,
) -> Vec<(String, Outcome)> {
    let targets = plans.get(&plan).and_then(|plan| plan.by_server.get(witness));
    targets.into_iter().flatten().map(|target| target.entry_point.clone()).zip(outcomes).collect()
}

/// The same of a report that is not to be folded; nothing of one that cannot be read.
pub(crate) fn read_named<'a>(
    witness: &str,
    plans: &'a BTreeMap<u64, StoredPlan>,
    report: &v1::Report,
) -> impl Iterator<Item = (&'a str, Outcome)> {
    let (targets, outcomes) = outcomes(witness, plans, report).unwrap_or_default();
    targets.iter().map(|target| target.entry_point.as_str()).zip(outcomes)
}

fn outcomes<'a>(
    witness: &str,
    plans: &'a BTreeMap<u64, StoredPlan>,
    report: &v1::Report,
) -> Result<(&'a [PlannedTarget], Vec<Outcome>), IntakeError> {
    if report.outcomes.is_empty() {
        return Ok((&[], Vec::new()));
    }
    let version = report.plan_version;
    let plan = plans.get(&version).ok_or(IntakeError::UnknownPlan(version))?;
    let targets = plan.by_server.get(witness).map_or(&[][..], Vec::as_slice);
    let outcomes = unpack(&report.outcomes, targets.len()).map_err(|error| IntakeError::Outcomes { version, error })?;
    Ok((targets, outcomes))
}

/// When a round counts as observed: never later than it was received, and never before the witness's last one; an age that
/// jitters does not turn time back.
pub fn in_order(observed_at: Moment, received_at: Moment, last: Option<Moment>) -> Moment {
    let last = last.unwrap_or(Moment::ZERO);
    observed_at.min(received_at).max(last)
}
