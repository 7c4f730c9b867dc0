//! Both sides of every limit.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use quorate_core::lane::Lane;
use quorate_core::plan::{ProbePlan, Target};
use quorate_core::probe::{Probe, ProbeKind};

use super::{AddressLimits, Limits, Ports, Refusal, host_port};

fn target(host: &str, port: u16) -> Target {
    Target {
        entry_point: format!("{host}/tls"),
        server: host.to_owned(),
        lane: Lane::Tcp4,
        probe: Probe::new(ProbeKind::Tls, host, port),
    }
}

fn plan(targets: Vec<Target>) -> ProbePlan {
    ProbePlan {
        version: 1,
        interval: Duration::from_secs(60),
        min_spacing: Duration::from_secs(2),
        targets,
        own: Vec::new(),
        controls: Vec::new(),
        speed: 1,
    }
}

#[test]
fn thirty_probes_a_minute_are_fine_and_thirty_one_are_not() {
    let limits = Limits::default();
    let with = |count: usize| plan((0..count).map(|at| target(&format!("198.51.100.{at}"), 443)).collect());
    assert_eq!(limits.check(&with(30)), Ok(()));
    assert_eq!(limits.check(&with(31)), Err(Refusal::Rate { planned: 31, limit: 30 }));
}

#[test]
fn knocks_closer_than_allowed_are_refused() {
    let limits = Limits::default();
    let mut plan = plan(vec![]);
    assert_eq!(limits.check(&plan), Ok(()));
    plan.min_spacing = Duration::from_millis(1_999);
    assert_eq!(limits.check(&plan), Err(Refusal::Spacing { planned_ms: 1_999, limit_ms: 2_000 }));
}

#[test]
fn rounds_shorter_than_the_spacing_are_refused_even_without_targets() {
    let mut plan = plan(vec![]);
    plan.interval = Duration::from_secs(2);
    assert_eq!(Limits::default().check(&plan), Ok(()));
    plan.interval = Duration::from_millis(1_999);
    let refused = Refusal::Interval { planned_ms: 1_999, limit_ms: 2_000 };
    assert_eq!(Limits::default().check(&plan), Err(refused));
}

#[test]
fn own_entry_points_are_no_way_around_the_ports() {
    let mut plan = plan(vec![]);
    plan.own = vec![target("203.0.113.1", 5_432)];
    let refused = Limits::default().check(&plan).unwrap_err().to_string();
    assert_eq!(refused, "entry point '203.0.113.1/tls': port 5432 is not in limits.ports");
}

#[test]
fn one_target_outside_refuses_the_whole_plan() {
    let limits = Limits::default();
    let refused = |host: &str, port: u16| {
        limits.check(&plan(vec![target("198.51.100.1", 443), target(host, port)])).unwrap_err().to_string()
    };
    assert_eq!(refused("198.51.100.2", 22), "entry point '198.51.100.2/tls': port 22 is not in limits.ports");
    for (host, limit) in [
        ("10.1.2.3", "limits.allow_private"),
        ("100.64.0.1", "limits.allow_private"),
        ("fd00::1", "limits.allow_private"),
        ("127.0.0.1", "limits.allow_loopback"),
        ("::1", "limits.allow_loopback"),
        ("::ffff:127.0.0.1", "limits.allow_loopback"),
        ("169.254.169.254", "limits.allow_link_local"),
        ("fe80::1", "limits.allow_link_local"),
    ] {
        assert!(refused(host, 443).contains(limit), "{host}");
    }
    assert!(refused("224.0.0.1", 443).contains("no address of a host"));
    assert!(refused("two words", 443).contains("no server name"));
}

#[test]
fn what_the_operator_allows_is_allowed() {
    let limits = Limits {
        ports: Ports::Any,
        addresses: AddressLimits { loopback: true, ..AddressLimits::default() },
        ..Limits::default()
    };
    assert_eq!(limits.check(&plan(vec![target("127.0.0.1", 8_443)])), Ok(()));
    assert!(limits.check(&plan(vec![target("10.0.0.1", 8_443)])).is_err());
}

#[test]
fn controls_are_bound_by_the_same_limits() {
    let mut plan = plan(vec![]);
    plan.controls = vec!["192.0.2.1:53".to_owned()];
    assert!(Limits::default().check(&plan).unwrap_err().to_string().contains("port 53"));
}

#[test]
fn a_host_and_a_port_are_told_apart() {
    assert_eq!(host_port("watch.example.org:9443"), Some(("watch.example.org", 9443)));
    assert_eq!(host_port("[2001:db8::1]:443"), Some(("2001:db8::1", 443)));
    for wrong in
        ["watch.example.org", "watch.example.org:", "watch.example.org:0", ":443", "2001:db8::1:443", "a:70000"]
    {
        assert_eq!(host_port(wrong), None, "{wrong}");
    }
}
