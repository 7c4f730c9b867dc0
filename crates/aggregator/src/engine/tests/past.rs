//! What is folded again from the archive is what the engine knew.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::{Bench, inventory};
use crate::archive::{FoldError, Footing, Found, History};
use crate::clock::Clock;
use crate::engine::Snapshot;
use crate::store::{Retention, Store};

/// A snapshot in which everything is that was handed on, and whose millisecond is over.
async fn settled(bench: &Bench) -> Arc<Snapshot> {
    let handled_at = bench.engine.read(|view| view.now).await.unwrap();
    let mut snapshots = bench.engine.watch();
    let next = snapshots.wait_for(|snapshot| snapshot.at > handled_at);
    let next = tokio::time::timeout(Duration::from_secs(20), next).await.expect("it evaluates").unwrap().clone();
    passed(&bench.clock, next.at).await;
    next
}

async fn passed(clock: &Clock, moment: Moment) {
    while clock.now() <= moment {
        tokio::task::yield_now().await;
    }
}

fn assert_known(found: &Found, live: &Snapshot) {
    let known = found.past.view();
    assert_eq!(known.fleet, &*live.fleet);
    assert_eq!(known.verdicts.servers, live.verdicts.servers);
    assert_eq!(known.verdicts.entry_points, live.verdicts.entry_points);
    assert_eq!(known.verdicts.cuts, live.verdicts.cuts);
}

fn status(found: &Found, server: &str) -> Status {
    let known = found.past.view();
    known.verdicts.servers[known.fleet.find_server(server).unwrap().at()].status
}

#[tokio::test]
async fn a_moment_before_in_and_after_a_block_is_known_as_it_was_then() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=2, &[]).await;
    let before = settled(&bench).await;
    bench.rounds(3..=5, &["a/tls"]).await;
    let during = settled(&bench).await;
    bench.rounds(6..=6, &[]).await;
    let after = settled(&bench).await;

    let history = History::new(bench.store.clone());
    for (live, wanted) in [(&during, Status::Unreachable), (&before, Status::Ok), (&after, Status::Ok)] {
        let found = history.at(live.at).await.unwrap();
        assert_eq!(status(&found, "a"), wanted);
        assert_eq!(found.footing, Footing::Exact);
        assert_eq!(found.stopped_since, None);
        assert_known(&found, live);
        let said = bench.store.statuses_at(live.at).await.unwrap();
        assert_eq!(said["a"].0, wanted, "what was said");
        let shown = found.past.snapshot(&said);
        assert_eq!(shown.since, live.since, "since when each status is");
        let last = |snapshot: &Snapshot| {
            let reports = snapshot.last_reports.iter().flatten();
            reports.map(|report| (report.received_at, report.outcomes.clone())).collect::<Vec<_>>()
        };
        assert_eq!(last(&shown), last(live), "the last knocks of each");
        assert_eq!(found.past.planned("a").unwrap().len(), 4);
    }
    bench.close().await;
}

#[tokio::test]
async fn a_restart_a_new_inventory_and_the_time_between_two_runs_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    let first_run = settled(&bench).await;
    bench.close().await;
    let ended = Store::open(&format!("sqlite:{}", folder.path().join("quorate.db").display())).await.unwrap();
    let ended_at = ended.latest_moment().await.unwrap();
    ended.close().await;
    passed(&Clock::start(ended_at), ended_at.after(Duration::from_millis(20))).await;
    let bench = Bench::open(folder.path()).await;
    let second_run = settled(&bench).await;
    let mut grown = inventory();
    grown.servers[4].site = Some("elsewhere".to_owned());
    let version = bench.store.replace_inventory(1, &grown, bench.clock.now(), "test").await.unwrap();
    bench.engine.replace_inventory(version, grown).await.unwrap();
    bench.rounds(4..=4, &["a/tls"]).await;
    let changed = settled(&bench).await;

    let history = History::new(bench.store.clone());
    for live in [&first_run, &second_run, &changed] {
        let found = history.at(live.at).await.unwrap();
        assert_eq!(found.footing, Footing::Exact);
        assert_known(&found, live);
        assert_eq!(found.past.snapshot(&BTreeMap::new()).evaluation_started_at, live.evaluation_started_at);
    }
    let between = history.at(ended_at.after(Duration::from_millis(10))).await.unwrap();
    assert_eq!(between.stopped_since, Some(ended_at));
    assert_eq!(between.past.at(), ended_at);
    assert_known(&between, &first_run);
    bench.close().await;
}

#[tokio::test]
async fn where_no_keyframe_is_left_reports_alone_are_folded_and_the_answer_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=1, &[]).await;
    bench.rounds(2..=5, &["a/tls"]).await;
    let live = settled(&bench).await;
    bench.store.meddle("DELETE FROM keyframes").await;

    let found = History::new(bench.store.clone()).at(live.at).await.unwrap();
    assert_eq!(found.footing, Footing::Short, "the archive is younger than a verdict may be held");
    assert_eq!(status(&found, "a"), Status::Unreachable);
    bench.close().await;
}

#[tokio::test]
async fn what_was_pruned_is_not_asked_for_and_what_is_left_is() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    let early = settled(&bench).await;
    let oldest_kept = bench.engine.read(|view| view.now).await.unwrap();
    bench.rounds(4..=4, &["a/tls"]).await;
    let late = settled(&bench).await;
    bench.engine.stop().await.unwrap();
    let age = bench.clock.now().since(oldest_kept);
    let now = oldest_kept.after(age);
    let pruned = bench.store.prune(Retention { age, bytes: 1 << 30 }, now, u64::MAX).await.unwrap();
    assert_eq!(pruned.reports, 15);

    let history = History::new(bench.store.clone());
    assert!(matches!(history.at(early.at).await, Err(FoldError::TooEarly)));
    assert!(matches!(history.at(Moment::ZERO).await, Err(FoldError::TooEarly)));
    // Its keyframe went with the reports that came after it.
    let found = history.at(late.at).await.unwrap();
    assert_eq!(found.footing, Footing::Short);
    bench.store.close().await;
}

#[tokio::test]
async fn when_too_many_wait_the_next_one_is_told_to_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=1, &[]).await;
    let live = settled(&bench).await;
    let history = History::new(bench.store.clone());
    let mut places = Vec::new();
    while let Ok(place) = history.place() {
        places.push(place);
    }
    assert!(matches!(history.at(live.at).await, Err(FoldError::Busy)));
    places.pop();
    let found = history.at(live.at).await.unwrap();
    assert_known(&found, &live);
    drop(history.place().expect("its place is free again"));
    bench.close().await;
}

#[tokio::test]
async fn a_slider_that_moves_folds_on_from_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    let first = settled(&bench).await;
    bench.rounds(4..=4, &[]).await;
    let second = settled(&bench).await;
    let history = History::new(bench.store.clone());
    let found = history.at(first.at).await.unwrap();
    let again = history.at(first.at).await.unwrap();
    assert!(Arc::ptr_eq(&found, &again));
    let on = history.at(second.at).await.unwrap();
    assert_eq!(on.past.reports(), found.past.reports() + 5, "only what came meanwhile is folded");
    assert_known(&on, &second);
    bench.close().await;
}
