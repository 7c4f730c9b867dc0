//! Bad fleets and traces: what is said of them, and when.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use std::fs;

use expect_test::expect;

use super::{FLEET, GOOD, args, run, run_text};

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
