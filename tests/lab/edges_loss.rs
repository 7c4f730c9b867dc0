//! The edge under a session is lost, in each way of being lost: reports flow again by another one soon, none of them is lost
//! or comes twice, and the agent goes back when the edge has been good for two rounds. The aggregator, which looks at the
//! edges from its own side, says the same.

use std::time::Duration;

use quorate_tests::fleet::{AGGREGATOR, EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::trouble::Trouble;

/// The first is best; neither time nor share leaves any doubt on a machine that is busy.
const DISTANCES: [Duration; 3] = [Duration::from_millis(5), Duration::from_millis(60), Duration::from_millis(120)];
/// What is promised where the loss is told: refused or reset.
const TOLD: Duration = Duration::from_secs(3);
/// What is promised where only silence tells.
const SILENT: Duration = Duration::from_secs(30);

/// What the next edge waits for the one before it, however near that is.
const STAGGER_LEAST: Duration = Duration::from_millis(250);

/// One agent on the best of three edges.
fn settled() -> Fleet {
    let fleet = Fleet::start_behind_edges(&[server("nl-1")], &DISTANCES);
    fleet.wait_settled("nl-1", 3, 0);
    fleet
}

#[test]
fn an_edge_killed_costs_seconds_and_one_that_hangs_no_more() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.loses("nl-1", 0, TOLD, |fleet| fleet.edges[0].kill(&fleet.lab));
        fleet.wait_edge(0, "unreachable");
        fleet.edges[0].restart(&fleet.lab);
        fleet.returns("nl-1", 0);

        // Its sessions are reset, and then handshakes hang.
        fleet.loses("nl-1", 0, SILENT, |fleet| fleet.edges[0].swallow(&fleet.lab));
        fleet.wait_edge(0, "forwards_nothing");
        fleet.edges[0].restart(&fleet.lab);
        fleet.returns("nl-1", 0);
        fleet.wait_edge(0, "ok");
    });
}

#[test]
fn a_start_on_an_edge_that_hangs_costs_its_stagger() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.take_agent("nl-1").end();
        // It is remembered as the best, so it is dialled first, and its handshake is under way when the next one's begins.
        fleet.edges[0].swallow(&fleet.lab);
        let took = fleet.connects("nl-1", 1, TOLD);
        assert!(took >= STAGGER_LEAST, "{took:?}");
        fleet.wait_by("nl-1", 1, &["fallback"]);
        fleet.wait_all_report();
        fleet.assert_no_report_missing(None);
    });
}

#[test]
fn an_edge_in_a_black_hole_costs_half_a_minute_at_most() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.loses("nl-1", 0, SILENT, |fleet| {
            let (agent, edge) = (fleet.host("nl-1"), fleet.edges[0].host);
            fleet.lab.block(agent, edge, Trouble::Drop);
        });
        // The hole is this agent's own: everybody else's way to the edge is good.
        fleet.wait_edge(0, "ok");
        fleet.lab.unblock();
        fleet.returns("nl-1", 0);
    });
}

#[test]
fn an_edge_that_takes_connections_and_forwards_nothing_costs_half_a_minute_at_most() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.loses("nl-1", 0, SILENT, |fleet| {
            fleet.lab.block(fleet.edges[0].host, AGGREGATOR, Trouble::Drop);
        });
        fleet.wait_edge(0, "forwards_nothing");
        fleet.lab.unblock();
        fleet.returns("nl-1", 0);
        fleet.wait_edge(0, "ok");
    });
}
