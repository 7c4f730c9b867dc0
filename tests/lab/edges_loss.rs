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
