//! Which plan a server is sent.

use std::time::Duration;

use quorate_core::assign::AssignPolicy;
use quorate_core::plan::ProbePlan;
use quorate_core::policy::Policy;
use quorate_proto::v1;

use crate::engine::Plans;

/// The plan of `server`. None before the engine has made the first ones: the agent goes on with what it holds. A server
/// that is not in the inventory gets a plan without targets, or it would knock on by its last one for ever.
pub(super) fn plan_of(plans: &Plans, server: &str) -> Option<v1::Plan> {
    if plans.version == 0 {
        return None;
    }
    let own = plans.by_server.get(server).cloned();
    Some(own.unwrap_or_else(|| without_targets(plans)))
}

/// It reports as often as the others do.
fn without_targets(plans: &Plans) -> v1::Plan {
    let like_others = plans.by_server.values().next();
    let interval = like_others.map_or(Policy::default().interval, |plan| Duration::from_millis(plan.interval_ms));
    let plan = ProbePlan {
        version: plans.version,
        interval,
        min_spacing: AssignPolicy::MIN_SPACING,
        targets: Vec::new(),
        own: Vec::new(),
        controls: Vec::new(),
        speed: like_others.map_or(1, |plan| plan.speed),
    };
    quorate_proto::plan::to_wire(&plan)
}
