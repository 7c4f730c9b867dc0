//! Reports that cannot be folded when they come, or not in full.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use quorate_core::verdict::Status;

use super::Bench;

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
async fn a_heartbeat_before_the_first_round_of_a_plan_takes_nothing_from_the_rounds_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    for witness in ["a", "b", "c", "d", "e"] {
        let mut admitted = bench.stored(witness, 1, &[]).await.unwrap();
        admitted.report.outcomes.clear();
        bench.engine.admit(admitted).await.unwrap();
    }
    bench.rounds(2..=4, &["a/tls"]).await;
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
async fn a_report_waits_while_its_plan_cannot_be_read_and_is_folded_before_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=2, &["a/tls"]).await;
    // Known to the store alone, as an older plan is after a restart.
    let (older, plan) = (7, bench.store.plan(1).await.unwrap().unwrap());
    bench.store.save_plan(older, bench.clock.now(), &plan).await.unwrap();
    bench.store.meddle("ALTER TABLE plans RENAME TO plans_away").await;
    for witness in ["d", "e"] {
        let admitted = bench.stored_following(older, witness, 3, &["a/tls"]).await.unwrap();
        bench.engine.admit(admitted).await.unwrap();
    }
    let heard = || async {
        let looked = bench.engine.read(|view| {
            let (a, d) = (view.fleet.find_entry_point("a/tls").unwrap(), view.fleet.find_server("d").unwrap());
            (view.ledger.pair(d, a).streak(), view.ledger.server(d).sequence.clone().unwrap().number)
        });
        looked.await.unwrap()
    };
    assert_eq!(heard().await, (2, 2), "neither its outcomes nor its self-check");

    bench.store.meddle("ALTER TABLE plans_away RENAME TO plans").await;
    bench.report("b", 3, &[]).await;
    bench.wait_for("a", Status::Unreachable).await;
    assert_eq!(heard().await, (3, 3));
    bench.close().await;
}
