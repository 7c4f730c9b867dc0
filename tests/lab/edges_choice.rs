//! Which edge an agent sits on when nothing is wrong, and that one address leaves nothing to choose.

use std::time::Duration;

use quorate_tests::clock::always;
use quorate_tests::fleet::{EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;

#[test]
fn the_best_of_three_edges_is_chosen_and_kept_over_a_restart() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = Fleet::start_behind_edges(&[server("nl-1")], &[60, 5, 120].map(Duration::from_millis));
        fleet.wait_settled("nl-1", 3, 1);
        let measured_at_ms = |fleet: &Fleet| fleet.edges_of("nl-1").unwrap()["measured_at_ms"].as_u64().unwrap();
        let before_ms = measured_at_ms(&fleet);

        fleet.take_agent("nl-1").end();
        let before = fleet.sessions("nl-1").len();
        fleet.start_agent("nl-1");
        fleet.wait_by("nl-1", 1, &["first"]);
        fleet.wait_all_report();
        // To and fro between two clocks costs a millisecond.
        assert!(measured_at_ms(&fleet).abs_diff(before_ms) < 50, "nothing had to be measured again");
        assert_eq!(fleet.sessions("nl-1").len(), before + 1, "it went there at once");
        fleet.assert_no_report_missing(None);
    });
}

#[test]
fn one_address_leaves_nothing_to_choose_and_nothing_is_measured() {
    with_namespaces_and(EDGE_NEEDS, || {
        let fleet = Fleet::start_behind_edges(&[server("nl-1")], &[Duration::from_millis(5)]);
        fleet.wait_by("nl-1", 0, &["no_choice"]);
        // Several times over, a choice would have looked around.
        always("no edge is measured", Duration::from_secs(8), || {
            let said = fleet.edges_of("nl-1")?;
            if said["measured_at_ms"].is_null() { Ok(()) } else { Err(said.to_string()) }
        });
        assert_eq!(fleet.metric("quorate_hellos_total{purpose=\"probe\"}"), 0);
        assert_eq!(fleet.sessions("nl-1").len(), 1);
        fleet.assert_no_report_missing(None);
    });
}
