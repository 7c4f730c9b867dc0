#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::{dialled, host_of, reachable};

#[test]
fn a_name_is_dialled_at_the_gateways_port_unless_it_names_one() {
    let dialled = |name: &str| dialled(&[name.to_owned()], "0.0.0.0:8443".parse().unwrap());
    assert_eq!(dialled("watch.example.org"), "watch.example.org:8443");
    assert_eq!(dialled("watch.example.org:443"), "watch.example.org:443");
    assert_eq!(dialled("192.0.2.1"), "192.0.2.1:8443");
    assert_eq!(dialled("2001:db8::1"), "[2001:db8::1]:8443");
    assert_eq!(dialled("[2001:db8::1]:443"), "[2001:db8::1]:443");
}

#[test]
fn a_certificate_is_for_the_host_alone() {
    assert_eq!(host_of("watch.example.org:443"), "watch.example.org");
    assert_eq!(host_of("[2001:db8::1]:443"), "2001:db8::1");
    assert_eq!(host_of("2001:db8::1"), "2001:db8::1");
}

#[test]
fn an_address_of_all_interfaces_is_dialled_on_loopback() {
    assert_eq!(reachable("0.0.0.0:80".parse().unwrap()).to_string(), "127.0.0.1:80");
    assert_eq!(reachable("[::]:80".parse().unwrap()).to_string(), "[::1]:80");
    assert_eq!(reachable("192.0.2.1:80".parse().unwrap()).to_string(), "192.0.2.1:80");
}
