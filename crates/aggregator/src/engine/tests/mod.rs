//! The engine with a real store: what it folds survives, what it says is written down, and its own pauses alarm nobody.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;
use quorate_proto::v1;

use super::{Admitted, Engine, EngineConfig, EngineHandle};
use crate::clock::Clock;
use crate::inventory::{Inventory, PolicySettings, RouteEntry, ServerEntry};
use crate::store::{NewReport, Retention, Store, Stored};

mod order;
mod past;
mod pauses;
mod refusals;
mod restarts;
mod verdicts;

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
pub(crate) fn inventory() -> Inventory {
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
        Self::open_over(folder, &inventory()).await
    }

    /// Over an inventory that a new store gets; one that is there keeps its own.
    async fn open_over(folder: &Path, first: &Inventory) -> Self {
        Self::open_with(folder, first, Moment::ZERO).await
    }

    /// With a wall clock that shows this, or what it really shows if that is later.
    async fn open_at(folder: &Path, wall: Moment) -> Self {
        Self::open_with(folder, &inventory(), wall).await
    }

    async fn open_with(folder: &Path, first: &Inventory, wall: Moment) -> Self {
        let store = Store::open(&format!("sqlite:{}", folder.join("quorate.db").display())).await.unwrap();
        let clock = Clock::start(store.latest_moment().await.unwrap().max(wall));
        if store.inventory().await.unwrap().is_none() {
            store.replace_inventory(0, first, clock.now(), "test").await.unwrap();
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
        let version = self.engine.plans().borrow().version;
        self.stored_following(version, witness, sequence, failing).await
    }

    /// The same by another version of the plan in force.
    async fn stored_following(
        &self,
        plan_version: u64,
        witness: &str,
        sequence: u64,
        failing: &[&str],
    ) -> Option<Admitted> {
        let plans = self.engine.plans();
        let plan = plans.borrow().by_server[witness].clone();
        let outcome = |target: &v1::Target| {
            if failing.contains(&target.entry_point.as_str()) { FAILED } else { REACHED }
        };
        let outcomes: Vec<Outcome> = plan.targets.iter().map(outcome).collect();
        self.stored_with(plan_version, witness, sequence, &outcomes).await
    }

    /// The same with these outcomes; a self-check alone without any.
    async fn stored_with(
        &self,
        plan_version: u64,
        witness: &str,
        sequence: u64,
        outcomes: &[Outcome],
    ) -> Option<Admitted> {
        let packed = if outcomes.is_empty() { Vec::new() } else { quorate_proto::outcomes::pack(outcomes) };
        let report = v1::Report {
            outbox_id: b"outbox".to_vec(),
            sequence,
            plan_version,
            age_ms: 0,
            wall_ms: 0,
            outcomes: packed,
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
