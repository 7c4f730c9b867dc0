//! From a stored report to what the fold takes: outcomes in plan order become outcomes by entry point, and those about an
//! entry point that is dialled otherwise since then are dropped (R2).

use std::collections::BTreeMap;

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
pub(crate) enum IntakeError {
    #[error("its plan {0} is not known here")]
    UnknownPlan(u64),
    #[error("its outcomes do not fit plan {version}: {error}")]
    Outcomes { version: u64, error: UnpackError },
}

/// A report on its way into the fold.
pub(crate) struct Taken {
    pub report: Report,
    /// Whether it carries a round, and not a self-check alone.
    pub is_round: bool,
    /// In plan order, for the pages.
    pub outcomes: Vec<(String, Outcome)>,
    /// Set when the outcomes could not be read.
    pub flaw: Option<IntakeError>,
}

/// What a report says of `witness`'s neighbours and of itself.
pub(crate) fn take(
    fleet: &Fleet,
    witness: ServerIx,
    plans: &BTreeMap<u64, StoredPlan>,
    observed_at: Moment,
    report: &v1::Report,
) -> Taken {
    let named = named_outcomes(&fleet.server(witness).id, plans, report);
    let is_round = named.is_ok() && !report.outcomes.is_empty();
    let (named, flaw) = named.map_or_else(|flaw| (Vec::new(), Some(flaw)), |named| (named, None));
    let counted = named.iter().filter_map(|(target, outcome)| Some((still_dialled(fleet, target)?, *outcome)));
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
        outcomes: named.into_iter().map(|(target, outcome)| (target.entry_point.clone(), outcome)).collect(),
        flaw,
    }
}

fn named_outcomes<'a>(
    witness: &str,
    plans: &'a BTreeMap<u64, StoredPlan>,
    report: &v1::Report,
) -> Result<Vec<(&'a PlannedTarget, Outcome)>, IntakeError> {
    if report.outcomes.is_empty() {
        return Ok(Vec::new());
    }
    let version = report.plan_version;
    let plan = plans.get(&version).ok_or(IntakeError::UnknownPlan(version))?;
    let targets = plan.by_server.get(witness).map_or(&[][..], Vec::as_slice);
    let outcomes = unpack(&report.outcomes, targets.len()).map_err(|error| IntakeError::Outcomes { version, error })?;
    Ok(targets.iter().zip(outcomes).collect())
}

/// The entry point, if clients dial it as the plan did.
fn still_dialled(fleet: &Fleet, planned: &PlannedTarget) -> Option<EntryIx> {
    let ix = fleet.find_entry_point(&planned.entry_point)?;
    (dialled(&target(fleet, ix)?) == planned.address).then_some(ix)
}

/// When a round counts as observed: never later than it was received, and never before the witness's last one; an age that
/// jitters does not turn time back.
pub(crate) fn in_order(observed_at: Moment, received_at: Moment, last: Option<Moment>) -> Moment {
    let last = last.unwrap_or(Moment::ZERO);
    observed_at.min(received_at).max(last)
}
