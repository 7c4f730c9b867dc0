//! Troubles of a witness's own, and of whole countries: they must not be taken for troubles of others. R3, R6, R10, R12.

use quorate_tests::fleet::{AGGREGATOR, EIGHT, Fleet, NEEDS, Way, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::trouble::Trouble;

const TLS_AND_QUIC: &[Way] = &[Way::Tls, Way::Quic];

#[test]
fn a_witness_without_network_accuses_nobody() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        let witness = fleet.host("ru-1");
        let others = fleet.all_but(&[witness]);

        fleet.lab.block_all(&[witness], &others, Trouble::Drop);
        fleet.wait_discredited("ru-1", &["tcp4", "udp4"]);
        fleet.statuses_stand(5, &[]);

        // The cable is pulled altogether: nobody sees it, and it sends nothing.
        let everybody: Vec<_> = others.into_iter().chain([AGGREGATOR]).collect();
        fleet.lab.border(&[witness], &everybody, Trouble::Drop);
        fleet.wait_statuses(&[("ru-1", "unreachable")]);
        fleet.wait_silent("ru-1");
        fleet.wait_statuses(&[("ru-1", "unreachable")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn a_witness_without_udp_loses_its_votes_on_quic_alone() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        let witness = fleet.host("ru-1");
        fleet.lab.block_all(&[witness], &fleet.all_but(&[witness]), Trouble::Udp443);
        fleet.wait_discredited("ru-1", &["udp4"]);
        fleet.statuses_stand(5, &[]);
        fleet.lab.unblock();
        fleet.wait_discredited("ru-1", &[]);
    });
}

#[test]
fn a_half_blind_witness_is_said_once() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block_all(&[fleet.host("ru-1")], &fleet.country("NL"), Trouble::Drop);
        fleet.wait_half_blind("ru-1", true);
        fleet.wait_all_ok();
        fleet.lab.unblock();
        fleet.wait_half_blind("ru-1", false);
    });
}

#[test]
fn a_service_killed_is_down_and_comes_back() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.kill_service("nl-1");
        fleet.wait_statuses(&[("nl-1", "down")]);
        fleet.wait_evidence("nl-1/tls", &[("state", "down".into()), ("tier", 4.into())]);
        fleet.start_service("nl-1");
        fleet.wait_all_ok();
    });
}

#[test]
fn an_agent_killed_leaves_no_data_and_a_server_that_is_used_on() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.take_agent("nl-1").kill();
        fleet.wait_statuses(&[("nl-1", "no_data")]);
        fleet.wait_evidence("nl-1/tls", &[("state", "clear".into()), ("tier", 0.into())]);
        fleet.start_agent("nl-1");
        fleet.wait_all_ok();
    });
}

#[test]
fn a_border_closed_is_told_as_a_cut_and_changes_no_status() {
    // Few enough that all time-outs of a witness fit into its round, and enough outside that a witness inside is far below
    // half even in a round that a busy machine cut short.
    let members = ["nl-1", "nl-2", "de-1", "de-2", "ru-1", "ru-2"].map(server);
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(&members, &[Way::Tls]);
        let inside = fleet.country("RU");
        fleet.lab.block_all(&inside, &fleet.all_but(&inside), Trouble::Drop);
        fleet.wait_cuts(&[("RU", "tcp4", &["de-1", "de-2", "nl-1", "nl-2"])]);
        fleet.statuses_stand(5, &[]);
        fleet.lab.unblock();
        fleet.wait_cuts(&[]);
        fleet.wait_all_ok();
    });
}
