//! Back-tests over archives that are made up, minute by minute.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use prost::Message as _;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::time::Moment;
use quorate_proto::v1;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{BacktestError, Order, Progress, run};
use crate::backtest::findings::{BacktestResult, Change};
use crate::engine;
use crate::inventory::{Inventory, PolicySettings};
use crate::store::{NewReport, PlannedTarget, Store, StoredPlan};

const MINUTE: Duration = Duration::from_secs(60);
/// 2026-11-30 12:00 UTC.
const NOON: Moment = Moment::from_ms(1_796_040_000_000);

/// Servers s00, s01 and so on, each on a site of its own, the first three in Russia, and a route over all.
fn fleet(servers: usize) -> Inventory {
    let id = |n| format!("s{n:02}");
    let entries = (0..servers)
        .map(|n| json!({"id": id(n), "address": format!("198.51.{n}.7"), "country": if n < 3 { "RU" } else { "NL" }}));
    let inventory = json!({
        "policy": {"all": true, "min_spacing_ms": 100},
        "servers": entries.collect::<Vec<_>>(),
        "routes": [{"id": "all", "entry_points": (0..servers).map(|n| format!("{}/tls", id(n))).collect::<Vec<_>>()}],
    });
    serde_json::from_value(inventory).unwrap()
}

/// An archive that somebody made up.
struct Tape {
    store: Store,
    inventory: Inventory,
    plan: StoredPlan,
    _folder: tempfile::TempDir,
}

impl Tape {
    async fn of(inventory: Inventory) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&format!("sqlite:{}", folder.path().join("quorate.db").display())).await.unwrap();
        store.replace_inventory(0, &inventory, NOON, "test").await.unwrap();
        let (fleet, _) = engine::declared(&inventory).unwrap();
        let targets: Vec<(String, PlannedTarget)> = fleet
            .entry_ixs()
            .map(|ix| {
                let target = engine::plan::target(&fleet, ix).unwrap();
                let address = engine::plan::dialled(&target);
                (target.server, PlannedTarget { entry_point: target.entry_point, address })
            })
            .collect();
        let of = |witness: &str| -> Vec<PlannedTarget> {
            targets.iter().filter(|(server, _)| server != witness).map(|(_, target)| target.clone()).collect()
        };
        let by_server = fleet.servers().iter().map(|server| (server.id.clone(), of(&server.id))).collect();
        let plan = StoredPlan { by_server };
        store.save_plan(1, NOON, &plan).await.unwrap();
        Self { store, inventory, plan, _folder: folder }
    }

    /// A round of everybody in each minute of the range; `fails` says who fails to reach whom in which minute.
    async fn rounds(&self, minutes: std::ops::Range<u64>, fails: impl Fn(u64, &str, &str) -> bool) {
        let failed = Outcome::Failed(Failure {
            operation: Operation::Connect,
            kind: FailureKind::Timeout,
            after: Duration::from_secs(3),
            bytes: 0,
        });
        let every = MINUTE / u32::try_from(self.inventory.servers.len()).unwrap();
        for minute in minutes {
            let mut payloads = Vec::new();
            for (n, witness) in (0..).zip(&self.inventory.servers) {
                let outcome = |target: &PlannedTarget| {
                    let server = target.entry_point.trim_end_matches("/tls");
                    let reached = Outcome::Reached { latency: Duration::from_millis(20) };
                    if fails(minute, &witness.id, server) { failed } else { reached }
                };
                let outcomes: Vec<Outcome> = self.plan.by_server[&witness.id].iter().map(outcome).collect();
                let report = v1::Report {
                    outbox_id: b"outbox".to_vec(),
                    sequence: minute + 1,
                    plan_version: 1,
                    outcomes: quorate_proto::outcomes::pack(&outcomes),
                    self_check: Some(v1::SelfCheck { health: v1::Health::Ok.into(), ..v1::SelfCheck::default() }),
                    ..v1::Report::default()
                };
                let at = minute_of(minute).after(every * n);
                payloads.push((&witness.id, at, report.encode_to_vec()));
            }
            let reports: Vec<NewReport<'_>> = payloads
                .iter()
                .map(|(server, at, payload)| NewReport {
                    server,
                    outbox: b"outbox",
                    sequence: minute + 1,
                    received_at: *at,
                    observed_at: *at,
                    payload,
                })
                .collect();
            self.store.store_reports(&reports).await.unwrap();
        }
    }

    async fn tried(&self, minutes: (u64, u64), policy: PolicySettings) -> Result<BacktestResult, BacktestError> {
        let order = Order { from: minute_of(minutes.0), to: minute_of(minutes.1), policy };
        run(&self.store, &order, &Progress::default(), &CancellationToken::new()).await
    }
}

fn minute_of(minute: u64) -> Moment {
    NOON.after(Duration::from_secs(60 * minute))
}

fn quorum(quorum: u32) -> PolicySettings {
    PolicySettings { quorum: Some(quorum), ..PolicySettings::default() }
}

/// For half an hour two of the three Russian servers cannot see `s09`.
fn blocked(minute: u64, witness: &str, target: &str) -> bool {
    (122..151).contains(&minute) && ["s00", "s01"].contains(&witness) && target == "s09"
}

#[tokio::test]
async fn a_larger_quorum_would_have_withheld_nothing_and_the_sentence_says_from_when_to_when() {
    let tape = Tape::of(fleet(12)).await;
    tape.rounds(0..181, blocked).await;
    let result = tape.tried((60, 180), quorum(3)).await.unwrap();
    assert_eq!((result.verdicts_gone, result.verdicts_new), (1, 1));
    assert_eq!(result.servers.len(), 1);
    let gone = &result.servers[0].verdicts[0];
    let gone = if gone.status == "unreachable" { gone } else { &result.servers[0].verdicts[1] };
    assert_eq!((gone.change, gone.would), (Change::Gone, None));
    // Three failures in a row from 14:02 on make it so at 14:04; the first answer, at 14:31, ends it.
    assert_eq!(
        gone.text,
        "With quorum 3, s09 would not have been unreachable from 14:04 UTC to 14:31 UTC (27 min): 2 sites accused it. \
         It would have been marked with a broken pair meanwhile."
    );
    assert_eq!(result.sentences[1], gone.text);
    assert!((result.withheld_minutes.was - 27.0).abs() < 0.5, "{:?}", result.withheld_minutes);
    assert!(result.withheld_minutes.would < 0.1);
    assert_eq!(result.routes[0].route, "all");
}

#[tokio::test]
async fn a_longer_series_would_have_told_later() {
    let tape = Tape::of(fleet(12)).await;
    tape.rounds(0..181, blocked).await;
    let slower = PolicySettings { sustain_rounds: Some(6), ..PolicySettings::default() };
    let result = tape.tried((60, 180), slower).await.unwrap();
    let verdict = result.servers[0].verdicts.iter().find(|verdict| verdict.status == "unreachable").unwrap();
    assert_eq!(verdict.change, Change::Later);
    assert!(
        verdict.text.contains("unreachable 3 min later: from 14:07 UTC and not from 14:04 UTC."),
        "{}",
        verdict.text
    );
    assert!((result.withheld_minutes.was - result.withheld_minutes.would - 3.0).abs() < 0.5);
}

#[tokio::test]
async fn numbers_that_were_in_force_change_nothing_also_where_a_verdict_stands_at_the_beginning() {
    let tape = Tape::of(fleet(12)).await;
    tape.rounds(0..181, blocked).await;
    let result = tape.tried((130, 180), quorum(2)).await.unwrap();
    assert_eq!(result.servers, []);
    assert_eq!(result.sentences.len(), 1, "{:?}", result.sentences);
    assert!(result.sentences[0].contains("just the same: 1 verdict, 21 min withheld."), "{}", result.sentences[0]);
}

#[tokio::test]
async fn the_inventory_of_the_time_counts_and_what_the_archive_does_not_have_is_said() {
    let tape = Tape::of(fleet(12)).await;
    tape.rounds(0..60, blocked).await;
    // From then on the operator had a larger quorum, so the one that is tried would have been as it was.
    let strict = Inventory { policy: PolicySettings { quorum: Some(3), ..fleet(12).policy }, ..fleet(12) };
    tape.store.replace_inventory(1, &strict, minute_of(60).before(MINUTE / 2), "test").await.unwrap();
    tape.rounds(60..181, blocked).await;
    let same = tape.tried((0, 180), quorum(3)).await.unwrap();
    assert_eq!(same.servers, []);
    let earlier = Order { from: NOON.before(MINUTE * 60), to: minute_of(180), policy: quorum(2) };
    let looser = run(&tape.store, &earlier, &Progress::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!(looser.verdicts_new, 1);
    assert_eq!(looser.sentences[1], "The archive begins at 2026-11-30 12:00:00 UTC: nothing before could be compared.");
    assert!(looser.sentences[2].contains("s09 would have been unreachable from 14:04 UTC to 14:31 UTC"));
}

#[tokio::test]
async fn one_that_is_cancelled_ends_and_one_without_reports_says_so() {
    let tape = Tape::of(fleet(4)).await;
    let cancel = CancellationToken::new();
    let order = Order { from: minute_of(0), to: minute_of(9), policy: quorum(3) };
    let nothing = run(&tape.store, &order, &Progress::default(), &cancel).await;
    assert!(matches!(nothing, Err(BacktestError::Nothing)));
    tape.rounds(0..9, |_, _, _| false).await;
    cancel.cancel();
    let cancelled = run(&tape.store, &order, &Progress::default(), &cancel).await;
    assert!(matches!(cancelled, Err(BacktestError::Cancelled)));
}
