#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use super::parse;

fn refusal(text: &str) -> String {
    parse(Path::new("fleet.toml"), text).unwrap_err().to_string()
}

const GOOD: &str = r#"
[policy]
quorum = 3

[[servers]]
id = "nl-1"
address = "198.51.100.7"
country = "NL"

[[servers]]
id = "de-1"
address = "203.0.113.9"
entry_points = [{ name = "tls" }, { name = "quic", probe = "quic" }]

[[routes]]
id = "eu"
entry_points = ["nl-1/tls", "de-1/quic"]
"#;

#[test]
fn a_good_file_is_an_inventory() {
    let inventory = parse(Path::new("fleet.toml"), GOOD).unwrap();
    assert_eq!(inventory.servers.len(), 2);
    assert_eq!(inventory.policy.quorum, Some(3));
}

#[test]
fn a_wrong_field_is_named_with_its_line() {
    let told = refusal(&GOOD.replace("\"NL\"", "\"Netherlands\""));
    assert_eq!(told, "fleet.toml:8: server 'nl-1': country: 'Netherlands': a country is two capital letters, like NL");
}

#[test]
fn a_wrong_field_of_an_entry_point_is_named_with_its_line() {
    let told = refusal(&GOOD.replace("probe = \"quic\"", "probe = \"udp\""));
    assert_eq!(
        told,
        "fleet.toml:13: entry point 'de-1/quic': probe: 'udp': unknown probe kind: use tcp, tls, https, quic or quic_http3"
    );
}

#[test]
fn broken_toml_is_named_with_its_line() {
    assert!(refusal(&GOOD.replace("id = \"de-1\"", "id = ")).starts_with("fleet.toml:11: "));
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let told = refusal(&GOOD.replace("country =", "county ="));
    assert!(told.starts_with("fleet.toml:8: unknown field `county`"), "{told}");
}

#[test]
fn a_missing_key_is_named_with_its_servers_line() {
    let told = refusal(&GOOD.replace("address = \"198.51.100.7\"\n", ""));
    assert!(told.starts_with("fleet.toml:5: missing field `address`"), "{told}");
}

#[test]
fn the_second_of_two_servers_of_one_name_is_the_one_too_many() {
    let told = refusal(&GOOD.replace("\"de-1\"\n", "\"nl-1\"\n"));
    assert_eq!(told, "fleet.toml:11: server 'nl-1' is declared twice");
}

#[test]
fn a_route_to_nowhere_is_named_with_its_line() {
    let told = refusal(&GOOD.replace("\"nl-1/tls\"", "\"nl-1/http\""));
    assert_eq!(told, "fleet.toml:17: route 'eu' names 'nl-1/http', which is no entry point of the fleet");
}

#[test]
fn a_policy_out_of_bounds_is_named_with_its_line() {
    assert_eq!(refusal(&GOOD.replace("quorum = 3", "quorum = 1")), "fleet.toml:3: policy: quorum is 1: use at least 2");
    let told = refusal(&GOOD.replace("quorum = 3", "quorum_share = 1.5"));
    assert_eq!(told, "fleet.toml:3: policy: quorum_share: 1.5 is no share: use 0 to 1 with at most three decimals");
}

#[test]
fn an_edge_is_declared_with_its_networks() {
    let edges = "\n[[edges]]\nid = \"fra\"\nnetworks = [\"192.0.2.7\"]\n\n[[edges]]\nid = \"ams\"\nnetworks = [\"192.0.2.9\"]\nproxy = \"require\"\n";
    let good = format!("{GOOD}{edges}");
    let inventory = parse(Path::new("fleet.toml"), &good).unwrap();
    assert_eq!(inventory.edges.iter().map(|edge| edge.proxy.as_str()).collect::<Vec<_>>(), ["optional", "require"]);
    assert_eq!(
        refusal(&good.replace("192.0.2.9", "192.0.2.7")),
        "fleet.toml:25: edge 'ams': networks: 192.0.2.7 overlaps with 192.0.2.7 of edge 'fra': a peer is one edge"
    );
    assert_eq!(refusal(&good.replace("\"ams\"", "\"fra\"")), "fleet.toml:24: edge 'fra': id: is declared twice");
    assert_eq!(
        refusal(&good.replace("\"require\"", "\"on\"")),
        "fleet.toml:26: unknown variant `on`, expected `optional` or `require`"
    );
}
