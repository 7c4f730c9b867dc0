//! The name that leads to edges: addresses come and go in it, it says nothing, it fails, and its server dies. No agent loses
//! its session by that, but the one whose edge was taken out on purpose.

use std::time::Duration;

use quorate_tests::clock::{always, promised, wait_for};
use quorate_tests::fleet::{EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::names::Says;

/// Two resolutions of an agent of the lab, and time to write a session's end down.
const TWO_RESOLUTIONS: Duration = Duration::from_secs(3);
/// Several resolutions, and several looks around.
const A_WHILE: Duration = Duration::from_secs(5);

#[test]
fn an_edge_put_into_dns_is_found_and_one_taken_out_loses_its_agents_within_two_resolutions() {
    with_namespaces_and(EDGE_NEEDS, || {
        let ids = ["nl-1", "de-1", "ru-1"];
        let distances = [60, 5, 120].map(Duration::from_millis);
        let mut fleet = Fleet::start_behind_some_edges(&[0, 2], &ids.map(server), &distances);
        for id in ids {
            fleet.wait_settled(id, 2, 0);
        }

        fleet.name_edges(&[0, 1, 2]);
        for id in ids {
            fleet.wait_by(id, 1, &["edge_better"]);
            fleet.assert_moved(id, "edge_better");
        }
        assert_eq!(fleet.agents_by(1), Ok(["de-1", "nl-1", "ru-1"].map(str::to_owned).to_vec()));

        fleet.name_edges(&[0, 2]);
        wait_for("all have left the edge that is gone from DNS", promised(TWO_RESOLUTIONS), || {
            let still: Vec<&str> = ids.into_iter().filter(|id| fleet.comes_from(id) == Ok(fleet.address(1))).collect();
            if still.is_empty() { Ok(()) } else { Err(format!("{still:?}")) }
        });
        for id in ids {
            fleet.wait_by(id, 0, &["edge_removed"]);
            fleet.assert_moved(id, "edge_removed");
        }
        assert_eq!(fleet.agents_by(1), Ok(Vec::new()));
        fleet.assert_no_report_missing(None);
    });
}

#[test]
fn a_name_without_an_answer_costs_no_session_no_restart_and_no_fail_over() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = Fleet::start_behind_edges(&[server("nl-1")], &[5, 60].map(Duration::from_millis));
        fleet.wait_settled("nl-1", 2, 0);

        fleet.say(Says::Addresses(Vec::new()));
        stays_and_comes_back(&mut fleet);
        fleet.say(Says::Failure);
        stays_and_comes_back(&mut fleet);
        eprintln!("names: the server dies");
        fleet.kill_names();
        stays_and_comes_back(&mut fleet);
        fleet.loses("nl-1", 0, Duration::from_secs(3), |fleet| fleet.edges[0].kill(&fleet.lab));

        // Without memory either there is nowhere to go, until there is.
        fleet.take_agent("nl-1").end();
        std::fs::remove_file(fleet.remembered("nl-1")).unwrap();
        fleet.start_agent("nl-1");
        fleet.restart_names();
        fleet.edges[0].restart(&fleet.lab);
        fleet.name_edges(&[0, 1]);
        fleet.wait_settled("nl-1", 2, 0);
        fleet.wait_all_report();
        fleet.assert_no_report_missing(None);
    });
}

/// The session stands, and a restarted agent goes by what it remembers.
fn stays_and_comes_back(fleet: &mut Fleet) {
    let sessions = fleet.sessions("nl-1");
    always("the session stands", A_WHILE, || {
        let now = fleet.sessions("nl-1");
        if now == sessions { Ok(()) } else { Err(format!("{now:?}")) }
    });
    fleet.take_agent("nl-1").end();
    fleet.start_agent("nl-1");
    fleet.wait_by("nl-1", 0, &["first"]);
    fleet.wait_all_report();
}
