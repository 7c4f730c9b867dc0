//! What a restart finds again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::{Bench, FAILED, REACHED, inventory};
use crate::engine::{LedgerView, checkpoint};
use crate::store::StoredPlan;

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
async fn a_wall_clock_that_was_moved_ahead_between_two_runs_changes_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let statuses = |bench: &Bench| {
        let snapshot = bench.engine.snapshot();
        snapshot.verdicts.servers.iter().map(|server| server.status).collect::<Vec<_>>()
    };
    let before = statuses(&bench);
    let hour_ahead = bench.clock.now().after(Duration::from_hours(1));
    bench.close().await;

    // Longer than any verdict is held without evidence; and once more, with nothing folded in between.
    for _ in 0..2 {
        let bench = Bench::open_at(folder.path(), hour_ahead).await;
        assert_eq!(statuses(&bench), before);
        bench.store.close().await;
    }
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

#[tokio::test]
async fn reports_after_the_last_checkpoint_are_folded_over_the_fleet_that_they_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=1, &[]).await;
    bench.wait_for("a", Status::Ok).await;
    // To "d" half of the others are gone: that is credible as long as all of them are its neighbours.
    bench.report("d", 2, &["a/tls", "b/tls"]).await;
    let discredited = |view: &LedgerView<'_>| view.verdicts.servers[3].discredited;
    let before = bench.engine.read(discredited).await.unwrap();
    // The process dies, and its file says another address of "c" when it starts again.
    let mut readdressed = inventory();
    readdressed.servers[2].address = "198.51.102.9".to_owned();
    let later = bench.clock.now().after(std::time::Duration::from_millis(2));
    bench.store.replace_inventory(1, &readdressed, later, "file").await.unwrap();
    bench.store.close().await;
    drop(bench);

    let bench = Bench::open(folder.path()).await;
    let sight = bench.engine.snapshot().verdicts.servers[3].sight[0];
    assert_eq!((sight.neighbours, sight.seen), (4, 2), "its round is judged as it was then");
    assert_eq!(bench.engine.snapshot().verdicts.servers[3].discredited, before);
    bench.close().await;
}

#[tokio::test]
async fn a_plan_that_was_stored_without_its_digest_does_not_stand_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    let version = bench.engine.plans().borrow().version;
    // The process dies in the middle of issuing a plan for a fleet that is then taken back.
    bench.store.save_plan(version + 1, bench.clock.now(), &StoredPlan::default()).await.unwrap();
    bench.close().await;

    let bench = Bench::open(folder.path()).await;
    let issued = bench.engine.plans().borrow().clone();
    let stored = bench.store.plan(issued.version).await.unwrap().unwrap();
    let handed_out: Vec<&str> = issued.by_server["a"].targets.iter().map(|target| &*target.entry_point).collect();
    let read_by: Vec<&str> = stored.by_server["a"].iter().map(|target| &*target.entry_point).collect();
    assert_eq!(read_by, handed_out);
    bench.close().await;
}
