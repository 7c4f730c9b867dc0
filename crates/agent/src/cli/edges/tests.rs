#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::IpAddr;
use std::time::Duration;

use expect_test::expect;
use quorate_core::edge::{Memory, Ranked, Seat, Times, Why};
use quorate_core::time::Moment;

use super::{Findings, measured, show};
use crate::edges::Tried;
use crate::edges::file::{Kept, path};
use crate::session::testbed::{TestGateway, config};

const WRITTEN_AT: Moment = Moment::from_ms(1_700_000_000_000);

fn address(last: u8) -> IpAddr {
    [192, 0, 2, last].into()
}

fn times(tcp_ms: u64, tls_ms: u64) -> Times {
    Times { samples: 3, ..Times::once(Duration::from_millis(tcp_ms), Duration::from_millis(tls_ms)) }
}

/// The second of three edges is in use, because the first does not answer; the third was never measured.
fn kept() -> Kept {
    let ranked =
        |last, times| Ranked { address: address(last), times, failing: false, good_rounds: 0, better_rounds: 0 };
    let memory = Memory {
        addresses: vec![address(1), address(2), address(3)],
        resolved_at: Some(WRITTEN_AT),
        ranking: vec![
            Ranked { failing: true, ..ranked(1, Some(times(4, 31))) },
            ranked(2, Some(times(20, 64))),
            ranked(3, None),
        ],
        measured_on: vec![address(1), address(2)],
        measured_at: Some(WRITTEN_AT),
        seat: Some(Seat { address: address(2), since: WRITTEN_AT, why: Why::Fallback, missing: 0 }),
    };
    Kept { written_at: WRITTEN_AT, process: 4711, ..Kept::now("watch.example.org:8443", 1, memory) }
}

fn findings(agent_runs: bool, kept: Option<Kept>, now: Option<Vec<Tried>>) -> Findings {
    let kept = kept.map(|kept| Kept { process: if agent_runs { std::process::id() } else { u32::MAX }, ..kept });
    let mut findings = Findings::new("watch.example.org:8443".to_owned(), kept, now);
    findings.kept = findings.kept.map(|kept| Kept { process: 4711, ..kept });
    // Which words core finds is its own business.
    assert!(!findings.explanation.sentences.is_empty());
    findings.explanation.sentences = vec!["What core has to say.".to_owned()];
    findings
}

fn text(findings: &Findings) -> String {
    show::lines(findings).iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_agent_that_runs_is_shown_with_its_edge_and_what_would_change_it() {
    expect![[r"
           ADDRESS    TLS      TCP      STATE
        1  192.0.2.1  31.0 ms  4.0 ms   does not answer
        2  192.0.2.2  64.0 ms  20.0 ms  current
        3  192.0.2.3  -        -        not measured

        What core has to say.
        Last change written at 2023-11-14 22:13:20 UTC by process 4711, which runs.
    "]]
    .assert_eq(&text(&findings(true, Some(kept()), None)));
}

#[test]
fn an_agent_that_does_not_run_has_no_session() {
    expect![[r"
           ADDRESS    TLS      TCP      STATE
        1  192.0.2.1  31.0 ms  4.0 ms   does not answer
        2  192.0.2.2  64.0 ms  20.0 ms  good
        3  192.0.2.3  -        -        not measured

        What core has to say.
        Last change written at 2023-11-14 22:13:20 UTC by process 4711, which does not run any more.
    "]]
    .assert_eq(&text(&findings(false, Some(kept()), None)));
}

#[test]
fn what_is_measured_now_stands_beside_what_is_remembered() {
    let now = vec![
        (address(1), Ok(times(5, 33))),
        (address(2), Err("TLS: the handshake took too long".to_owned())),
        (address(4), Ok(times(9, 50))),
    ];
    expect![[r"
           ADDRESS    TLS      TCP      STATE            TLS NOW  TCP NOW
        1  192.0.2.1  31.0 ms  4.0 ms   does not answer  33.0 ms  5.0 ms
        2  192.0.2.2  64.0 ms  20.0 ms  current          -        -
        3  192.0.2.3  -        -        not measured
        4  192.0.2.4  -        -        not known yet    50.0 ms  9.0 ms

        192.0.2.2 does not answer now: TLS: the handshake took too long.
        What core has to say.
        Last change written at 2023-11-14 22:13:20 UTC by process 4711, which runs.
    "]]
    .assert_eq(&text(&findings(true, Some(kept()), Some(now.clone()))));
    expect![[r"
           ADDRESS    TLS  TCP  STATE          TLS NOW  TCP NOW
        1  192.0.2.1  -    -    not known yet  33.0 ms  5.0 ms
        2  192.0.2.2  -    -    not known yet  -        -
        3  192.0.2.4  -    -    not known yet  50.0 ms  9.0 ms

        192.0.2.2 does not answer now: TLS: the handshake took too long.
        No agent has written anything about watch.example.org:8443 yet: 'quorate-agent run' does.
    "]]
    .assert_eq(&text(&findings(false, None, Some(now))));
}

#[test]
fn programs_are_told_the_same() {
    let now = vec![(address(2), Ok(times(21, 65))), (address(4), Err("connect: refused".to_owned()))];
    let json = show::as_json(&findings(true, Some(kept()), Some(now)));
    expect![[r#"
        {
          "agent_runs": true,
          "edges": [
            {
              "address": "192.0.2.1",
              "better_rounds": 0,
              "failing": true,
              "good_rounds": 0,
              "now": null,
              "place": "before",
              "times": {
                "samples": 3,
                "tcp_ms": 4.0,
                "tls_ms": 31.0
              }
            },
            {
              "address": "192.0.2.2",
              "better_rounds": 0,
              "failing": false,
              "good_rounds": 0,
              "now": {
                "problem": null,
                "times": {
                  "samples": 3,
                  "tcp_ms": 21.0,
                  "tls_ms": 65.0
                }
              },
              "place": "current",
              "times": {
                "samples": 3,
                "tcp_ms": 20.0,
                "tls_ms": 64.0
              }
            },
            {
              "address": "192.0.2.3",
              "better_rounds": 0,
              "failing": false,
              "good_rounds": 0,
              "now": null,
              "place": "behind",
              "times": null
            },
            {
              "address": "192.0.2.4",
              "better_rounds": null,
              "failing": null,
              "good_rounds": null,
              "now": {
                "problem": "connect: refused",
                "times": null
              },
              "place": null,
              "times": null
            }
          ],
          "gateway": "watch.example.org:8443",
          "measured_at_ms": 1700000000000,
          "resolved_at_ms": 1700000000000,
          "sentences": [
            "What core has to say."
          ],
          "session": {
            "address": "192.0.2.2",
            "missing": 0,
            "since_ms": 1700000000000,
            "why": "fallback"
          },
          "written_at_ms": 1700000000000
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&json).unwrap());
}

#[tokio::test]
async fn measuring_looks_at_every_address_and_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let tried = measured(&config(gateway.address, dir.path())).await.unwrap();
    let [(_, Ok(taken))] = &tried[..] else { panic!("{tried:?}") };
    assert_eq!((taken.samples, gateway.waiting()), (3, 0));
    assert!(taken.tls > taken.tcp);
    assert!(!path(dir.path()).exists());
}
