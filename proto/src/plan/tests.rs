#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use prost::Message;
use quorate_core::lane::Lane;
use quorate_core::probe::{Probe, ProbeKind, Verify};

use super::target::{ALPN_BYTES_MAX, ALPN_MAX, PATH_BYTES_MAX, PINS_MAX};
use super::*;

fn sent() -> v1::Plan {
    to_wire(&plan())
}

fn plan() -> ProbePlan {
    let mut tls = Probe::new(ProbeKind::Tls, "192.0.2.7", 443);
    tls.sni = Some(String::from("www.example.org"));
    tls.verify = Verify::Pin(vec![[7; 32]]);
    let quic = Probe::new(ProbeKind::Quic, "2001:db8::7", 443);
    let https = Probe::new(ProbeKind::Https, "nl-1.example.org", 443);
    ProbePlan {
        version: 3,
        interval: Duration::from_mins(1),
        min_spacing: Duration::from_secs(2),
        targets: vec![target("nl-1/tls", Lane::Tcp4, tls), target("nl-1/quic", Lane::Udp6, quic)],
        own: vec![target("de-1/https", Lane::Tcp6, https)],
        controls: vec![String::from("198.51.100.1:443")],
        speed: 1,
    }
}

fn target(entry_point: &str, lane: Lane, probe: Probe) -> Target {
    let (server, _) = entry_point.split_once('/').unwrap();
    Target { entry_point: entry_point.to_owned(), server: server.to_owned(), lane, probe }
}

/// The line that a person reads when the plan is spoilt.
fn refusal(spoil: impl FnOnce(&mut v1::Plan)) -> String {
    let mut plan = sent();
    spoil(&mut plan);
    from_wire(plan).unwrap_err().to_string()
}

#[test]
fn a_plan_crosses_the_wire_unchanged() {
    assert_eq!(from_wire(sent()).unwrap(), plan());
}

#[test]
fn absent_fields_mean_their_defaults() {
    let mut plan = sent();
    plan.speed = 0;
    let target = &mut plan.targets[1];
    target.path = String::new();
    target.verify = String::new();
    target.every = 0;
    let plan = from_wire(plan).unwrap();
    assert_eq!(plan.speed, 1);
    let probe = &plan.targets[1].probe;
    assert_eq!((probe.path.as_str(), &probe.verify, probe.every), ("/", &Verify::WebPki, 1));
    assert_eq!((&probe.sni, probe.expect_status), (&None, None));
}

#[test]
fn a_wrong_plan_is_refused_with_what_is_wrong() {
    assert_eq!(refusal(|plan| plan.version = 0), "plan has version 0, which means none: versions begin at 1");
    assert_eq!(refusal(|plan| plan.interval_ms = 0), "interval_ms is 0 ms: use 1 to 86400000");
    assert_eq!(refusal(|plan| plan.min_spacing_ms = 0), "min_spacing_ms is 0 ms: use 1 to 86400000");
    assert_eq!(refusal(|plan| plan.speed = 1001), "speed is 1001: use at most 1000");
    assert_eq!(refusal(|plan| plan.controls[0] = "nowhere".to_owned()), "control 'nowhere' is no host:port");
    assert_eq!(
        refusal(|plan| plan.controls = vec!["h:1".to_owned(); 17]),
        "plan has 17 controls: at most 16 are supported"
    );
    assert_eq!(
        refusal(|plan| plan.targets = vec![v1::Target::default(); 10_001]),
        "plan has 10001 targets: at most 10000 are supported"
    );
    assert_eq!(
        refusal(|plan| plan.targets[1].entry_point = "nl-1/tls".to_owned()),
        "plan names entry point 'nl-1/tls' twice"
    );
}

#[test]
fn a_wrong_target_is_refused_with_its_entry_point() {
    let refusal = |spoil: fn(&mut v1::Target)| refusal(|plan| spoil(&mut plan.targets[0]));
    let expected = expect_test::expect![[r"
        entry point 'nl-1/tls': unknown lane 'sctp4': use tcp4, tcp6, udp4 or udp6
        entry point 'nl-1/tls': unknown probe 'ping': use tcp, tls, https, quic or quic_http3
        entry point 'nl-1/tls': a quic probe cannot run on lane tcp4
        entry point 'nl-1/tls': address 192.0.2.7 is not of lane tcp6's family
        entry point 'nl-1/tls': port 0 is not in 1 to 65535
        entry point 'nl-1/tls': port 65536 is not in 1 to 65535
        entry point 'nl-1/tls': a pin has 31 bytes: a SHA-256 has 32
        entry point 'nl-1/tls': verify is pin, but there is no pin
        entry point 'nl-1/tls': 17 pins: at most 16 are supported
        entry point 'nl-1/tls': there are pins, but verify is none
        entry point 'nl-1/tls': unknown verify 'yes\n': use webpki, pin or none
        entry point 'nl-1/tls': path 'x' does not begin with '/'
        entry point 'nl-1/tls': expect_status 600 is not in 100 to 599
        entry point 'nl-1/tls': every is 65536: use at most 65535
        entry point 'nl-1/tls': host has 254 bytes: at most 253 are supported
        entry point 'nl-1/tls': alpn is empty
        entry point '': entry_point is empty
    "]];
    expected.assert_eq(
        &[
            refusal(|target| target.lane = "sctp4".to_owned()),
            refusal(|target| target.probe = "ping".to_owned()),
            refusal(|target| target.probe = "quic".to_owned()),
            refusal(|target| target.lane = "tcp6".to_owned()),
            refusal(|target| target.port = 0),
            refusal(|target| target.port = 65_536),
            refusal(|target| target.pins = vec![vec![0; 31]]),
            refusal(|target| target.pins = vec![]),
            refusal(|target| target.pins = vec![vec![0; 32]; 17]),
            refusal(|target| target.verify = "none".to_owned()),
            refusal(|target| target.verify = "yes\n".to_owned()),
            refusal(|target| target.path = "x".to_owned()),
            refusal(|target| target.expect_status = 600),
            refusal(|target| target.every = 65_536),
            refusal(|target| target.host = "h".repeat(254)),
            refusal(|target| target.alpn = vec![String::new()]),
            refusal(|target| target.entry_point = String::new()),
        ]
        .map(|line| line + "\n")
        .concat(),
    );
}

#[test]
fn the_limits_themselves_are_accepted() {
    let mut plan = sent();
    let target = &mut plan.targets[0];
    target.pins = vec![vec![0; 32]; PINS_MAX];
    target.alpn = vec!["a".repeat(ALPN_BYTES_MAX); ALPN_MAX];
    target.path = format!("/{}", "p".repeat(PATH_BYTES_MAX - 1));
    target.port = 65_535;
    target.every = 65_535;
    target.expect_status = 599;
    plan.interval_ms = 86_400_000;
    plan.speed = 1_000;
    from_wire(plan).unwrap();
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        proptest::sample::select(vec!["tcp4", "udp6", "tls", "quic", "pin", "none", "/", "h:1", "192.0.2.1", "::1"])
            .prop_map(str::to_owned),
        ".{0,300}",
    ]
}

prop_compose! {
    fn any_target()(
        words in proptest::collection::vec(word(), 8),
        alpn in proptest::collection::vec(word(), 0..10),
        pins in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 31..34), 0..20),
        numbers in any::<[u32; 4]>(),
    ) -> v1::Target {
        let [entry_point, server, lane, probe, host, sni, verify, path] = words.try_into().unwrap();
        let [port, expect_status, min_bytes, every] = numbers;
        v1::Target {
            entry_point, server, lane, probe, host, port: port % 70_000, sni, alpn, verify, pins, path,
            expect_status: expect_status % 700, min_bytes, every: every % 70_000,
        }
    }
}

proptest! {
    #[test]
    fn any_target_is_a_target_or_an_error(target in any_target()) {
        let mut plan = sent();
        plan.targets = vec![target];
        if let Ok(plan) = from_wire(plan) {
            prop_assert_eq!(from_wire(to_wire(&plan)), Ok(plan));
        }
    }

    #[test]
    fn any_bytes_are_a_plan_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(plan) = v1::Plan::decode(bytes.as_slice()) {
            let _: Result<ProbePlan, PlanError> = from_wire(plan);
        }
    }

    #[test]
    fn a_plan_with_broken_bytes_is_a_plan_or_an_error(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = sent().encode_to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(plan) = v1::Plan::decode(bytes.as_slice()) {
            let _: Result<ProbePlan, PlanError> = from_wire(plan);
        }
    }
}
