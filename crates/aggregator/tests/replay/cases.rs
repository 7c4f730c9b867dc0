//! Each named case, and random histories, byte for byte.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

use super::{CASES, args, case, run};

/// Where the first line differs, instead of two walls of JSON.
fn assert_same(printed: &str, expected: &str, place: &str) {
    for (number, (printed, expected)) in (1..).zip(printed.lines().zip(expected.lines())) {
        assert_eq!(printed, expected, "{place}: line {number}");
    }
    assert_eq!(printed.len(), expected.len(), "{place}: as long");
}

fn check_case(name: &str) {
    let (printed, end) = run(&case(name));
    assert_eq!(end, Ok(()));
    assert_same(&printed, &fs::read_to_string(Path::new(CASES).join(name).join("expected.jsonl")).unwrap(), name);
}

macro_rules! cases {
    ($($name:ident)*) => {
        /// Each case is a folder of `tests/cases`, and a test of its own.
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        mod cases {
            $(
                #[test]
                fn $name() {
                    super::check_case(stringify!($name));
                }
            )*
        }
    };
}

cases! {
    a_border_closes
    a_closed_border_keeps_home_servers_for_home_users
    a_country_cannot_reach_a_server
    a_gap_is_no_success
    a_hop_that_works_is_alive
    a_new_address_starts_anew
    a_repeated_report_counts_once
    a_route_is_never_empty
    a_verdict_is_held_through_silence
    audience_keeps_what_its_users_can_reach
    best_of_the_bad_comes_first
    blocked_holds_where_the_verifier_stands
    broken_chain_cuts_the_entry_off
    dead_servers_do_not_discredit_the_living
    down_is_not_lifted_by_silence
    drained_and_disabled
    exactly_half_is_credible
    flapping_witness_never_sustains
    half_blind_witness_is_said_once
    hold_lapses_one_millisecond_after_its_end
    inconclusive_is_no_evidence
    more_blocking_does_not_lift_verdicts
    one_country_does_not_empty_a_route
    one_entry_point_of_two
    one_failed_knock_means_nothing
    one_opinion_is_no_verdict
    one_site_has_one_vote
    ordinary_against_verifier_means_nothing
    our_own_pause_is_no_alarm
    pair_broken_both_ways_marks_both
    quorum_against_quorum_names_the_blocked_side
    random_01
    random_02
    random_03
    random_04
    random_05
    random_06
    random_07
    random_08
    random_09
    random_10
    random_11
    random_12
    random_13
    random_14
    random_15
    random_16
    random_17
    random_18
    random_19
    random_20
    random_21
    random_22
    random_23
    random_24
    self_report_down_and_back
    shares_are_exact
    silence_is_no_verdict
    two_countries_apart_blame_nobody
    two_failed_knocks_are_not_sustained
    two_servers
    two_strays_in_a_large_fleet_are_no_quorum
    two_verifiers_of_one_country_must_agree
    udp_blind_witness_loses_only_udp_votes
    unreliable_witness_is_discarded
    verifier_decides_a_pair
    votes_of_blocked_servers_against_the_verifier_are_void
}

#[test]
fn every_case_has_its_test() {
    let mut folders: Vec<String> =
        fs::read_dir(CASES).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    folders.sort();
    assert_eq!(folders, NAMES);
}

fn check_compressed(folder: &Path) {
    let (printed, end) = run(&args(folder.join("fleet.json"), folder.join("trace.jsonl.gz")));
    assert_eq!(end, Ok(()), "{}", folder.display());
    let mut expected = String::new();
    GzDecoder::new(File::open(folder.join("expected.jsonl.gz")).unwrap()).read_to_string(&mut expected).unwrap();
    assert_same(&printed, &expected, &folder.display().to_string());
}

#[test]
fn random_histories_replay_as_a_second_reading_of_the_rules_says() {
    let histories = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/histories");
    let folders = fs::read_dir(histories).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let checked = folders.inspect(|folder| check_compressed(folder)).count();
    assert_eq!(checked, 22);
}
