#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use quorate_core::fleet::Fleet;
use quorate_core::plan::{ProbePlan, Target};
use quorate_proto::plan::from_wire;
use quorate_proto::plan::target::ID_BYTES_MAX;

use super::{EntryPointEntry, Inventory, PolicySettings, RouteEntry, ServerEntry};

fn server(id: &str, address: &str) -> ServerEntry {
    ServerEntry {
        id: id.to_owned(),
        address: address.to_owned(),
        country: None,
        site: None,
        verifier: false,
        intent: super::IntentEntry::Active,
        entry_points: Vec::new(),
    }
}

fn inventory(servers: Vec<ServerEntry>) -> Inventory {
    Inventory { servers, ..Inventory::default() }
}

fn told(inventory: &Inventory) -> String {
    inventory.checked().unwrap_err().to_string()
}

fn refused(edit: impl FnOnce(&mut EntryPointEntry)) -> String {
    let mut entry = EntryPointEntry::default();
    edit(&mut entry);
    told(&inventory(vec![ServerEntry { entry_points: vec![entry], ..server("nl-1", "198.51.100.7") }]))
}

fn policy_refused(policy: PolicySettings) -> String {
    let servers = (1..=5).map(|n| server(&format!("s-{n}"), &format!("198.51.100.{n}"))).collect();
    told(&Inventory { policy, servers, ..Inventory::default() })
}

#[test]
fn a_name_stands_in_addresses_and_tables_as_it_is() {
    for good in ["nl-1", "ünï", "日本", "it's", "\"q\"", "🇳🇱-1", "a?b#c", "-dash"] {
        let checked = inventory(vec![server(good, "198.51.100.7")]).checked();
        assert!(checked.is_ok(), "{good}: {checked:?}");
    }
    for bad in ["", "a b", "a/b", ".", "..", "a\nb", "esc\u{1b}[31m", "\u{202e}", "a\u{200b}", &"x".repeat(121)] {
        let refusal = told(&inventory(vec![server(bad, "198.51.100.7")]));
        assert!(refusal.starts_with(&format!("server '{bad}': id: ")), "{refusal}");
        let entry = EntryPointEntry { name: Some(bad.to_owned()), ..EntryPointEntry::default() };
        let point = told(&inventory(vec![ServerEntry { entry_points: vec![entry], ..server("nl-1", "192.0.2.1") }]));
        assert!(point.starts_with(&format!("entry point 'nl-1/{bad}': name: ")), "{point}");
        let route = RouteEntry { id: bad.to_owned(), entry_points: Vec::new(), audience: Vec::new() };
        let route = told(&Inventory { routes: vec![route], ..Inventory::default() });
        assert!(route.starts_with(&format!("route '{bad}': id: ")), "{route}");
    }
}

#[test]
fn a_site_may_be_a_network_or_have_blanks() {
    let at = |site: &str| inventory(vec![ServerEntry { site: Some(site.to_owned()), ..server("a", "192.0.2.1") }]);
    assert!(at("198.51.100.0/24").checked().is_ok());
    assert!(at("Provider of the North").checked().is_ok());
    assert_eq!(told(&at("")), "server 'a': site: is empty: give it a name");
}

#[test]
fn only_what_can_be_dialled_is_an_address() {
    for good in ["198.51.100.7", "2001:db8::1", "nl-1.example.net", "nl_1.example.net", "localhost", "127.0.0.1"] {
        assert!(inventory(vec![server("a", good)]).checked().is_ok(), "{good}");
    }
    let refusals = [
        ("", "is empty: give an IP address or a host name"),
        ("not an address!", "\"not an address!\" is no IP address and no host name"),
        ("1.2.3.4:443", "\"1.2.3.4:443\" has a port: write 1.2.3.4, and the port as `port`"),
        ("[2001:db8::1]:443", "\"[2001:db8::1]:443\" has a port: write 2001:db8::1, and the port as `port`"),
        ("0.0.0.0", "0.0.0.0 is no address of a host"),
        ("ff02::1", "ff02::1 is no address of a host"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4 is an IPv4 address: write 1.2.3.4"),
        ("a\nb", "\"a\\nb\" is no IP address and no host name"),
    ];
    for (bad, why) in refusals {
        assert_eq!(told(&inventory(vec![server("a", bad)])), format!("server 'a': address: {why}"));
        let own = refused(|entry| entry.address = Some(bad.to_owned()));
        assert_eq!(own, format!("entry point 'nl-1/tls': address: {why}"));
    }
}

#[test]
fn what_an_agent_would_refuse_in_a_plan_is_refused_here() {
    assert!(refused(|entry| entry.sni = Some("bad name".to_owned())).ends_with("sni: \"bad name\" is no host name"));
    assert!(refused(|entry| entry.sni = Some(String::new())).contains("sni: is empty"));
    assert!(refused(|entry| entry.alpn = vec![String::new()]).contains("alpn: a protocol has 0 bytes"));
    assert!(refused(|entry| entry.alpn = vec!["a".repeat(256)]).contains("alpn: a protocol has 256 bytes"));
    assert!(refused(|entry| entry.alpn = vec!["h2".to_owned(); 9]).contains("alpn: names 9 protocols"));
    assert!(refused(|entry| entry.path = Some("x".to_owned())).contains("path: \"x\": start it with '/'"));
    assert!(refused(|entry| entry.path = Some("/a\r\nHost: evil".to_owned())).contains("is no path of a request"));
    assert!(refused(|entry| entry.path = Some(format!("/{}", "a".repeat(2048)))).contains("path: has 2049 bytes"));
    assert!(refused(|entry| entry.expect_status = Some(99)).contains("expect_status: is 99: use 100 to 599"));
    assert!(refused(|entry| entry.expect_status = Some(600)).contains("expect_status: is 600"));
    for odd in ["+1".repeat(32), "zz".repeat(32), "ab".repeat(31), "é".repeat(32)] {
        let told = refused(|entry| entry.pins = vec![odd.clone()]);
        assert!(told.ends_with(&format!("pins: '{odd}' is no SHA-256: 64 hex digits")), "{told}");
    }
    assert!(refused(|entry| entry.pins = vec!["ab".repeat(32); 17]).contains("pins: are 17: use at most 16"));
    let idle = refused(|entry| {
        entry.verify = Some("none".to_owned());
        entry.pins = vec!["ab".repeat(32)];
    });
    assert!(idle.contains("pins: are given, but nothing looks at them"), "{idle}");
}

#[test]
fn a_policy_without_a_plan_is_refused() {
    let policy = PolicySettings::default;
    assert!(policy_refused(PolicySettings { speed: Some(0), ..policy() }).starts_with("policy: speed: is 0"));
    assert!(policy_refused(PolicySettings { speed: Some(1001), ..policy() }).starts_with("policy: speed: is 1001"));
    let day_and_more = PolicySettings { interval_ms: Some(86_400_001), ..policy() };
    assert!(policy_refused(day_and_more).starts_with("policy: interval_ms: is 86400001"));
    for bad in ["bla", "a:0", ":443", "a b:443", "2001:db8::1:443", "[192.0.2.1]:443"] {
        let refusal = policy_refused(PolicySettings { controls: vec![bad.to_owned()], ..policy() });
        assert_eq!(refusal, format!("policy: controls: \"{bad}\" is no host:port, like 192.0.2.1:443"));
    }
    let zero = PolicySettings { min_spacing_ms: Some(0), ..policy() };
    assert!(policy_refused(zero).starts_with("policy: min_spacing 0ns does not fit"));
    let short = PolicySettings {
        interval_ms: Some(1000),
        stale_after_ms: Some(3000),
        hold_for_ms: Some(3000),
        all: Some(true),
        min_spacing_ms: Some(500),
        ..policy()
    };
    assert!(policy_refused(short).starts_with("policy: a round takes 2s (4 probes"));
}

/// The longest and oddest that is accepted here, as the agent reads it.
#[test]
fn what_is_accepted_here_is_accepted_by_an_agent() {
    let longest = "x".repeat(120);
    let entry = EntryPointEntry {
        name: Some(longest.clone()),
        probe: "https".to_owned(),
        sni: Some("a.example".to_owned()),
        alpn: vec!["a".repeat(255); 8],
        pins: vec!["ab".repeat(32); 16],
        path: Some(format!("/{}", "a".repeat(2047))),
        expect_status: Some(599),
        ..EntryPointEntry::default()
    };
    let policy = PolicySettings {
        controls: vec!["[2001:db8::1]:443".to_owned(), "192.0.2.1:443".to_owned(), "a.example:65535".to_owned()],
        speed: Some(ProbePlan::SPEED_MAX),
        ..PolicySettings::default()
    };
    let servers = vec![ServerEntry { entry_points: vec![entry], ..server(&longest, "nl-1.example.net") }];
    let inventory = Inventory { policy: policy.clone(), servers, ..Inventory::default() };
    let fleet: Fleet = inventory.checked().unwrap();
    let planned = &fleet.entry_points()[0];
    let own = Target {
        entry_point: planned.id.clone(),
        server: longest,
        lane: planned.lane,
        probe: planned.probe.clone().unwrap(),
    };
    assert!(own.entry_point.len() <= ID_BYTES_MAX);
    let plan = ProbePlan {
        version: 1,
        interval: ProbePlan::INTERVAL_MAX,
        min_spacing: ProbePlan::INTERVAL_MAX,
        targets: vec![own.clone()],
        own: vec![own],
        controls: policy.controls,
        speed: ProbePlan::SPEED_MAX,
    };
    from_wire(quorate_proto::plan::to_wire(&plan)).unwrap();
}
