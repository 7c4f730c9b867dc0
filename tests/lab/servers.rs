//! One knock of the real agent on each kind of real VPN server: a stranger's handshake is answered, and no more is claimed.

use std::net::IpAddr;
use std::process::Command;

use quorate_tests::certificate::{Certificate, NAME};
use quorate_tests::decoy;
use quorate_tests::machine::{with_namespaces_and, workspace_binary};
use quorate_tests::network::{Host, Lab};
use quorate_tests::vpn::{self, Protocol, VpnServer};
use serde_json::Value;

const SERVER: Host = Host(1);
const WITNESS: Host = Host(2);

/// How one knock on port 443 ended.
fn knock(lab: &Lab, to: IpAddr, kind: &str, pin: &str) -> Value {
    let mut probe = Command::new(workspace_binary("quorate-agent"));
    probe.args(["probe", &to.to_string(), "--json", "--kind", kind, "--sni", NAME, "--pin", pin]);
    let output = lab.namespace(WITNESS).within(|| probe.output()).unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"))
}

#[test]
fn a_stranger_reaches_every_kind_of_vpn_server() {
    with_namespaces_and(&[decoy::available, || vpn::binary().map(drop)], || {
        let lab = Lab::new(2);
        let certificate = Certificate::make(lab.folder());
        for protocols in [[Protocol::Trojan, Protocol::Hysteria2], [Protocol::Vless, Protocol::Tuic]] {
            let _server = VpnServer::start(&lab, SERVER, &protocols, &certificate);
            for to in [IpAddr::from(SERVER.ipv4()), IpAddr::from(SERVER.ipv6())] {
                for kind in ["tcp", "tls", "quic"] {
                    let found = knock(&lab, to, kind, &certificate.pin);
                    assert_eq!(found["result"], "reached", "{kind} to {to}, {protocols:?}: {found}");
                }
            }
        }
    });
}

#[test]
fn a_stranger_reads_the_decoy_behind_a_trojan_server() {
    with_namespaces_and(&[decoy::available, || vpn::binary().map(drop)], || {
        let lab = Lab::new(2);
        let certificate = Certificate::make(lab.folder());
        let _server = VpnServer::start(&lab, SERVER, &[Protocol::Trojan], &certificate);
        let found = knock(&lab, SERVER.ipv4().into(), "https", &certificate.pin);
        assert_eq!(found["result"], "reached", "{found}");
    });
}

#[test]
fn a_server_with_another_key_is_not_reached() {
    with_namespaces_and(&[|| vpn::binary().map(drop)], || {
        let lab = Lab::new(2);
        let certificate = Certificate::make(lab.folder());
        let _server = VpnServer::start(&lab, SERVER, &[Protocol::Vless, Protocol::Tuic], &certificate);
        for kind in ["tls", "quic"] {
            let found = knock(&lab, SERVER.ipv4().into(), kind, &"0".repeat(64));
            assert_eq!(found["result"], "failed", "{kind}: {found}");
            assert_eq!(found["failure"], "ssl_invalid_certificate", "{kind}: {found}");
        }
    });
}
