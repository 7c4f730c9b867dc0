//! Which servers stand on one reader's card: those that the route delivers to him, and those that he would have if they were
//! well, since that is what he asks about.

use std::collections::BTreeSet;

use quorate_core::fleet::{RouteIx, ServerIx};

use crate::api::feed::{self, FeedQuery};
use crate::api::problem::Problem;
use crate::engine::Snapshot;

/// The servers, in the route's order.
pub fn servers(snapshot: &Snapshot, route: RouteIx, query: &FeedQuery) -> Result<Vec<ServerIx>, Problem> {
    let owner = |ix| snapshot.fleet.entry_point(ix).server;
    let delivered = feed::delivered(snapshot, route, query)?;
    let usual = feed::usual(snapshot, route, query)?;
    let his: BTreeSet<ServerIx> = delivered.into_iter().chain(usual).map(owner).collect();
    let mut told = BTreeSet::new();
    let in_order = snapshot.fleet.route(route).entry_points.iter().map(|ix| owner(*ix));
    Ok(in_order.filter(|server| his.contains(server) && told.insert(*server)).collect())
}
