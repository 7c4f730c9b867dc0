//! Faults of our own processes: killed, stopped, with a wrong clock, without database. No wrong verdict comes of them, and
//! nothing acknowledged is lost.

use quorate_tests::fleet::{EIGHT, Fleet, NEEDS, ROUND, Way};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::postgres::{self, Postgres};
use quorate_tests::trouble::Trouble;
use quorate_tests::wall;

const TLS: &[Way] = &[Way::Tls];

#[test]
fn an_aggregator_killed_in_the_middle_of_reports_loses_none_and_changes_no_verdict() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Reset);
        fleet.wait_statuses(&[("nl-1", "unreachable")]);
        for _ in 0..3 {
            fleet.kill_aggregator();
            fleet.start_aggregator();
            fleet.statuses_stand(2, &[]);
        }
        fleet.wait_reports_of_all(2);
        fleet.assert_no_report_missing(None);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn an_agent_stopped_for_ten_rounds_accuses_nobody() {
    with_namespaces_and(NEEDS, || {
        let fleet = Fleet::start(EIGHT, TLS);
        fleet.agent("ru-1").pause();
        fleet.statuses_stand(10, &["ru-1"]);
        fleet.wait_statuses(&[("ru-1", "no_data")]);
        fleet.agent("ru-1").resume();
        fleet.wait_all_ok();
        fleet.assert_only_changed(&["ru-1"]);
    });
}

#[test]
fn an_aggregator_stopped_raises_no_alarm_from_its_own_pause() {
    with_namespaces_and(NEEDS, || {
        let fleet = Fleet::start(EIGHT, TLS);
        // Longer than `stale_after`, after which the silence of an agent would be told.
        fleet.pause_aggregator(ROUND * 6);
        fleet.statuses_stand(6, &[]);
        fleet.assert_only_changed(&[]);
    });
}

#[test]
fn wall_clocks_off_by_an_hour_change_nothing() {
    let needs = [NEEDS, &[wall::available]].concat();
    with_namespaces_and(&needs, || {
        let mut fleet = Fleet::start(EIGHT, TLS);
        for (id, hours) in [("ru-1", 1), ("nl-1", -1)] {
            fleet.take_agent(id).end();
            fleet.start_agent_with(id, &wall::off_by_hours(hours));
            fleet.wait_clock_offset(id, hours);
        }
        fleet.wait_all_ok();
        fleet.statuses_stand(5, &[]);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-2")], Trouble::Reset);
        fleet.wait_statuses(&[("nl-2", "unreachable")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn postgres_killed_and_back_loses_no_report_and_changes_no_verdict() {
    let needs = [NEEDS, &[postgres::available]].concat();
    with_namespaces_and(&needs, || {
        let (mut fleet, mut database): (Fleet, Postgres) = Fleet::start_on_postgres(EIGHT, TLS);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Reset);
        fleet.wait_statuses(&[("nl-1", "unreachable")]);
        let before = fleet.statuses().unwrap();
        database.kill();
        fleet.no_answer_differs_from(&before, 3);
        database.restart(&fleet.lab);
        fleet.wait_reports_of_all(2);
        fleet.assert_no_report_missing(Some(&database));
        fleet.statuses_stand(2, &[]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}
