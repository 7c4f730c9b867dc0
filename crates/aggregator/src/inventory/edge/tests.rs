#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use quorate_core::time::Moment;

use super::{EdgeEntry, Inventory, NETWORKS_MAX, ProxyEntry};

fn edge(id: &str, networks: &[&str]) -> EdgeEntry {
    let networks = networks.iter().map(|network| (*network).to_owned()).collect();
    EdgeEntry { id: id.to_owned(), networks, proxy: ProxyEntry::Optional, optional_since_ms: None }
}

fn inventory(edges: &[EdgeEntry]) -> Inventory {
    Inventory { edges: edges.to_vec(), ..Inventory::default() }
}

fn told(edges: &[EdgeEntry]) -> String {
    inventory(edges).checked().unwrap_err().to_string()
}

fn of(edges: &[EdgeEntry], peer: &str) -> Option<String> {
    inventory(edges).edges().unwrap().of(peer.parse().unwrap()).map(|edge| edge.id.to_string())
}

#[test]
fn a_peer_is_the_edge_in_whose_networks_it_lies() {
    let edges = [
        edge("fra", &["198.51.100.0/24", "2001:db8:1::/48"]),
        edge("ams", &["192.0.2.7", "2001:db8:2::7", "10.0.0.0/8"]),
    ];
    for (peer, expected) in [
        ("198.51.100.0", Some("fra")),
        ("198.51.100.255", Some("fra")),
        ("198.51.101.0", None),
        ("198.51.99.255", None),
        ("2001:db8:1:ffff::", Some("fra")),
        ("2001:db8:2::7", Some("ams")),
        ("2001:db8:2::8", None),
        ("192.0.2.7", Some("ams")),
        ("192.0.2.6", None),
        ("10.255.0.1", Some("ams")),
    ] {
        assert_eq!(of(&edges, peer).as_deref(), expected, "{peer}");
    }
}

#[test]
fn ipv4_in_the_guise_of_ipv6_is_ipv4() {
    let edges = [edge("fra", &["192.0.2.7"]), edge("ams", &["c000::/8"])];
    assert_eq!(of(&edges, "::ffff:192.0.2.7").as_deref(), Some("fra"));
    assert_eq!(of(&edges, "::192.0.2.7"), None, "a guise that nobody wears any more");
    assert_eq!(of(&edges, "c000:207::").as_deref(), Some("ams"), "the same bits in the other family");
}

#[test]
fn a_network_that_is_none_is_refused_with_what_to_write() {
    for (network, why) in [
        ("", "\"\" is no address and no network, like 198.51.100.0/24"),
        ("edge.example.net", "\"edge.example.net\" is no address and no network, like 198.51.100.0/24"),
        ("192.0.2.7:443", "\"192.0.2.7:443\" is no address and no network, like 198.51.100.0/24"),
        ("192.0.2.0/33", "\"192.0.2.0/33\" is no address and no network, like 198.51.100.0/24"),
        ("192.0.2.0/+24", "\"192.0.2.0/+24\" is no address and no network, like 198.51.100.0/24"),
        ("192.0.2.0/", "\"192.0.2.0/\" is no address and no network, like 198.51.100.0/24"),
        ("2001:db8::/129", "\"2001:db8::/129\" is no address and no network, like 198.51.100.0/24"),
        ("192.0.2.7/24", "192.0.2.7/24 does not begin a /24: write 192.0.2.0/24, or 192.0.2.7 for that address alone"),
        (
            "2001:db8::7/64",
            "2001:db8::7/64 does not begin a /64: write 2001:db8::/64, or 2001:db8::7 for that address alone",
        ),
        ("0.0.0.0/0", "0.0.0.0/0 is the network of strangers too: use /8 or longer"),
        ("::/0", "::/0 is the network of strangers too: use /8 or longer"),
        ("128.0.0.0/7", "128.0.0.0/7 is the network of strangers too: use /8 or longer"),
        ("0.0.0.0", "0.0.0.0 is no address of a host"),
        ("ff02::/16", "ff02:: is no address of a host"),
        ("::ffff:192.0.2.7", "::ffff:192.0.2.7 is an IPv4 network: write 192.0.2.7"),
        ("::ffff:192.0.2.0/120", "::ffff:192.0.2.0/120 is an IPv4 network: write 192.0.2.0/24"),
    ] {
        assert_eq!(told(&[edge("fra", &[network])]), format!("edge 'fra': networks: {why}"));
    }
    assert_eq!(of(&[edge("fra", &["10.0.0.0/8"])], "10.9.9.9").as_deref(), Some("fra"), "the largest that is taken");
    let missing = told(&[edge("fra", &[])]);
    assert_eq!(missing, "edge 'fra': networks: are missing: give the address that its connections come from");
    let many: Vec<String> = (0..=NETWORKS_MAX).map(|n| format!("192.0.2.{n}")).collect();
    let many = edge("fra", &many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(told(&[many]), "edge 'fra': networks: are 17: use at most 16");
}

#[test]
fn a_peer_is_one_edge() {
    let fra = || edge("fra", &["198.51.100.0/24"]);
    assert_eq!(
        told(&[fra(), edge("ams", &["192.0.2.1", "198.51.100.7"])]),
        "edge 'ams': networks: 198.51.100.7 overlaps with 198.51.100.0/24 of edge 'fra': a peer is one edge"
    );
    assert_eq!(
        told(&[edge("ams", &["198.51.100.7"]), fra()]),
        "edge 'fra': networks: 198.51.100.0/24 overlaps with 198.51.100.7 of edge 'ams': a peer is one edge"
    );
    assert_eq!(
        told(&[edge("ams", &["192.0.2.1", "192.0.2.0/28"])]),
        "edge 'ams': networks: 192.0.2.0/28 overlaps with 192.0.2.1: one of them is enough"
    );
    assert!(inventory(&[fra(), edge("ams", &["198.51.101.0/24"])]).checked().is_ok(), "neighbours");
    assert_eq!(told(&[fra(), edge("fra", &["192.0.2.1"])]), "edge 'fra': id: is declared twice");
    assert!(told(&[edge("a b", &["192.0.2.1"])]).starts_with("edge 'a b': id: use a name without blanks"));
    let many: Vec<_> = (0..65).map(|n| edge(&format!("e{n}"), &[&format!("192.0.2.{n}")])).collect();
    assert_eq!(told(&many), "edge 'e64': id: is one too many: use at most 64 edges");
    assert!(inventory(&many[..64]).checked().is_ok());
}

#[test]
fn an_edge_remembers_since_when_it_is_optional() {
    let at = Moment::from_ms;
    let dated = |written: &[EdgeEntry], before: &Inventory, now| {
        let mut after = inventory(written);
        after.date_edges(before, at(now));
        after
    };
    let since = |inventory: &Inventory| inventory.edges[0].optional_since_ms;
    let claims = EdgeEntry { optional_since_ms: Some(1), ..edge("fra", &["192.0.2.1"]) };
    let first = dated(&[claims], &Inventory::default(), 100);
    assert_eq!(since(&first), Some(100), "what somebody writes there is replaced");
    let moved = dated(&[edge("fra", &["192.0.2.2"])], &first, 200);
    assert_eq!(since(&moved), Some(100), "other networks make no new beginning");
    let required = dated(&[EdgeEntry { proxy: ProxyEntry::Require, ..edge("fra", &["192.0.2.2"]) }], &moved, 300);
    assert_eq!(since(&required), None);
    let again = dated(&[edge("fra", &["192.0.2.2"])], &required, 400);
    assert_eq!(since(&again), Some(400));
}

#[test]
fn optional_for_more_than_two_weeks_is_warned_of() {
    let day = |n: u64| Moment::ZERO.after(Duration::from_hours(24 * n));
    let optional = EdgeEntry { optional_since_ms: Some(day(3).as_ms()), ..edge("fra", &["192.0.2.1"]) };
    assert_eq!(optional.warning(day(3 + 14)), None);
    let warning = optional.warning(day(3 + 14).after(Duration::from_millis(1))).unwrap();
    assert_eq!(warning, "PROXY headers have been optional for 14 days: require them once its forwarder sends them");
    let required = EdgeEntry { proxy: ProxyEntry::Require, optional_since_ms: None, ..optional };
    assert_eq!(required.warning(day(100)), None);
}

#[test]
fn a_document_from_before_there_were_edges_is_read_and_written_as_it_was() {
    let document = r#"{"policy":{"quorum":3},"servers":[{"id":"nl-1","address":"198.51.100.7"}],"routes":[]}"#;
    let inventory: Inventory = serde_json::from_str(document).unwrap();
    assert_eq!(inventory.edges, []);
    let written = serde_json::to_string(&inventory).unwrap();
    assert!(!written.contains("edges"), "an older program reads it too: {written}");
}
