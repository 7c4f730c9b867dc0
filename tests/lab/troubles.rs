//! What a network does to one server, and what the fleet makes of it: R4, R5, R7 to R11, R14, R15.

use quorate_tests::fleet::{EIGHT, Fleet, NEEDS, Way, server, verifier};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::trouble::Trouble;
use serde_json::json;

const TLS_AND_QUIC: &[Way] = &[Way::Tls, Way::Quic];

#[test]
fn packets_dropped_one_way_mark_the_side_that_is_not_reached() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block(fleet.host("ru-1"), fleet.host("nl-1"), Trouble::Drop);
        fleet.wait_statuses(&[("nl-1", "marked")]);
        let marks = json!([{ "witness": "ru-1", "mutual": false }]);
        fleet.wait_evidence("nl-1/tls", &[("state", "pair_broken".into()), ("tier", 1.into()), ("pairs", marks)]);
        assert_eq!(fleet.feed("all").1, [""; 0], "a broken pair hides nobody");
        fleet.wait_knock("ru-1", "nl-1/tls", &[("operation", "connect"), ("word", "generic_timeout_error")]);
        fleet.wait_knock("nl-1", "ru-1/tls", &[("outcome", "reached")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();

        let (there, back) = (fleet.host("ru-1"), fleet.host("nl-1"));
        fleet.lab.border(&[there], &[back], Trouble::Drop);
        fleet.wait_statuses(&[("nl-1", "marked"), ("ru-1", "marked")]);
        fleet.wait_evidence("ru-1/tls", &[("pairs", json!([{ "witness": "nl-1", "mutual": true }]))]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn connections_reset_by_a_country_make_a_server_unreachable_there() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Reset);
        fleet.wait_statuses(&[("nl-1", "unreachable")]);
        let (scopes, sites) = (json!(["RU"]), json!(["ru-1", "ru-2", "ru-3"]));
        fleet.wait_evidence("nl-1/tls", &[("tier", 3.into()), ("unreachable_in", scopes), ("against_sites", sites)]);
        fleet.wait_knock("ru-1", "nl-1/tls", &[("operation", "connect"), ("word", "connection_refused")]);
        let (delivered, withheld) = fleet.feed("all");
        assert_eq!(withheld, ["nl-1/tls", "nl-1/quic"]);
        assert_eq!(delivered.len(), 2 * (EIGHT.len() - 1));
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn client_hello_dropped_takes_tls_alone() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::ClientHelloDrop);
        fleet.wait_statuses(&[("nl-1", "degraded")]);
        fleet.wait_state("nl-1/tls", "unreachable");
        fleet.wait_state("nl-1/quic", "clear");
        fleet.wait_knock("ru-1", "nl-1/tls", &[("operation", "tls_handshake"), ("word", "generic_timeout_error")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn client_hello_reset_is_told_from_a_closed_port() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::ClientHelloReset);
        fleet.wait_statuses(&[("nl-1", "degraded")]);
        fleet.wait_state("nl-1/tls", "unreachable");
        fleet.wait_knock("ru-1", "nl-1/tls", &[("operation", "tls_handshake"), ("word", "connection_reset")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn frozen_after_16_kb_is_reached_by_a_handshake_and_failed_by_a_page() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, &[Way::Tls, Way::Https]);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Freeze16k);
        fleet.wait_statuses(&[("nl-1", "degraded")]);
        fleet.wait_state("nl-1/https", "unreachable");
        fleet.wait_state("nl-1/tls", "clear");
        fleet.wait_knock("ru-1", "nl-1/tls", &[("outcome", "reached")]);
        let knock = fleet.wait_knock("ru-1", "nl-1/https", &[("operation", "read"), ("word", "generic_timeout_error")]);
        let bytes = knock["bytes"].as_u64().expect("a frozen download has a length");
        assert!((4_000..20_000).contains(&bytes), "frozen after {bytes} bytes");
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn udp_blocked_takes_quic_alone() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Udp443);
        fleet.wait_statuses(&[("nl-1", "degraded")]);
        fleet.wait_state("nl-1/quic", "unreachable");
        fleet.wait_state("nl-1/tls", "clear");
        fleet.wait_knock("ru-1", "nl-1/quic", &[("operation", "quic_handshake"), ("word", "generic_timeout_error")]);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn ipv6_broken_takes_ipv6_alone() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, &[Way::Tls, Way::Tls6]);
        fleet.lab.block_all(&fleet.country("RU"), &[fleet.host("nl-1")], Trouble::Ipv6);
        fleet.wait_statuses(&[("nl-1", "degraded")]);
        fleet.wait_state("nl-1/tls6", "unreachable");
        fleet.wait_state("nl-1/tls", "clear");
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}

#[test]
fn a_verifiers_word_blocks_and_nobody_marks_a_verifier() {
    let members = [verifier("nl-1"), server("nl-2"), server("de-1"), server("de-2"), server("ru-1"), server("ru-2")];
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(&members, TLS_AND_QUIC);
        fleet.lab.block(fleet.host("nl-1"), fleet.host("de-1"), Trouble::Drop);
        fleet.wait_statuses(&[("de-1", "blocked")]);
        let (by, scopes) = (json!(["nl-1"]), json!(["NL"]));
        fleet.wait_evidence("de-1/tls", &[("tier", 2.into()), ("blocked_by", by), ("blocked_in", scopes)]);
        fleet.lab.unblock();
        fleet.wait_all_ok();

        fleet.lab.block(fleet.host("de-1"), fleet.host("nl-1"), Trouble::Drop);
        fleet.wait_sustained("de-1", "nl-1/tls");
        fleet.wait_all_ok();
    });
}

#[test]
fn two_countries_that_cannot_see_each_other_are_contested() {
    with_namespaces_and(NEEDS, || {
        let mut fleet = Fleet::start(EIGHT, TLS_AND_QUIC);
        fleet.lab.border(&fleet.country("RU"), &fleet.country("NL"), Trouble::Drop);
        let contested = ["nl-1", "nl-2", "nl-3", "ru-1", "ru-2", "ru-3"].map(|id| (id, "contested"));
        fleet.wait_statuses(&contested);
        fleet.lab.unblock();
        fleet.wait_all_ok();
    });
}
