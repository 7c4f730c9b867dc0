//! The rules for the aggregator's host as they are shipped, with a lab's addresses put in.

use std::net::IpAddr;
use std::path::PathBuf;

/// What is shipped.
const SHIPPED: &str = include_str!("../../../deploy/edge/gateway.nft");

/// Where it stands.
pub fn path() -> PathBuf {
    super::shipped("gateway.nft")
}

/// The rules for these edges.
pub fn for_edges(edges: &[IpAddr]) -> String {
    let (v4, v6): (Vec<IpAddr>, Vec<IpAddr>) = edges.iter().partition(|edge| edge.is_ipv4());
    let rules = put(SHIPPED, "elements = { 192.0.2.11, 192.0.2.12, 192.0.2.13 }", &v4);
    put(&rules, "elements = { 2001:db8::11, 2001:db8::12, 2001:db8::13 }", &v6)
}

/// An operator's edit: the addresses, or no line.
fn put(rules: &str, example: &str, edges: &[IpAddr]) -> String {
    assert!(rules.contains(example), "the shipped rules have the line `{example}`");
    let edges: Vec<String> = edges.iter().map(IpAddr::to_string).collect();
    let line = if edges.is_empty() { String::new() } else { format!("elements = {{ {} }}", edges.join(", ")) };
    rules.replace(example, &line)
}
