#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use super::{Origin, Visitor};
use crate::inventory::Network;

fn seen(peer: &str, headers: &[(&'static str, &'static str)], trusted: &[&str]) -> Visitor {
    let trusted: Vec<Network> = trusted.iter().map(|network| network.parse().unwrap()).collect();
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Visitor::at(Some(peer.parse().unwrap()), &map, &trusted)
}

fn place(ip: &str) -> Origin {
    Origin::Place(ip.parse().unwrap())
}

const FOR: &str = "x-forwarded-for";

#[test]
fn without_a_trusted_proxy_nobody_says_where_he_comes_from() {
    assert_eq!(seen("198.51.100.7:5", &[(FOR, "192.0.2.1")], &[]).origin, place("198.51.100.7"));
    assert_eq!(seen("127.0.0.1:5", &[], &[]).origin, Origin::Here);
    assert_eq!(seen("[::1]:5", &[], &[]).origin, Origin::Here);
    for header in [FOR, "x-real-ip", "forwarded", "via"] {
        assert_eq!(seen("127.0.0.1:5", &[(header, "192.0.2.1")], &[]).origin, Origin::Proxied, "{header}");
    }
}

#[test]
fn a_trusted_proxy_says_whom_it_forwards() {
    let visitor = seen("127.0.0.1:5", &[(FOR, "192.0.2.1")], &["127.0.0.1"]);
    assert_eq!(visitor.origin, place("192.0.2.1"));
    assert_eq!(visitor.to_string(), "192.0.2.1 through 127.0.0.1:5");
    let here = seen("127.0.0.1:5", &[], &["127.0.0.1"]);
    assert_eq!((here.origin, here.to_string().as_str()), (Origin::Here, "127.0.0.1:5"), "it was not forwarded");
}

#[test]
fn what_a_client_wrote_into_the_header_itself_is_not_read() {
    let forged = [(FOR, "127.0.0.1, 10.0.0.1, 203.0.113.9, 192.0.2.1")];
    assert_eq!(seen("127.0.0.1:5", &forged, &["127.0.0.1"]).origin, place("192.0.2.1"));
    let in_two = [(FOR, "203.0.113.9"), (FOR, "192.0.2.1")];
    assert_eq!(seen("127.0.0.1:5", &in_two, &["127.0.0.1"]).origin, place("192.0.2.1"));
    let own_loopback = [(FOR, "127.0.0.1")];
    assert_ne!(seen("10.0.0.1:5", &own_loopback, &["10.0.0.0/8"]).origin, Origin::Here, "a word is no socket");
}

#[test]
fn a_chain_of_trusted_proxies_is_followed_to_its_end() {
    let chain = [(FOR, "203.0.113.9, 192.0.2.1, 10.0.0.2")];
    assert_eq!(seen("10.0.0.1:5", &chain, &["10.0.0.0/8"]).origin, place("192.0.2.1"));
    let broken = [(FOR, "203.0.113.9, unknown, 10.0.0.2")];
    assert_eq!(seen("10.0.0.1:5", &broken, &["10.0.0.0/8"]).origin, place("10.0.0.2"), "the last that is an address");
    let nothing = [(FOR, "unknown")];
    assert_eq!(seen("10.0.0.1:5", &nothing, &["10.0.0.0/8"]).origin, place("10.0.0.1"));
}

#[test]
fn a_site_counts_once_however_many_addresses_it_has() {
    let of = |ip: &str| seen(&format!("[{ip}]:5"), &[], &[]).origin;
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.1"), place("192.0.2.1"), "IPv4 in the guise of IPv6");
    assert_ne!(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"));
}

#[test]
fn addresses_are_read_with_and_without_ports() {
    for (written, ip) in
        [("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:4711", "2001:db8::"), ("[2001:db8::1]", "2001:db8::")]
    {
        let mut map = HeaderMap::new();
        map.append(FOR, written.parse().unwrap());
        let visitor = Visitor::at(Some("127.0.0.1:5".parse().unwrap()), &map, &["127.0.0.1".parse().unwrap()]);
        assert_eq!(visitor.origin, place(ip), "{written}");
    }
}
