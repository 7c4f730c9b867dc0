//! Which plan a server is sent.

use quorate_proto::v1;

use crate::engine::Plans;

/// What a server without a plan reports at, so that it is heard: as often as the others, or once a minute.
const IDLE_INTERVAL_MS: u64 = 60_000;

/// The plan of `server`. None before the engine has made the first ones: the agent goes on with what it holds. A server
/// that is not in the inventory gets an empty plan, or it would knock on by its last one for ever.
pub(super) fn plan_of(plans: &Plans, server: &str) -> Option<v1::Plan> {
    if plans.version == 0 && plans.by_server.is_empty() {
        return None;
    }
    Some(plans.by_server.get(server).cloned().unwrap_or_else(|| v1::Plan {
        version: plans.version,
        interval_ms: plans.by_server.values().next().map_or(IDLE_INTERVAL_MS, |plan| plan.interval_ms),
        ..v1::Plan::default()
    }))
}
