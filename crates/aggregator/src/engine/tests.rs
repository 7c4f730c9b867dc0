//! The engine with a real store: what it folds survives, what it says is written down, and its own pauses alarm nobody.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::policy::Policy;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;
use quorate_proto::v1;

use super::pause::{Attention, Tick};
use super::{Admitted, Engine, EngineConfig, EngineHandle, Event, checkpoint};
use crate::clock::Clock;
use crate::inventory::{Inventory, PolicySettings, RouteEntry, ServerEntry};
use crate::store::{NewReport, Retention, Store, Stored};

const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(20) };
const FAILED: Outcome = Outcome::Failed(Failure {
    operation: Operation::Connect,
    kind: FailureKind::Timeout,
    after: Duration::from_secs(5),
    bytes: 0,
});

fn server(id: &str, country: &str, address: &str) -> ServerEntry {
    ServerEntry {
        id: id.to_owned(),
        address: address.to_owned(),
        country: Some(country.to_owned()),
        site: None,
        verifier: false,
        intent: crate::inventory::IntentEntry::Active,
        entry_points: Vec::new(),
    }
}

/// Five servers in three countries, and a route over all of them; three failures in a row make a series at once.
fn inventory() -> Inventory {
    let servers = [
        server("a", "NL", "198.51.100.1"),
        server("b", "NL", "198.51.101.1"),
        server("c", "DE", "198.51.102.1"),
        server("d", "RU", "198.51.103.1"),
        server("e", "RU", "198.51.104.1"),
    ];
    let entry_points = servers.iter().map(|server| format!("{}/tls", server.id)).collect();
    Inventory {
        policy: PolicySettings { sustain_for_ms: Some(0), ..PolicySettings::default() },
        servers: servers.to_vec(),
        routes: vec![RouteEntry { id: "all".to_owned(), entry_points, audience: Vec::new() }],
        edges: Vec::new(),
    }
}

/// An engine over a store in a folder, fed as the gateway feeds it.
struct Bench {
    store: Store,
    engine: EngineHandle,
    clock: Clock,
}

impl Bench {
    async fn open(folder: &Path) -> Self {
        let store = Store::open(&format!("sqlite:{}", folder.join("quorate.db").display())).await.unwrap();
        let clock = Clock::start(store.latest_moment().await.unwrap());
        if store.inventory().await.unwrap().is_none() {
            store.replace_inventory(0, &inventory(), clock.now(), "test").await.unwrap();
        }
        let config = EngineConfig { retention: Retention { age: Duration::from_hours(24), bytes: 1 << 30 } };
        let engine = Engine::start(store.clone(), clock.clone(), config).await.unwrap();
        Self { store, engine, clock }
    }

    /// A report of `witness` in which the entry points named fail and all others are reached.
    async fn report(&self, witness: &str, sequence: u64, failing: &[&str]) {
        if let Some(admitted) = self.stored(witness, sequence, failing).await {
            self.engine.admit(admitted).await.unwrap();
        }
    }

    /// The same, stored and not handed on; none if it was stored before.
    async fn stored(&self, witness: &str, sequence: u64, failing: &[&str]) -> Option<Admitted> {
        let plans = self.engine.plans();
        let plan = plans.borrow().by_server[witness].clone();
        let outcome = |target: &v1::Target| {
            if failing.contains(&target.entry_point.as_str()) { FAILED } else { REACHED }
        };
        let outcomes: Vec<Outcome> = plan.targets.iter().map(outcome).collect();
        let report = v1::Report {
            outbox_id: b"outbox".to_vec(),
            sequence,
            plan_version: plan.version,
            age_ms: 0,
            wall_ms: 0,
            outcomes: quorate_proto::outcomes::pack(&outcomes),
            self_check: Some(v1::SelfCheck { health: v1::Health::Ok.into(), ..v1::SelfCheck::default() }),
        };
        let (payload, now) = (report.encode_to_vec(), self.clock.now());
        let new = NewReport {
            server: witness,
            outbox: &report.outbox_id,
            sequence,
            received_at: now,
            observed_at: now,
            payload: &payload,
        };
        let Stored::New(id) = self.store.store_report(new).await.unwrap() else { return None };
        Some(Admitted {
            id,
            server: witness.to_owned(),
            received_at: now,
            observed_at: now,
            report,
            payload: Bytes::from(payload),
        })
    }

    /// Waits until the newest snapshot has `server` at `status`.
    async fn wait_for(&self, server: &str, status: Status) {
        let mut snapshots = self.engine.watch();
        let found = snapshots.wait_for(|snapshot| {
            let ix = snapshot.fleet.find_server(server).unwrap();
            snapshot.verdicts.servers.get(ix.at()).is_some_and(|verdict| verdict.status == status)
        });
        tokio::time::timeout(Duration::from_secs(20), found).await.expect("the status comes").unwrap();
    }

    async fn rounds(&self, sequences: std::ops::RangeInclusive<u64>, failing: &[&str]) {
        for sequence in sequences {
            for witness in ["a", "b", "c", "d", "e"] {
                let blocked: &[&str] = if ["d", "e"].contains(&witness) { failing } else { &[] };
                self.report(witness, sequence, blocked).await;
            }
        }
    }

    async fn close(self) {
        self.engine.stop().await.unwrap();
        self.store.close().await;
    }
}

#[tokio::test]
async fn a_country_that_cannot_reach_a_server_makes_it_unreachable_and_one_knock_heals_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    let mut events = bench.engine.events();
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let snapshot = bench.engine.snapshot();
    assert_eq!(snapshot.last_reports.iter().flatten().count(), 5, "every server's last report is shown");
    bench.rounds(4..=4, &[]).await;
    bench.wait_for("a", Status::Ok).await;
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        told.push((event.kind.clone(), event.subject.clone(), event.to.clone().unwrap_or_default()));
    }
    let said = |kind: &str, subject: &str, to: &str| (kind.to_owned(), subject.to_owned(), to.to_owned());
    assert!(told.contains(&said("server_status", "a", "unreachable")), "{told:?}");
    assert!(told.contains(&said("route", "all", "b/tls, c/tls, d/tls, e/tls")), "{told:?}");
    assert!(told.contains(&said("route", "all", "a/tls, b/tls, c/tls, d/tls, e/tls")), "{told:?}");
    bench.close().await;
}

#[tokio::test]
async fn a_restart_changes_no_verdict_and_tells_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let before = bench.engine.snapshot();
    let events_before = bench.store.last_event_id().await.unwrap();
    bench.close().await;

    let bench = Bench::open(folder.path()).await;
    let after = bench.engine.snapshot();
    assert_eq!(after.verdicts.entry_points, before.verdicts.entry_points);
    assert_eq!(after.since, before.since, "since when each status is");
    assert_eq!(bench.store.last_event_id().await.unwrap(), events_before);
    bench.close().await;
}

#[tokio::test]
async fn reports_after_the_last_checkpoint_are_folded_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let before = bench.engine.snapshot();
    // No stop, so no checkpoint: as if the process had been killed.
    bench.store.close().await;
    drop(bench);

    let bench = Bench::open(folder.path()).await;
    assert_eq!(bench.engine.snapshot().verdicts.entry_points, before.verdicts.entry_points);
    bench.close().await;
}

#[tokio::test]
async fn a_report_that_was_stored_but_never_handed_on_is_folded_before_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=2, &["a/tls"]).await;
    for witness in ["d", "e"] {
        bench.stored(witness, 3, &["a/tls"]).await.unwrap();
    }
    bench.report("b", 3, &[]).await;
    bench.wait_for("a", Status::Unreachable).await;
    bench.close().await;
}

#[tokio::test]
async fn a_report_that_follows_no_known_plan_keeps_its_self_check_and_says_nothing_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=2, &["a/tls"]).await;
    for witness in ["d", "e"] {
        let mut admitted = bench.stored(witness, 3, &["a/tls"]).await.unwrap();
        admitted.report.plan_version = 999;
        bench.engine.admit(admitted).await.unwrap();
    }
    bench.report("a", 3, &[]).await;
    let heard = bench.engine.read(|view| {
        let (a, d) = (view.fleet.find_entry_point("a/tls").unwrap(), view.fleet.find_server("d").unwrap());
        (view.ledger.pair(d, a).streak(), view.ledger.server(d).sequence.clone().unwrap().number)
    });
    assert_eq!(heard.await.unwrap(), (2, 3));
    bench.close().await;
}

#[tokio::test]
async fn a_new_address_forgets_the_old_evidence_and_late_reports_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let mut moved = inventory();
    moved.servers[0].address = "198.51.100.99".to_owned();
    let version = bench.store.replace_inventory(1, &moved, bench.clock.now(), "test").await.unwrap();
    bench.engine.replace_inventory(version, moved).await.unwrap();
    bench.wait_for("a", Status::Ok).await;
    // The plan is renewed at most once an interval, so these still follow the one with the old address.
    bench.rounds(4..=7, &["a/tls"]).await;
    let heard = bench.engine.read(|view| {
        let a = view.fleet.find_entry_point("a/tls").unwrap();
        view.ledger.pairs(a).count()
    });
    assert_eq!(heard.await.unwrap(), 0);
    bench.close().await;
}

#[tokio::test]
async fn the_archive_replays_to_what_the_engine_said() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    bench.close().await;
    let args = crate::replay::ReplayArgs {
        fleet: None,
        trace: None,
        archive: Some(format!("sqlite:{}", folder.path().join("quorate.db").display())),
        from: None,
        to: None,
        explain: None,
        summary: false,
    };
    let mut out = Vec::new();
    crate::replay::args::replay(&args, &mut out).await.unwrap();
    let last: serde_json::Value = serde_json::from_slice(out.split(|b| *b == b'\n').rev().nth(1).unwrap()).unwrap();
    assert_eq!(last["servers"]["a"]["status"], "unreachable");
    assert_eq!(last["entry_points"]["a/tls"]["accusers"], serde_json::json!(["d", "e"]));
    assert_eq!(last["routes"]["all"]["deliver"], serde_json::json!(["b/tls", "c/tls", "d/tls", "e/tls"]));
}

#[test]
fn an_inventory_whose_round_would_outlast_half_of_stale_after_is_refused_before_it_is_in_force() {
    let with_spacing = |ms| Inventory {
        policy: PolicySettings {
            min_spacing_ms: Some(ms),
            stale_after_ms: Some(60_000),
            interval_ms: Some(30_000),
            all: Some(true),
            ..PolicySettings::default()
        },
        ..inventory()
    };
    assert!(with_spacing(7_500).checked().is_ok(), "four probes in half a minute");
    let refused = with_spacing(7_501).checked().unwrap_err();
    assert_eq!(refused.place(), Some(("policy".to_owned(), "stale_after_ms")));
}

#[test]
fn a_checkpoint_holds_all_that_the_next_evaluation_needs() {
    let (fleet, policy): (Fleet, Policy) = (inventory().fleet().unwrap(), inventory().policy().unwrap());
    let mut ledger = Ledger::new(&fleet, Moment::ZERO);
    for round in 1..=4_u64 {
        for witness in fleet.server_ixs() {
            let blind = ["d", "e"].contains(&fleet.server(witness).id.as_str());
            let outcome = |ix| (ix, if blind { FAILED } else { REACHED });
            let report = Report {
                witness,
                observed_at: Moment::from_ms(round * 60_000),
                health: Health::Ok,
                outcomes: fleet.entry_ixs().map(outcome).collect(),
                sequence: None,
            };
            ledger.fold(&fleet, &policy, &report);
        }
    }
    let now = Moment::from_ms(250_000);
    let bytes = checkpoint::encode(&fleet, &ledger);
    let mut restored = checkpoint::decode(&bytes, &fleet, now).unwrap();
    restored.resume(ledger.evaluation_started_at());
    let evaluate = |ledger: &mut Ledger| quorate_core::evaluate::verdicts(&fleet, &policy, ledger, now);
    assert_eq!(evaluate(&mut restored), evaluate(&mut ledger));
}

#[test]
fn a_gap_of_a_quarter_round_is_a_pause_of_our_own_and_a_shorter_one_is_not() {
    let policy = Policy::default();
    let mut attention = Attention::new(Moment::ZERO);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(16_000), true), Tick::Awake);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(32_001), true), Tick::Resumed);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(33_000), true), Tick::Awake);
}

#[test]
fn without_its_store_the_engine_is_away_and_resumes_when_it_is_back() {
    let policy = Policy::default();
    let mut attention = Attention::new(Moment::ZERO);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(1_000), false), Tick::Away);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(2_000), false), Tick::Away);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(3_000), true), Tick::Resumed);
    assert_eq!(attention.handle_tick(&policy, Moment::from_ms(4_000), true), Tick::Awake);
}

#[test]
fn an_event_says_what_was_and_what_is() {
    let event = Event {
        id: 1,
        at_ms: 2,
        kind: "server_status".to_owned(),
        subject: "a".to_owned(),
        from: Some("ok".to_owned()),
        to: Some("down".to_owned()),
        reason: "Server unavailable".to_owned(),
    };
    let json = serde_json::to_string(&event).unwrap();
    let wanted = r#"{"id":1,"at_ms":2,"kind":"server_status","subject":"a","from":"ok","to":"down","reason":"Server unavailable"}"#;
    assert_eq!(json, wanted);
}
