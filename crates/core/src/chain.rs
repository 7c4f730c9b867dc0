//! R13 · Chains: entry points that forward to other servers.

use alloc::string::String;
use alloc::vec::Vec;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::fleet::Fleet;

/// The ids of servers that forward to each other in a circle, if there are any; a server that forwards to itself is a
/// circle of one.
pub fn cycle(fleet: &Fleet) -> Option<Vec<String>> {
    let edges = fleet
        .entry_points()
        .iter()
        .flat_map(|entry_point| entry_point.upstreams.iter().map(move |upstream| (entry_point.server.0, upstream.0)));
    let forwards = DiGraph::<(), (), u32>::from_edges(edges);
    let mut circles = tarjan_scc(&forwards).into_iter();
    let mut circle = circles.find(|circle| circle.len() > 1 || forwards.contains_edge(circle[0], circle[0]))?;
    circle.sort_unstable();
    Some(circle.into_iter().map(|ix| fleet.servers()[ix.index()].id.clone()).collect())
}
