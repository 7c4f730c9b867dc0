//! What the agents' own files have to allow before a server can be probed: told to whoever writes it into the inventory.
//!
//! An agent refuses a plan with such a target whole, so one server at a private address would stop all of them.

use std::collections::BTreeSet;
use std::net::IpAddr;

use quorate_core::address::{self, AddressKind};

use super::{EntryPointEntry, ServerEntry};

/// One line for a server that agents refuse by default; none for one that they take.
pub fn needed(server: &ServerEntry) -> Option<String> {
    let default = [EntryPointEntry::default()];
    let points = if server.entry_points.is_empty() { &default[..] } else { &server.entry_points };
    let (mut what, mut fields) = (BTreeSet::new(), BTreeSet::new());
    let mut ports = BTreeSet::from(address::PORTS);
    for point in points {
        let host = point.address.as_deref().unwrap_or(&server.address);
        let kind = host.parse::<IpAddr>().ok().map(AddressKind::of);
        if let Some((word, field)) = kind.and_then(AddressKind::allowed_by) {
            what.insert(format!("{host} ({word})"));
            fields.insert(format!("{field} = true"));
        }
        if ports.insert(point.port) {
            what.insert(format!("port {}", point.port));
        }
    }
    if ports.len() > address::PORTS.len() {
        fields.insert(format!("limits.ports = {ports:?}").replace('{', "[").replace('}', "]"));
    }
    if what.is_empty() {
        return None;
    }
    let list = |parts: BTreeSet<String>| parts.into_iter().collect::<Vec<_>>().join(", ");
    Some(format!(
        "agents refuse any plan with {} unless the agent.toml of every server says {}",
        list(what),
        list(fields)
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::needed;
    use crate::inventory::{EntryPointEntry, IntentEntry, ServerEntry};

    fn server(address: &str, ports: &[u16]) -> ServerEntry {
        let point = |port: &u16| EntryPointEntry { port: *port, ..EntryPointEntry::default() };
        ServerEntry {
            id: "nl-1".to_owned(),
            address: address.to_owned(),
            country: None,
            site: None,
            verifier: false,
            intent: IntentEntry::Active,
            entry_points: ports.iter().map(point).collect(),
        }
    }

    #[test]
    fn a_public_server_on_443_needs_nothing() {
        for address in ["198.51.100.7", "2001:db8::7", "nl-1.example.org"] {
            assert_eq!(needed(&server(address, &[])), None);
            assert_eq!(needed(&server(address, &[443])), None);
        }
    }

    #[test]
    fn what_agents_refuse_is_told_with_what_allows_it() {
        assert_eq!(
            needed(&server("10.0.0.20", &[])).unwrap(),
            "agents refuse any plan with 10.0.0.20 (private) unless the agent.toml of every server says \
             limits.allow_private = true"
        );
        assert_eq!(
            needed(&server("127.0.0.1", &[443, 8443])).unwrap(),
            "agents refuse any plan with 127.0.0.1 (loopback), port 8443 unless the agent.toml of every server says \
             limits.allow_loopback = true, limits.ports = [443, 8443]"
        );
    }
}
