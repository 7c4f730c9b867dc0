//! What a fleet refuses, and how it is indexed.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Country, EntryPointSpec, Fleet, Intent, RouteSpec, ServerSpec, default_site};
use crate::lane::Lane;

fn entry_point(id: &str) -> EntryPointSpec {
    EntryPointSpec { id: id.into(), lane: Lane::Tcp4, address: None, probe: None, upstreams: Vec::new(), weight: 1 }
}

fn server(id: &str, entry_points: Vec<EntryPointSpec>) -> ServerSpec {
    ServerSpec { id: id.into(), country: None, site: None, verifier: false, intent: Intent::Active, entry_points }
}

fn route(id: &str, entry_points: &[&str]) -> RouteSpec {
    let entry_points = entry_points.iter().map(|id| String::from(*id)).collect();
    RouteSpec { id: id.into(), entry_points, audience: Vec::new() }
}

fn refused(servers: Vec<ServerSpec>, routes: Vec<RouteSpec>) -> String {
    Fleet::new(servers, routes).err().map_or_else(|| String::from("taken"), |error| error.to_string())
}

#[test]
fn each_refusal_names_the_offender() {
    let one = || server("a", alloc::vec![entry_point("a/tls")]);
    let with = |change: fn(&mut EntryPointSpec)| {
        let mut spec = entry_point("a/tls");
        change(&mut spec);
        alloc::vec![server("a", alloc::vec![spec])]
    };
    let cases = [
        (refused(alloc::vec![one(), one()], alloc::vec![]), "server 'a' is declared twice"),
        (
            refused(alloc::vec![server("a", alloc::vec![])], alloc::vec![]),
            "server 'a' has no entry points: give it at least one",
        ),
        (
            refused(alloc::vec![one(), server("b", alloc::vec![entry_point("a/tls")])], alloc::vec![]),
            "entry point 'a/tls' is declared twice",
        ),
        (refused(alloc::vec![server("", alloc::vec![entry_point("x")])], alloc::vec![]), "a server has an empty id"),
        (
            refused(with(|spec| spec.upstreams.push("z".into())), alloc::vec![]),
            "entry point 'a/tls' forwards to 'z', which is no server of the fleet",
        ),
        (refused(with(|spec| spec.weight = 0), alloc::vec![]), "entry point 'a/tls' has weight 0: use at least 1"),
        (refused(with(|spec| spec.upstreams.push("a".into())), alloc::vec![]), "servers forward in a circle: a"),
        (
            refused(alloc::vec![one()], alloc::vec![route("r", &["b/tls"])]),
            "route 'r' names 'b/tls', which is no entry point of the fleet",
        ),
        (refused(alloc::vec![one()], alloc::vec![route("r", &["a/tls", "a/tls"])]), "route 'r' names 'a/tls' twice"),
        (refused(alloc::vec![one()], alloc::vec![route("r", &[]), route("r", &[])]), "route 'r' is declared twice"),
        (refused(alloc::vec![one()], alloc::vec![route("r", &["a/tls"])]), "taken"),
    ];
    for (said, expected) in cases {
        assert_eq!(said, expected);
    }
}

#[test]
fn the_order_of_declaration_does_not_matter() {
    let servers = ["b", "a", "c"].map(|id| server(id, alloc::vec![entry_point(&alloc::format!("{id}/tls"))]));
    let mut turned = servers.clone();
    turned.reverse();
    assert_eq!(Fleet::new(servers.to_vec(), Vec::new()), Fleet::new(turned.to_vec(), Vec::new()));
}

#[test]
fn more_than_the_limit_is_refused() {
    let servers = (0..=Fleet::SERVERS_MAX).map(|n| {
        let id = alloc::format!("s{n}");
        let own = entry_point(&id);
        server(&id, alloc::vec![own])
    });
    let servers: Vec<ServerSpec> = servers.collect();
    assert_eq!(refused(servers.clone(), Vec::new()), "the fleet has 10001 servers: at most 10000 are supported");
    assert_eq!(refused(servers[1..].to_vec(), Vec::new()), "taken");
}

#[test]
fn a_country_is_two_capital_letters() {
    assert!("NL".parse::<Country>().is_ok());
    for word in ["", "N", "nl", "NLD", "N1", "ÄÖ"] {
        assert!(word.parse::<Country>().is_err(), "{word}");
    }
}

#[test]
fn the_site_of_an_address_is_its_network() {
    let site = |address: &str| address.parse().map(default_site).unwrap_or_default();
    assert_eq!(site("198.51.100.7"), "198.51.100.0/24");
    assert_eq!(site("::ffff:198.51.100.7"), "198.51.100.0/24", "the same host over IPv6");
    assert_eq!(site("2001:db8:1:2::3"), "2001:db8:1::/48");
}
