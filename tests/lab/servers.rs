//! The lab's VPN servers are real ones, and answer strangers as real ones do.

use std::net::SocketAddr;
use std::process::Command;

use quorate_tests::certificate::{Certificate, NAME};
use quorate_tests::decoy;
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::namespace::program;
use quorate_tests::network::{Host, Lab};
use quorate_tests::vpn::{self, Protocol, VpnServer};

/// What a TLS client with a request gets, and what certificate the server showed.
fn tls_client(lab: &Lab, from: Host, to: SocketAddr) -> String {
    let mut client = Command::new(program("openssl"));
    client.args(["s_client", "-quiet", "-ign_eof", "-servername", NAME, "-alpn", "http/1.1", "-connect"]);
    client.arg(to.to_string());
    let request = lab.folder().join("request");
    std::fs::write(&request, format!("GET / HTTP/1.1\r\nHost: {NAME}\r\nUser-Agent: lab\r\nConnection: close\r\n\r\n"))
        .unwrap();
    client.stdin(std::fs::File::open(request).unwrap());
    let output = lab.namespace(from).within(|| client.output()).unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_stranger_sees_the_decoy_behind_a_trojan_server() {
    with_namespaces_and(&[decoy::available, || vpn::binary().map(drop)], || {
        let lab = Lab::new(2);
        let certificate = Certificate::make(lab.folder());
        let _server = VpnServer::start(&lab, Host(1), &[Protocol::Trojan, Protocol::Hysteria2], &certificate);
        for to in [(Host(1).ipv4(), 443).into(), (Host(1).ipv6(), 443).into()] {
            let seen = tls_client(&lab, Host(2), to);
            assert!(seen.contains("HTTP/1.1 200 OK"), "{seen}");
            assert!(seen.len() > decoy::PAGE_BYTES, "a page of {} bytes", seen.len());
        }
    });
}

#[test]
fn vless_and_tuic_listen_on_443() {
    with_namespaces_and(&[|| vpn::binary().map(drop)], || {
        let lab = Lab::new(2);
        let certificate = Certificate::make(lab.folder());
        let _server = VpnServer::start(&lab, Host(1), &[Protocol::Vless, Protocol::Tuic], &certificate);
    });
}
