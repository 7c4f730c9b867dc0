//! IPv6 that leads nowhere: as any edge that is lost, and no reason not to connect.

use std::fs;
use std::time::Duration;

use quorate_tests::clock::wait_for;
use quorate_tests::fleet::{EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::trouble::Trouble;

const SOON: Duration = Duration::from_secs(60);
/// A handshake by the far edge, and what a dead one before it may cost: its stagger, two seconds at most.
const STAGGERED_MAX: Duration = Duration::from_secs(3);
/// What the first of two costs without a ranking: half of the ten seconds for connecting.
const SHARE: Duration = Duration::from_secs(5);
const SHARED_MAX: Duration = Duration::from_secs(7);

#[test]
fn an_ipv6_black_hole_costs_half_a_minute_under_a_session_and_seconds_at_a_start() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = Fleet::start_behind_edges(&[server("nl-1")], &[5, 60].map(Duration::from_millis));
        let near = fleet.edges[0].host;
        let both = [near.ipv6().into(), fleet.address(1)];
        fleet.name_addresses(&both);
        wait_by_ipv6(&fleet);

        fleet.loses("nl-1", 0, Duration::from_secs(30), |fleet| {
            fleet.lab.block(fleet.host("nl-1"), near, Trouble::Ipv6);
        });

        // It is remembered as the best, and as one that fails: a start waits for it no longer than its stagger.
        fleet.take_agent("nl-1").end();
        fleet.connects("nl-1", 1, STAGGERED_MAX);
        fleet.wait_by("nl-1", 1, &["fallback"]);

        // Nothing is remembered, and the resolver's first is dead: it costs its share of the time for connecting.
        fleet.take_agent("nl-1").end();
        fs::remove_file(fleet.remembered("nl-1")).unwrap();
        let far = fleet.edges[1].host;
        fleet.name_addresses(&[near.ipv6().into(), far.ipv6().into()]);
        let (dead, alive) = if fleet.resolved("nl-1")[0] == near.ipv6() { (near, 1) } else { (far, 0) };
        fleet.lab.unblock();
        fleet.lab.block(fleet.host("nl-1"), dead, Trouble::Ipv6);
        let took = fleet.connects("nl-1", alive, SHARED_MAX);
        assert!(took >= SHARE, "{took:?}");

        fleet.lab.unblock();
        wait_by_ipv6(&fleet);
        fleet.wait_all_report();
        fleet.assert_no_report_missing(None);
    });
}

/// Waits until the agent sits on the nearer edge's IPv6 address and has measured it: an edge that was never measured has
/// no place in the ranking to fall back from.
fn wait_by_ipv6(fleet: &Fleet) {
    let address = fleet.edges[0].host.ipv6().to_string();
    wait_for(&format!("the session goes by {address}, which was measured"), SOON, || {
        let said = fleet.edges_of("nl-1")?;
        let edges = said["edges"].as_array().ok_or("no edges")?;
        let is_measured = edges.iter().any(|edge| edge["address"] == *address && !edge["times"].is_null());
        if said["session"]["address"] == *address && is_measured { Ok(()) } else { Err(said.to_string()) }
    });
}
