//! What an agent knows of its edges before it is measured: nothing, or what it has measured itself in an earlier run.

use std::fs;
use std::io::ErrorKind;
use std::net::IpAddr;

use quorate_tests::fleet::{EDGE_SPEED, Fleet};
use serde_json::Value;

use crate::AGENT;

/// The ranking of an earlier run, as the agent wrote it.
pub struct Remembered {
    text: String,
    /// Whom it dials first.
    pub best: usize,
}

impl Remembered {
    /// Has the agent measure the first `edges` of the fleet, which are the name's from here on. It looks at them sooner than
    /// it would elsewhere; how long handshakes take is not touched by that. No agent runs afterwards, and the next one
    /// goes by the product's own times.
    pub fn make(fleet: &mut Fleet, edges: usize) -> Self {
        let all: Vec<usize> = (0..edges).collect();
        fleet.name_edges(&all);
        forget(fleet);
        fleet.edge_speed = EDGE_SPEED;
        fleet.start_agent(AGENT);
        fleet.wait_measured(AGENT, edges);
        fleet.take_agent(AGENT).end();
        fleet.edge_speed = 1;
        let text = fs::read_to_string(fleet.remembered(AGENT)).expect("an agent that has measured has written it down");
        let best = best(&text);
        Self { text, best: edge(fleet, best) }
    }

    /// Gives it to the agent that is started next.
    pub fn restore(&self, fleet: &Fleet) {
        fleet.remember(AGENT, &self.text);
    }
}

/// The agent that is started next knows nothing.
pub fn forget(fleet: &Fleet) {
    match fs::remove_file(fleet.remembered(AGENT)) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => panic!("cannot remove what the agent remembers: {error}"),
    }
}

/// Which edge has an address.
pub fn edge(fleet: &Fleet, address: IpAddr) -> usize {
    let place = (0..fleet.edges.len()).find(|edge| fleet.address(*edge) == address);
    place.unwrap_or_else(|| panic!("{address} is no edge's"))
}

/// Without a session the nearest comes first.
fn best(text: &str) -> IpAddr {
    let memory: Value = serde_json::from_str(text).expect("it is JSON");
    let ranking = memory["ranking"].as_array().expect("it has a ranking");
    let measured = ranking.iter().filter_map(|edge| Some((edge["times"]["tls_us"].as_u64()?, &edge["address"])));
    let (_, address) = measured.min_by_key(|(tls_us, _)| *tls_us).expect("all of it was measured");
    address.as_str().and_then(|address| address.parse().ok()).expect("an address is an address")
}
