//! Who forwards to whom: an order in which every server comes after those it forwards to, which a circle does not have
//! (R13).

use alloc::string::String;
use alloc::vec::Vec;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::{Fleet, ServerIx};

/// The servers of all chains, each after those it forwards to; or the ids of servers that forward to each other in a
/// circle (a server that forwards to itself is a circle of one).
pub(super) fn order(fleet: &Fleet) -> Result<Vec<ServerIx>, Vec<String>> {
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
