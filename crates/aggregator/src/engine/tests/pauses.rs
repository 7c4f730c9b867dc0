//! R6 · The engine's own pauses.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::policy::Policy;
use quorate_core::time::Moment;

use super::{Bench, inventory};
use crate::engine::Event;
use crate::engine::pause::{Attention, Tick};
use crate::inventory::{Inventory, PolicySettings};
use crate::store::EventQuery;

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

#[tokio::test]
async fn a_pause_of_the_whole_process_is_told_and_listening_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let policy = PolicySettings { interval_ms: Some(4_000), ..inventory().policy };
    let bench = Bench::open_over(folder.path(), &Inventory { policy, ..inventory() }).await;
    let (mut events, before) = (bench.engine.events(), bench.engine.snapshot());
    // Whoever answers has begun to listen.
    bench.engine.read(|_| ()).await.unwrap();
    // The engine runs on this thread: while it is held here, nothing of the process runs.
    std::thread::sleep(Duration::from_millis(1_700));
    let told = async {
        loop {
            let event = events.recv().await.unwrap();
            if event.kind == "aggregator" {
                break event;
            }
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(20), told).await.expect("the pause is told");
    assert_eq!((told.subject.as_str(), told.to.as_deref()), ("aggregator", Some("resumed")));
    assert!(told.reason.starts_with("It was stopped, starved or cut off"), "{}", told.reason);
    let mut snapshots = bench.engine.watch();
    let anew = snapshots.wait_for(|snapshot| snapshot.evaluation_started_at > before.evaluation_started_at);
    tokio::time::timeout(Duration::from_secs(20), anew).await.expect("listening begins anew").unwrap();
    let kept =
        bench.store.events(EventQuery { kind: Some("aggregator".to_owned()), limit: 9, ..EventQuery::default() });
    assert_eq!(kept.await.unwrap(), [Event::clone(&told)]);
    bench.close().await;
}

#[tokio::test]
async fn a_round_that_becomes_shorter_is_no_pause_at_every_tick() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open_over(folder.path(), &inventory()).await;
    let policy = PolicySettings { interval_ms: Some(2_000), ..inventory().policy };
    let shorter = Inventory { policy, ..inventory() };
    let version = bench.store.replace_inventory(1, &shorter, bench.clock.now(), "test").await.unwrap();
    bench.engine.replace_inventory(version, shorter).await.unwrap();
    let end = bench.clock.now().after(Duration::from_secs(6));
    let mut snapshots = bench.engine.watch();
    let evaluated = snapshots.wait_for(|snapshot| snapshot.at >= end);
    tokio::time::timeout(Duration::from_secs(30), evaluated).await.expect("it goes on evaluating").unwrap();
    let query = EventQuery { kind: Some("aggregator".to_owned()), limit: 9, ..EventQuery::default() };
    let told = bench.store.events(query).await.unwrap();
    // A busy machine may stop it once or twice; ticks of a second would do so every time.
    assert!(told.len() <= 2, "{told:?}");
    bench.close().await;
}
