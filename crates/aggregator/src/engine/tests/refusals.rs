//! Plans that agents refuse.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::{Bench, inventory};
use crate::engine::Refusal;

/// What is known of the agent of `a`, once the newest snapshot says what is `wanted`.
async fn refusal(bench: &Bench, wanted: bool) -> Option<Refusal> {
    let mut snapshots = bench.engine.watch();
    let found = snapshots.wait_for(|snapshot| snapshot.refusals.contains_key("a") == wanted);
    let found = tokio::time::timeout(std::time::Duration::from_secs(20), found).await.expect("it is known");
    found.unwrap().refusals.get("a").cloned()
}

#[tokio::test]
async fn a_refused_plan_is_known_through_a_restart_until_a_report_follows_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.engine.plan_refused("a", "192.0.2.1 port 8443 is beyond the limits").await.unwrap();
    let told = refusal(&bench, true).await.unwrap();
    assert_eq!((told.plan_version, told.reason.as_str()), (1, "192.0.2.1 port 8443 is beyond the limits"));
    bench.close().await;

    let bench = Bench::open(folder.path()).await;
    assert_eq!(refusal(&bench, true).await, Some(told));
    let mut events = bench.engine.events();
    let by_an_older_plan = bench.stored_following(0, "a", 1, &[]).await.unwrap();
    bench.engine.admit(by_an_older_plan).await.unwrap();
    bench.report("b", 1, &[]).await;
    bench.engine.read(|_| ()).await.unwrap();
    assert!(bench.engine.snapshot().refusals.contains_key("a"), "an older plan is not the refused one");
    bench.report("a", 2, &[]).await;
    assert_eq!(refusal(&bench, false).await, None);
    let taken_up = std::iter::from_fn(|| events.try_recv().ok()).find(|event| event.kind == "session").unwrap();
    assert_eq!((taken_up.from.as_deref(), taken_up.to.as_deref()), (Some("plan_refused"), Some("plan_taken_up")));
    bench.close().await;
}

#[tokio::test]
async fn what_was_observed_before_the_refusal_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    let waiting = bench.stored("a", 1, &[]).await.unwrap();
    while bench.clock.now() <= waiting.observed_at {
        tokio::task::yield_now().await;
    }
    bench.engine.plan_refused("a", "too quick").await.unwrap();
    bench.engine.admit(waiting).await.unwrap();
    bench.engine.read(|_| ()).await.unwrap();
    bench.report("b", 1, &[]).await;
    assert!(refusal(&bench, true).await.is_some());
    bench.close().await;
}

#[tokio::test]
async fn a_server_that_is_gone_refuses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.engine.plan_refused("a", "too quick").await.unwrap();
    refusal(&bench, true).await;
    let mut without = inventory();
    without.servers.remove(0);
    without.routes.clear();
    let version = bench.store.replace_inventory(1, &without, bench.clock.now(), "test").await.unwrap();
    bench.engine.replace_inventory(version, without).await.unwrap();
    assert_eq!(refusal(&bench, false).await, None);
    bench.close().await;
}
