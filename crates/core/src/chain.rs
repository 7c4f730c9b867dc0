//! R13 · Chains: an entry point that forwards to other servers is of use only while one of them can be reached.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::presence::Presence;
use crate::tally::Tally;
use crate::verifier::Blindness;

/// The servers of all chains, each after those it forwards to; or the ids of servers that forward to each other in a
/// circle (a server that forwards to itself is a circle of one).
pub(crate) fn order(fleet: &Fleet) -> Result<Vec<ServerIx>, Vec<String>> {
    let edges = fleet
        .entry_points()
        .iter()
        .flat_map(|entry_point| entry_point.upstreams.iter().map(move |upstream| (entry_point.server.0, upstream.0)));
    let forwards = DiGraph::<(), (), u32>::from_edges(edges);
    let mut order = Vec::with_capacity(forwards.node_count());
    for mut circle in tarjan_scc(&forwards) {
        if circle.len() > 1 || forwards.contains_edge(circle[0], circle[0]) {
            circle.sort_unstable();
            return Err(circle.into_iter().map(|ix| fleet.servers()[ix.index()].id.clone()).collect());
        }
        // Strongly connected components come in reverse topological order: what is forwarded to comes first.
        order.push(ServerIx(circle[0].index() as u32));
    }
    Ok(order)
}

/// Which entry points are cut off, by index. `lost` tells which servers are unreachable as a whole (R11).
pub(crate) fn cut_off(
    fleet: &Fleet,
    presence: &[Presence],
    tallies: &[Tally],
    blindness: &Blindness,
    lost: &[bool],
) -> Vec<bool> {
    let mut cut_off = vec![false; fleet.entry_points().len()];
    for server in fleet.upstreams_first() {
        for ix in &fleet.server(*server).entry_points {
            let upstreams = &fleet.entry_point(*ix).upstreams;
            let is_dead = |upstream: &ServerIx| {
                let up = fleet.server(*upstream);
                up.intent == Intent::Disabled
                    || presence[upstream.at()].down
                    || blindness.cannot_see(*server, *upstream)
                    || lost[upstream.at()] && !sees_any(tallies, &up.entry_points, *server)
                    || up.entry_points.iter().all(|own| cut_off[own.at()])
            };
            let dead = !upstreams.is_empty() && upstreams.iter().all(is_dead);
            cut_off[ix.at()] = dead && fleet.server(*server).intent != Intent::Disabled;
        }
    }
    cut_off
}

fn sees_any(tallies: &[Tally], entry_points: &[EntryIx], witness: ServerIx) -> bool {
    entry_points.iter().any(|ix| tallies[ix.at()].vouches(witness))
}

#[cfg(test)]
mod tests;
