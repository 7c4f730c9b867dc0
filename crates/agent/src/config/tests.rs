//! The file: what a whole one says, and one line per fault.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use expect_test::expect;

use super::{AgentConfig, ServiceCheck, ServiceHow};
use crate::limits::{AddressLimits, Limits, Ports};

fn faults(text: &str) -> String {
    let faults = AgentConfig::parse("agent.toml", text).unwrap_err();
    super::lines(&faults) + "\n"
}

#[test]
fn a_gateway_is_all_that_a_file_must_say() {
    let config = AgentConfig::parse("agent.toml", "gateway = \"watch.example.org:9443\"").unwrap();
    assert_eq!(config, AgentConfig::new("watch.example.org:9443", super::DEFAULT_DATA_DIR));
    assert_eq!(config.limits, Limits::default());
}

#[test]
fn a_whole_file_is_read() {
    let text = r#"
gateway = "[2001:db8::1]:9443"
data_dir = "/srv/quorate"
source_addresses = ["192.0.2.7"]
controls = ["192.0.2.1:443"]

[[services]]
name = "vpn"
unit = "xray.service"

[[services]]
process = "sing-box"

[limits]
ports = [443, 8443]
probes_per_minute = 60
min_spacing_ms = 1000
allow_private = true

[lab]
edge_speed = 60
"#;
    let config = AgentConfig::parse("agent.toml", text).unwrap();
    assert_eq!(config.source_addresses, ["192.0.2.7".parse::<std::net::IpAddr>().unwrap()]);
    let services = [
        ServiceCheck { name: "vpn".into(), how: ServiceHow::Unit("xray.service".into()) },
        ServiceCheck { name: "sing-box".into(), how: ServiceHow::Process("sing-box".into()) },
    ];
    assert_eq!(config.services, services);
    let limits = Limits {
        ports: Ports::Only([443, 8443].into()),
        probes_per_minute: 60,
        min_spacing: Duration::from_secs(1),
        addresses: AddressLimits { private: true, ..AddressLimits::default() },
    };
    assert_eq!((config.limits, config.edge_speed), (limits, 60));
}

#[test]
fn the_example_that_is_shipped_has_the_defaults_and_one_service() {
    let example = include_str!("../../../../deploy/agent.toml");
    let config = AgentConfig::parse("agent.toml", example).unwrap();
    let vpn = ServiceCheck { name: "vpn".into(), how: ServiceHow::Unit("xray.service".into()) };
    let defaults = AgentConfig::new("watch.example.org:8443", super::DEFAULT_DATA_DIR);
    assert_eq!(config, AgentConfig { services: vec![vpn], ..defaults });
}

#[test]
fn every_fault_has_its_line() {
    let text = r#"
gateway = "watch.example.org"
source_addresses = ["here"]
controls = ["192.0.2.1"]
[[services]]
name = "vpn"
[[services]]
unit = "a"
process = "b"
[limits]
ports = [443, 0]
probes_per_minute = 0
min_spacing_ms = 0
[lab]
edge_speed = 5001
"#;
    expect![[r"
        agent.toml:2: gateway: 'watch.example.org' is no host:port, like watch.example.org:9443
        agent.toml:3: source_addresses: 'here' is no IP address
        agent.toml:4: controls: '192.0.2.1' is no host:port, like 192.0.2.1:443
        agent.toml:5: services: give exactly one of unit, process and command
        agent.toml:7: services: give exactly one of unit, process and command
        agent.toml:11: limits.ports: 0 is not in 1 to 65535
        agent.toml:12: limits.probes_per_minute: is 0: use at least 1
        agent.toml:13: limits.min_spacing_ms: use 1 to 3600000
        agent.toml:15: lab.edge_speed: 5001 is not in 1 to 5000
    "]]
    .assert_eq(&faults(text));
}

#[test]
fn what_is_no_toml_or_has_an_unknown_field_is_told_with_its_line() {
    let wrong =
        ["gateway = \"a:1\"\ngatway = 1\n", "gateway = \"a:1\"\ndata_dir = 7\n", "data_dir = \"/x\"\n", "gateway =\n"];
    let told: String = wrong.into_iter().map(faults).collect();
    expect![[r"
        agent.toml:2: gatway: unknown field `gatway`, expected one of `gateway`, `data_dir`, `source_addresses`, `services`, `controls`, `limits`, `lab`
        agent.toml:2: data_dir: invalid type: integer `7`, expected path string
        agent.toml:1: gateway: missing field `gateway`
        agent.toml:1: gateway: string values must be quoted, expected literal string
    "]]
    .assert_eq(&told);
}
