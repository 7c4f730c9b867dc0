//! `replay` gives, byte for byte, what the rules say: on each named case, on random histories, and on bad input.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use flate2::read::GzDecoder;
use quorate_aggregator::replay::ReplayArgs;
use quorate_aggregator::replay::args::replay;

/// What was printed, and how it ended.
fn run(args: &ReplayArgs) -> (String, Result<(), String>) {
    let mut out = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let end = runtime.block_on(replay(args, &mut out)).map_err(|error| format!("{error:#}"));
    (String::from_utf8(out).unwrap(), end)
}

fn args(fleet: PathBuf, trace: PathBuf) -> ReplayArgs {
    ReplayArgs {
        fleet: Some(fleet),
        trace: Some(trace),
        archive: None,
        from: None,
        to: None,
        explain: None,
        summary: false,
    }
}

/// Where the first line differs, instead of two walls of JSON.
fn assert_same(printed: &str, expected: &str, place: &str) {
    for (number, (printed, expected)) in (1..).zip(printed.lines().zip(expected.lines())) {
        assert_eq!(printed, expected, "{place}: line {number}");
    }
    assert_eq!(printed.len(), expected.len(), "{place}: as long");
}

/// Shared with the tests of the real binary, which replay the recorded meshes too.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");

fn case(name: &str) -> ReplayArgs {
    let folder = Path::new(CASES).join(name);
    args(folder.join("fleet.json"), folder.join("trace.jsonl"))
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

const FLEET: &str = r#"{"servers": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}"#;
const GOOD: &str = r#"{"at_ms": 60000, "evaluate": true}"#;

/// Replays a fleet and a trace that are no files yet.
fn run_text(fleet: &str, trace: &str) -> (String, Result<(), String>) {
    let folder = tempfile::tempdir().unwrap();
    let (fleet_path, trace_path) = (folder.path().join("fleet.json"), folder.path().join("trace.jsonl"));
    fs::write(&fleet_path, fleet).unwrap();
    fs::write(&trace_path, trace).unwrap();
    let (printed, end) = run(&args(fleet_path, trace_path));
    let place = format!("{}/", folder.path().display());
    (printed, end.map_err(|error| error.replace(&place, "")))
}

/// A bad fleet is refused before anything is printed, although the trace begins well.
fn refused(fleet: &str) -> String {
    let (printed, end) = run_text(fleet, GOOD);
    assert_eq!(printed, "", "{fleet}");
    end.expect_err(fleet)
}

#[test]
#[allow(clippy::too_many_lines, reason = "a list of bad fleets, and what is said of each")]
fn bad_fleets_are_refused_before_anything_is_printed() {
    let servers = |servers: &str| format!(r#"{{"servers": [{servers}]}}"#);
    let policy = |policy: &str| format!(r#"{{"policy": {{{policy}}}, "servers": [{{"id": "a"}}]}}"#);
    let entry = |entry: &str| servers(&format!(r#"{{"id": "a", "entry_points": [{entry}]}}, {{"id": "b"}}"#));
    let route = |route: &str| format!(r#"{{"servers": [{{"id": "a"}}], "routes": [{route}]}}"#);
    let fleets = [
        String::new(),
        "{".to_string(),
        "[]".to_string(),
        r#"{"servers": [{"id": "a"}]} x"#.to_string(),
        "[null, [], []]".to_string(),
        servers(r#"["a"]"#),
        r#"{"routes": []}"#.to_string(),
        r#"{"servers": [], "hosts": []}"#.to_string(),
        servers(r#"{"id": "a"}, {"id": "a"}"#),
        servers(r#"{"id": "a", "color": "red"}"#),
        servers(r#"{"id": "a", "id": "b"}"#),
        servers(r#"{"country": "NL"}"#),
        servers(r#"{"id": ""}"#),
        servers(r#"{"id": "a", "country": "nl"}"#),
        servers(r#"{"id": "a", "intent": "off"}"#),
        servers(r#"{"id": "a", "verifier": "yes"}"#),
        entry(""),
        entry(r#"{"id": "x"}, {"id": "x"}"#),
        entry(r#"{"id": "b/tls"}"#),
        entry(r#"{"id": "x", "lane": "tcp"}"#),
        entry(r#"{"id": "x", "upstreams": ["z"]}"#),
        entry(r#"{"id": "x", "upstreams": ["a"]}"#),
        entry(r#"{"id": "x", "port": 443}"#),
        route(r#"{"id": "r", "entry_points": ["a/quic"]}"#),
        route(r#"{"id": "r", "entry_points": ["a/tls", "a/tls"]}"#),
        route(r#"{"id": "r", "entry_points": []}, {"id": "r", "entry_points": []}"#),
        route(r#"{"id": "r", "entry_points": [], "audience": ["Netherlands"]}"#),
        policy(r#""quorum": 1"#),
        policy(r#""quorum": -2"#),
        policy(r#""sustain_rounds": 0"#),
        policy(r#""hold_for_ms": 179999"#),
        policy(r#""witness_floor": 1.1"#),
        policy(r#""witness_floor": 0.0005"#),
        policy(r#""witness_floor": 0.5000000001"#),
        policy(r#""quorum_share": "half""#),
        policy(r#""patience": 3"#),
        policy(r#""interval_ms": 0"#),
    ];
    let told: Vec<String> = fleets.iter().map(|fleet| format!("{fleet}\n  {}\n", refused(fleet))).collect();
    expect![[r#"

          fleet.json: line 1, column 0: EOF while parsing a value
        {
          fleet.json: line 1, column 1: EOF while parsing an object
        []
          fleet.json: line 1, column 0: invalid type: sequence, expected an object
        {"servers": [{"id": "a"}]} x
          fleet.json: line 1, column 28: trailing characters
        [null, [], []]
          fleet.json: line 1, column 0: invalid type: sequence, expected an object
        {"servers": [["a"]]}
          fleet.json: line 1, column 13: invalid type: sequence, expected an object
        {"routes": []}
          fleet.json: line 1, column 14: missing field `servers`
        {"servers": [], "hosts": []}
          fleet.json: line 1, column 23: unknown field `hosts`, expected one of `policy`, `servers`, `routes`
        {"servers": [{"id": "a"}, {"id": "a"}]}
          fleet.json: server 'a' is declared twice
        {"servers": [{"id": "a", "color": "red"}]}
          fleet.json: line 1, column 32: unknown field `color`, expected one of `id`, `country`, `site`, `verifier`, `intent`, `entry_points`
        {"servers": [{"id": "a", "id": "b"}]}
          fleet.json: line 1, column 29: duplicate field `id`
        {"servers": [{"country": "NL"}]}
          fleet.json: line 1, column 30: missing field `id`
        {"servers": [{"id": ""}]}
          fleet.json: a server has an empty id
        {"servers": [{"id": "a", "country": "nl"}]}
          fleet.json: line 1, column 41: 'nl': a country is two capital letters, like NL
        {"servers": [{"id": "a", "intent": "off"}]}
          fleet.json: line 1, column 41: 'off': unknown intent: use active, drained or disabled
        {"servers": [{"id": "a", "verifier": "yes"}]}
          fleet.json: line 1, column 42: invalid type: string "yes", expected a boolean
        {"servers": [{"id": "a", "entry_points": []}, {"id": "b"}]}
          fleet.json: server 'a' has no entry points: give it at least one
        {"servers": [{"id": "a", "entry_points": [{"id": "x"}, {"id": "x"}]}, {"id": "b"}]}
          fleet.json: entry point 'x' is declared twice
        {"servers": [{"id": "a", "entry_points": [{"id": "b/tls"}]}, {"id": "b"}]}
          fleet.json: entry point 'b/tls' is declared twice
        {"servers": [{"id": "a", "entry_points": [{"id": "x", "lane": "tcp"}]}, {"id": "b"}]}
          fleet.json: line 1, column 68: 'tcp': unknown lane: use tcp4, tcp6, udp4 or udp6
        {"servers": [{"id": "a", "entry_points": [{"id": "x", "upstreams": ["z"]}]}, {"id": "b"}]}
          fleet.json: entry point 'x' forwards to 'z', which is no server of the fleet
        {"servers": [{"id": "a", "entry_points": [{"id": "x", "upstreams": ["a"]}]}, {"id": "b"}]}
          fleet.json: servers forward in a circle: a
        {"servers": [{"id": "a", "entry_points": [{"id": "x", "port": 443}]}, {"id": "b"}]}
          fleet.json: line 1, column 60: unknown field `port`, expected one of `id`, `lane`, `address`, `upstreams`
        {"servers": [{"id": "a"}], "routes": [{"id": "r", "entry_points": ["a/quic"]}]}
          fleet.json: route 'r' names 'a/quic', which is no entry point of the fleet
        {"servers": [{"id": "a"}], "routes": [{"id": "r", "entry_points": ["a/tls", "a/tls"]}]}
          fleet.json: route 'r' names 'a/tls' twice
        {"servers": [{"id": "a"}], "routes": [{"id": "r", "entry_points": []}, {"id": "r", "entry_points": []}]}
          fleet.json: route 'r' is declared twice
        {"servers": [{"id": "a"}], "routes": [{"id": "r", "entry_points": [], "audience": ["Netherlands"]}]}
          fleet.json: line 1, column 97: 'Netherlands': a country is two capital letters, like NL
        {"policy": {"quorum": 1}, "servers": [{"id": "a"}]}
          fleet.json: policy: quorum is 1: use at least 2
        {"policy": {"quorum": -2}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 24: invalid value: integer `-2`, expected u32
        {"policy": {"sustain_rounds": 0}, "servers": [{"id": "a"}]}
          fleet.json: policy: sustain_rounds is 0: use at least 1
        {"policy": {"hold_for_ms": 179999}, "servers": [{"id": "a"}]}
          fleet.json: policy: hold_for is 179.999s, shorter than stale_after 180s: make it at least as long
        {"policy": {"witness_floor": 1.1}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 33: 1.1 is no share: use 0 to 1 with at most three decimals
        {"policy": {"witness_floor": 0.0005}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 36: 0.0005 is no share: use 0 to 1 with at most three decimals
        {"policy": {"witness_floor": 0.5000000001}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 42: 0.5000000001 is no share: use 0 to 1 with at most three decimals
        {"policy": {"quorum_share": "half"}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 34: invalid type: string "half", expected f64
        {"policy": {"patience": 3}, "servers": [{"id": "a"}]}
          fleet.json: line 1, column 22: unknown field `patience`, expected one of `interval_ms`, `stale_after_ms`, `sustain_rounds`, `sustain_for_ms`, `witness_floor`, `quorum`, `quorum_share`, `half_blind_share`, `hold_for_ms`
        {"policy": {"interval_ms": 0}, "servers": [{"id": "a"}]}
          fleet.json: policy: interval is 0: use at least 1 ms
    "#]].assert_eq(&told.concat());
}

/// What a bad line says; the good one before it was printed, and stands.
fn broken(line: &str) -> String {
    let (printed, end) = run_text(FLEET, &format!("{GOOD}\n\n{line}\n{GOOD}\n"));
    assert_eq!(printed.lines().count(), 1, "{line}: what earlier lines printed stands, and nothing follows");
    end.expect_err(line)
}

#[test]
#[allow(clippy::too_many_lines, reason = "a list of bad lines, and what is said of each")]
fn a_bad_line_ends_the_run_with_its_number() {
    let report =
        |outcomes: &str| format!(r#"{{"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {{{outcomes}}}}}"#);
    let lines = [
        "{".to_string(),
        "nonsense".to_string(),
        "[60000, null, null, null, null, null, null, null, true]".to_string(),
        r#"{"evaluate": true}"#.to_string(),
        r#"{"at_ms": 60000}"#.to_string(),
        r#"{"at_ms": 59999, "evaluate": true}"#.to_string(),
        r#"{"at_ms": -1, "evaluate": true}"#.to_string(),
        r#"{"at_ms": 1e30, "evaluate": true}"#.to_string(),
        r#"{"at_ms": 18446744073709551615, "evaluate": true}"#.to_string(),
        r#"{"at_ms": 60000, "evaluate": false}"#.to_string(),
        r#"{"at_ms": 60000, "evaluate": true, "resumed": true}"#.to_string(),
        r#"{"at_ms": 60000, "evaluate": true, "note": "x"}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "z", "self": "ok", "outcomes": {}}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "a", "outcomes": {}}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "a", "self": "fine", "outcomes": {}}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "a", "self": "ok"}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {}, "outbox": "x"}"#.to_string(),
        r#"{"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {}, "seq": 1}"#.to_string(),
        report(r#""z/tls": 1"#),
        report(r#""b/tls": true"#),
        report(r#""b/tls": -1"#),
        report(r#""b/tls": 1, "b/tls": null"#),
        r#"{"at_ms": 60000, "fleet": {"servers": [{"id": "a"}, {"id": "a"}]}}"#.to_string(),
        r#"{"at_ms": 60000, "fleet": {"servers": [], "policy": {"quorum": 1}}}"#.to_string(),
    ];
    let told: Vec<String> = lines.iter().map(|line| format!("{line}\n  {}\n", broken(line))).collect();
    expect![[r#"
        {
          trace.jsonl:3: column 1: EOF while parsing an object
        nonsense
          trace.jsonl:3: column 2: expected ident
        [60000, null, null, null, null, null, null, null, true]
          trace.jsonl:3: column 0: invalid type: sequence, expected an object
        {"evaluate": true}
          trace.jsonl:3: column 18: missing field `at_ms`
        {"at_ms": 60000}
          trace.jsonl:3: say exactly one of a report, "resumed": true, "fleet": {…} or "evaluate": true
        {"at_ms": 59999, "evaluate": true}
          trace.jsonl:3: time goes back from 60000 to 59999 ms
        {"at_ms": -1, "evaluate": true}
          trace.jsonl:3: column 12: invalid value: integer `-1`, expected u64
        {"at_ms": 1e30, "evaluate": true}
          trace.jsonl:3: column 14: invalid type: floating point `1e+30`, expected u64
        {"at_ms": 18446744073709551615, "evaluate": true}
          trace.jsonl:3: at_ms 18446744073709551615 is beyond the largest moment, 281474976710655
        {"at_ms": 60000, "evaluate": false}
          trace.jsonl:3: say exactly one of a report, "resumed": true, "fleet": {…} or "evaluate": true
        {"at_ms": 60000, "evaluate": true, "resumed": true}
          trace.jsonl:3: say exactly one of a report, "resumed": true, "fleet": {…} or "evaluate": true
        {"at_ms": 60000, "evaluate": true, "note": "x"}
          trace.jsonl:3: column 41: unknown field `note`, expected one of `at_ms`, `witness`, `self`, `outcomes`, `outbox`, `seq`, `resumed`, `fleet`, `evaluate`
        {"at_ms": 60000, "witness": "z", "self": "ok", "outcomes": {}}
          trace.jsonl:3: unknown server 'z'
        {"at_ms": 60000, "witness": "a", "outcomes": {}}
          trace.jsonl:3: a report needs 'self': "ok" or "down"
        {"at_ms": 60000, "witness": "a", "self": "fine", "outcomes": {}}
          trace.jsonl:3: column 47: unknown variant `fine`, expected `ok` or `down`
        {"at_ms": 60000, "witness": "a", "self": "ok"}
          trace.jsonl:3: a report needs 'outcomes'
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {}, "outbox": "x"}
          trace.jsonl:3: 'outbox' without 'seq': give both or neither
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {}, "seq": 1}
          trace.jsonl:3: 'seq' without 'outbox': give both or neither
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {"z/tls": 1}}
          trace.jsonl:3: unknown entry point 'z/tls'
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {"b/tls": true}}
          trace.jsonl:3: column 73: invalid type: boolean `true`, expected a latency in ms, the word of a failure, or null
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {"b/tls": -1}}
          trace.jsonl:3: 'b/tls': -1 ms is no latency
        {"at_ms": 60000, "witness": "a", "self": "ok", "outcomes": {"b/tls": 1, "b/tls": null}}
          trace.jsonl:3: column 86: entry point 'b/tls' has two outcomes
        {"at_ms": 60000, "fleet": {"servers": [{"id": "a"}, {"id": "a"}]}}
          trace.jsonl:3: server 'a' is declared twice
        {"at_ms": 60000, "fleet": {"servers": [], "policy": {"quorum": 1}}}
          trace.jsonl:3: policy: quorum is 1: use at least 2
    "#]].assert_eq(&told.concat());
}

#[test]
fn a_line_without_end_and_bytes_that_are_no_text_are_told_by_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let (fleet, trace) = (folder.path().join("fleet.json"), folder.path().join("trace.jsonl"));
    fs::write(&fleet, FLEET).unwrap();
    fs::write(&trace, [GOOD.as_bytes(), b"\n", &[0xff, 0xfe, b'\n']].concat()).unwrap();
    let (printed, end) = run(&args(fleet, trace));
    assert_eq!(printed.lines().count(), 1);
    assert!(end.is_err_and(|error| error.contains("trace.jsonl:2: invalid utf-8")));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let (printed, end) = run(&args("/nowhere/fleet.json".into(), "-".into()));
    assert_eq!(printed, "");
    assert_eq!(end, Err("/nowhere/fleet.json: cannot be opened: No such file or directory (os error 2)".to_string()));
}

#[test]
fn only_one_of_the_two_is_standard_input() {
    let (_, end) = run(&args("-".into(), "-".into()));
    assert_eq!(end, Err("--fleet and --trace cannot both be standard input: give one of them a file".to_string()));
}

fn check_said(mut args: ReplayArgs, explain: Option<&str>, summary: bool, expected: &Expect) {
    args.explain = explain.map(String::from);
    args.summary = summary;
    let (printed, end) = run(&args);
    assert_eq!(end, Ok(()));
    expected.assert_eq(&printed);
}

#[test]
fn explain_says_at_the_end_why_a_server_is_as_it_is() {
    check_said(
        case("a_border_closes"),
        Some("d"),
        false,
        &expect![[r#"
            d at second 480:
            d (RU) is unreachable from your servers: 4 of 5 cannot see it (NL 2/2). [R11]
            d/tls is unreachable in NL and in the whole fleet: a (NL), b (NL), c (DE) and f (FI) cannot reach it. [R7, R8]
            Accusing: a (NL; 6 failures in a row since second 180), b (NL; 6 failures in a row since second 180), c (DE; 6 failures in a row since second 180) and f (FI; 6 failures in a row since second 180). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by e (RU). [R7]
            By sites (servers of one site have one vote): 4 against and 1 for it in the whole fleet; 2 against and 0 for it in NL. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: a server that reaches it once accuses it no more, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            As a witness d is not believed on tcp4: in its last round it saw 1 of 5 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble until it sees enough again; what it reaches still counts. [R3]
            RU, where d stands, is cut off on tcp4 from a (NL), b (NL), c (DE) and f (FI): d (RU) and e (RU) lost sight of them at once. [R12]
            d itself reports that it is well, last at second 480: the trouble is on the way to it. What to do: look at what stops it on the way from NL: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn explain_takes_an_entry_point_too() {
    check_said(
        case("votes_of_blocked_servers_against_the_verifier_are_void"),
        Some("v/tls"),
        false,
        &expect![[r#"
        v/tls at second 480:
        v/tls is clear: no verdict and no mark stands against it, and 2 servers reach it. [R7]
        Reached, and vouched for, by b (DE) and c (DE). [R7]
        Does not count: a1 (NL) and a2 (NL) cannot reach it either, but it is a verifier and cannot see them, so their votes against it are void. [R9]
    "#]],
    );
}

#[test]
fn explain_of_an_unknown_id_is_an_error_and_prints_nothing() {
    for summary in [false, true] {
        let (printed, end) =
            run(&ReplayArgs { explain: Some("nobody".into()), summary, ..case("one_failed_knock_means_nothing") });
        assert_eq!(printed, "");
        assert!(end.is_err_and(|error| error.contains("'nobody' is no server and no entry point")));
    }
}

#[test]
fn summary_prints_tables_for_people() {
    check_said(
        case("a_border_closes"),
        None,
        true,
        &expect![[r#"
        How long each server was in each status, in 7:00:
         server    ok  unreachable  changes
         a       7:00                     0
         b       7:00                     0
         c       7:00                     0
         d       4:00         3:00        1
         e       4:00         3:00        1
         f       7:00                     0

        How often each rule newly changed something:
         rule  what                                                               times
         R1    outcomes that were inconclusive, and no evidence                       0
         R2    reports ignored as repeated or older                                   0
         R3    rounds discredited on a lane                                          12
         R4    series of failures ended by a success                                  0
         R5    pairs that became sustained, and accuse                                8
         R6    servers that fell silent                                               0
         R6    servers that said they are down                                        0
         R7    entry points that a quorum began to accuse                             2
         R8    entry points that became unreachable                                   2
         R8    quorums explained by the accusers' own trouble                         0
         R8    entry points that became contested                                     0
         R9    entry points that became blocked                                       0
         R9    votes against a verifier that became void                              0
         R10   pairs that were marked as broken                                       0
         R10   witnesses that became half-blind                                       0
         R11   servers whose status changed                                           2
         R12   country cuts that were told                                            1
         R13   entry points that were cut off                                         0
         R14   verdicts that began to be held without a fresh quorum or verifier      0
         R15   entry points that left tier 0                                          2
         R16   routes that fell to their last resort                                  0
         R18   offers that the audience's view moved to another tier                  0
         R19   offers spared because one country would empty the route                0
    "#]],
    );
}

#[test]
fn summary_follows_servers_that_come_and_go() {
    check_said(
        case("a_new_address_starts_anew"),
        None,
        true,
        &expect![[r#"
        How long each server was in each status, in 8:00:
         server    ok  unreachable  changes
         a       6:00         2:00        3
         b       8:00                     0
         c       8:00                     0
         d       8:00                     0
         e       8:00                     0

        How often each rule newly changed something:
         rule  what                                                               times
         R1    outcomes that were inconclusive, and no evidence                       0
         R2    reports ignored as repeated or older                                   0
         R3    rounds discredited on a lane                                           0
         R4    series of failures ended by a success                                  0
         R5    pairs that became sustained, and accuse                                4
         R6    servers that fell silent                                               0
         R6    servers that said they are down                                        0
         R7    entry points that a quorum began to accuse                             2
         R8    entry points that became unreachable                                   2
         R8    quorums explained by the accusers' own trouble                         0
         R8    entry points that became contested                                     0
         R9    entry points that became blocked                                       0
         R9    votes against a verifier that became void                              0
         R10   pairs that were marked as broken                                       0
         R10   witnesses that became half-blind                                       0
         R11   servers whose status changed                                           3
         R12   country cuts that were told                                            0
         R13   entry points that were cut off                                         0
         R14   verdicts that began to be held without a fresh quorum or verifier      0
         R15   entry points that left tier 0                                          2
         R16   routes that fell to their last resort                                  0
         R18   offers that the audience's view moved to another tier                  0
         R19   offers spared because one country would empty the route                0
    "#]],
    );
}

/// The program itself, as a shell would run it.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-aggregator"));
    command.arg("replay").args(arguments).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_trace_comes_through_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.json");
    fs::write(&fleet, FLEET).unwrap();
    let mut running = program(&["--fleet", fleet.to_str().unwrap(), "--trace", "-"]).spawn().unwrap();
    running.stdin.take().unwrap().write_all(format!("{GOOD}\n").as_bytes()).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 1);
}

#[test]
fn a_bad_line_is_one_line_on_standard_error_and_a_non_zero_exit() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path().join("fleet.json");
    fs::write(&fleet, FLEET).unwrap();
    let mut running = program(&["--fleet", fleet.to_str().unwrap(), "--trace", "-"]).spawn().unwrap();
    running.stdin.take().unwrap().write_all(format!("{GOOD}\nnonsense\n{GOOD}\n").as_bytes()).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(String::from_utf8(ended.stdout).unwrap().lines().count(), 1, "what was said before stands");
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(told.lines().count(), 1);
    assert!(told.contains("-:2: column 2: expected ident"), "{told}");
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let case = case("a_border_closes");
    let (fleet, trace) = (case.fleet.unwrap(), case.trace.unwrap());
    let mut running =
        program(&["--fleet", fleet.to_str().unwrap(), "--trace", trace.to_str().unwrap()]).spawn().unwrap();
    drop(running.stdout.take());
    let ended = running.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

#[test]
fn tables_and_an_explanation_come_together() {
    let (printed, end) = run(&ReplayArgs { explain: Some("d".into()), summary: true, ..case("a_border_closes") });
    assert_eq!(end, Ok(()));
    let (tables, why) = printed.split_once("d at second 480:\n").unwrap();
    assert!(tables.starts_with("How long each server was in each status"));
    assert!(why.starts_with("d (RU) is unreachable"));
}
