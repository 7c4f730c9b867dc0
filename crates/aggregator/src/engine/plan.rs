//! Stage 1: from the fleet to what each agent probes.
//!
//! A plan depends on membership alone, never on health: a server that is blocked is probed all the same, or its block would
//! never be seen to end. It has a version, is stored (so that a late report can be read), and is made at most once an
//! interval.

use std::collections::BTreeMap;
use std::time::Duration;

use prost::Message;
use quorate_core::assign::{self, AssignError, AssignPolicy, Assignment, Span};
use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::policy::Policy;
use quorate_proto::v1;

use super::Plans;
use crate::digest::{hex, sha256};
use crate::inventory::{Inventory, InventoryError, PolicySettings};
use crate::store::{PlannedTarget, StoredPlan};

/// Who probes what, and the policy with its spans stretched where the mesh demands it.
pub(super) struct Assigned {
    assignment: Assignment,
    pub policy: Policy,
    min_spacing: Duration,
}

/// Who probes what. A plan that cannot keep the policy's spans is refused.
pub(super) fn assign(fleet: &Fleet, policy: &Policy, set: &PolicySettings) -> Result<Assigned, AssignError> {
    let span = |set: Option<u64>, span: Duration| if set.is_some() { Span::Set(span) } else { Span::Default(span) };
    let min_spacing = set.min_spacing_ms.map_or(AssignPolicy::MIN_SPACING, Duration::from_millis);
    let assignment = assign::assign(
        fleet,
        &AssignPolicy {
            interval: policy.interval,
            min_spacing,
            witnesses_per_target: set.witnesses_per_target,
            all: set.all.unwrap_or(false),
            quorum: policy.quorum,
            stale_after: span(set.stale_after_ms, policy.stale_after),
            sustain_for: span(set.sustain_for_ms, policy.sustain_for),
            hold_for: span(set.hold_for_ms, policy.hold_for),
        },
    )?;
    let policy = Policy {
        interval: assignment.interval,
        stale_after: assignment.stale_after,
        sustain_for: assignment.sustain_for,
        hold_for: assignment.hold_for,
        ..policy.clone()
    };
    Ok(Assigned { assignment, policy, min_spacing })
}

/// Whether there is a plan that keeps the policy in the fleet; if not, why.
pub(crate) fn can_be_planned(fleet: &Fleet, policy: &Policy, set: &PolicySettings) -> Result<(), AssignError> {
    assign(fleet, policy, set).map(drop)
}

/// The fleet of an inventory in force, and the policy with the spans that hold with its plan; the declared ones where no
/// plan can be made.
pub(crate) fn declared(inventory: &Inventory) -> Result<(Fleet, Policy), InventoryError> {
    let (fleet, policy) = (inventory.fleet()?, inventory.policy()?);
    let policy = assign(&fleet, &policy, &inventory.policy).map_or(policy, |assigned| assigned.policy);
    Ok((fleet, policy))
}

/// What is stored of a plan: enough to read the reports that follow it.
pub(super) fn stored(fleet: &Fleet, assigned: &Assigned) -> StoredPlan {
    let planned = |ix: &EntryIx| {
        let target = target(fleet, *ix)?;
        Some(PlannedTarget { address: dialled(&target), entry_point: target.entry_point })
    };
    let by_server = fleet.server_ixs().map(|ix| {
        let targets = assigned.assignment.targets(ix).iter().filter_map(planned).collect();
        (fleet.server(ix).id.clone(), targets)
    });
    StoredPlan { by_server: by_server.collect() }
}

/// The plans as they are sent.
pub(super) fn plans(fleet: &Fleet, assigned: &Assigned, set: &PolicySettings, version: u64) -> Plans {
    let plan = |ix: ServerIx| {
        let targets = |entry_points: &[EntryIx]| entry_points.iter().filter_map(|ix| target(fleet, *ix)).collect();
        let plan = ProbePlan {
            version,
            interval: assigned.policy.interval,
            min_spacing: assigned.min_spacing,
            targets: targets(assigned.assignment.targets(ix)),
            own: targets(&fleet.server(ix).entry_points),
            controls: set.controls.clone(),
            speed: set.speed.unwrap_or(1),
        };
        (fleet.server(ix).id.clone(), quorate_proto::plan::to_wire(&plan))
    };
    Plans { version, by_server: fleet.server_ixs().map(plan).collect::<BTreeMap<_, _>>() }
}

/// What two versions of the plans must differ in: everything that is sent but the version.
pub(super) fn digest(plans: &Plans) -> String {
    let unnumbered = plans.by_server.iter().flat_map(|(server, plan)| {
        let plan = v1::Plan { version: 0, ..plan.clone() };
        [server.as_bytes().to_vec(), plan.encode_to_vec()]
    });
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    for part in unnumbered {
        context.update(&(part.len() as u64).to_le_bytes());
        context.update(&part);
    }
    hex(context.finish().as_ref())
}

/// One entry point as it is probed; none in a fleet that was not declared for probing.
pub(crate) fn target(fleet: &Fleet, ix: EntryIx) -> Option<Target> {
    let entry_point = fleet.entry_point(ix);
    Some(Target {
        entry_point: entry_point.id.clone(),
        server: fleet.owner(ix).id.clone(),
        lane: entry_point.lane,
        probe: entry_point.probe.clone()?,
    })
}

/// How an entry point is dialled, as a fingerprint: evidence belongs to it (R2).
pub(crate) fn dialled(target: &Target) -> String {
    hex(&sha256(&quorate_proto::plan::target::to_wire(target).encode_to_vec()))
}
