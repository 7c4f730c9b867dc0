//! Numbers of the edges; none where no edge is declared.

use std::collections::BTreeMap;

use quorate_core::edge_watch::{AddressState, Trouble};

use super::Page;
use crate::api::Api;
use crate::api::edge_view::{AddressView, EdgeView, Sight};
use crate::engine::Snapshot;

pub(super) fn text(api: &Api, snapshot: &Snapshot) -> String {
    let mut page = Page::default();
    if snapshot.inventory.edges.is_empty() {
        return page.text;
    }
    let sight = Sight::of(api, snapshot);
    let edges: Vec<EdgeView> = snapshot.inventory.edges.iter().map(|edge| sight.edge(edge)).collect();
    let watch = sight.watch(snapshot);
    let addresses = || edges.iter().flat_map(|edge| edge.addresses.iter().map(|address| (&*edge.declared.id, address)));

    page.family(
        "quorate_edge_up",
        "gauge",
        "Whether an edge's address leads to the gateway; absent until it is known.",
    );
    for (edge, address) in addresses().filter(|(_, address)| address.state != AddressState::Unknown.as_str()) {
        let is_up = address.state == AddressState::Through.as_str();
        page.number("quorate_edge_up", &[("edge", edge), ("address", &address.address)], u64::from(is_up));
    }
    for (name, help, ms) in [
        ("quorate_edge_connect_milliseconds", "TCP connect from the aggregator to an edge.", connect_ms as fn(&_) -> _),
        ("quorate_edge_handshake_milliseconds", "TLS handshake through an edge to the gateway and back.", handshake_ms),
    ] {
        page.family(name, "gauge", help);
        for (edge, address, ms) in addresses().filter_map(|(edge, address)| Some((edge, address, ms(address)?))) {
            page.number(name, &[("edge", edge), ("address", &address.address)], ms);
        }
    }
    page.family("quorate_edge_agents", "gauge", "Live sessions of agents that come from an edge.");
    for edge in &edges {
        page.number("quorate_edge_agents", &[("edge", &edge.declared.id)], edge.agents.len() as u64);
    }
    page.family("quorate_agents_past_the_edges", "gauge", "Live sessions of agents that come from no edge.");
    page.number("quorate_agents_past_the_edges", &[], watch.past.len() as u64);
    let mut standing: BTreeMap<&str, u64> = Trouble::ALL.iter().map(|trouble| (trouble.as_str(), 0)).collect();
    for alert in &watch.alerts {
        *standing.entry(&alert.trouble).or_default() += 1;
    }
    page.family("quorate_edge_alerts", "gauge", "What stands of the edges, by trouble.");
    for (trouble, count) in standing {
        page.number("quorate_edge_alerts", &[("trouble", trouble)], count);
    }
    page.text
}

fn connect_ms(address: &AddressView) -> Option<f64> {
    address.connect_ms
}

fn handshake_ms(address: &AddressView) -> Option<f64> {
    address.handshake_ms
}
