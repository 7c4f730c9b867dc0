//! Keyframes, and the queries that lead from one to a moment.

use std::time::Duration;

use super::super::{Absence, Checkpoint, Keyframe, Retention, Store};
use super::{Place, at, report};

fn keyframe(ms: u64, through: u64, silent_since: Option<u64>) -> Keyframe {
    Keyframe {
        at: at(ms),
        through,
        inventory_version: 3,
        started_at: at(1),
        silent_since: silent_since.map(at),
        state: vec![0, 255, 7],
    }
}

/// Reports 1 to `count`, a second apart from 1,001,000 on.
async fn reports(store: &Store, count: u64) {
    let payloads: Vec<_> = (1..=count).map(|_| vec![1; 40]).collect();
    let batch: Vec<_> = (1..).zip(&payloads).map(|(sequence, payload)| report("nl-1", sequence, payload)).collect();
    store.store_reports(&batch).await.unwrap();
}

async fn before(store: &Store, ms: u64) -> Option<u64> {
    store.keyframe_before(at(ms)).await.unwrap().map(|keyframe| keyframe.at.as_ms())
}

pub async fn the_keyframe_before_a_moment_is_the_newest_of_which_all_later_reports_are_there(place: Place) {
    let store = place.open().await;
    assert_eq!(store.keyframe_before(at(9)).await.unwrap(), None);
    let first = keyframe(10, 0, None);
    store.save_keyframe(&first).await.unwrap();
    store.save_keyframe(&keyframe(20, 0, Some(15))).await.unwrap();
    assert_eq!(
        (before(&store, 9).await, before(&store, 10).await, before(&store, 19).await),
        (None, Some(10), Some(10))
    );
    assert_eq!(store.keyframe_before(at(10)).await.unwrap(), Some(first.clone()));
    assert_eq!(store.keyframe_before(at(99)).await.unwrap(), Some(keyframe(20, 0, Some(15))));
    let again = Keyframe { state: vec![1], ..first };
    store.save_keyframe(&again).await.unwrap();
    assert_eq!(store.keyframe_before(at(10)).await.unwrap(), Some(again), "one of the same moment gives way");
}

pub async fn absences_are_found_where_they_touch(place: Place) {
    let store = place.open().await;
    for keyframe in [keyframe(10, 0, None), keyframe(30, 0, Some(20)), keyframe(50, 0, Some(50))] {
        store.save_keyframe(&keyframe).await.unwrap();
    }
    let first = Absence { since: at(20), until: at(30) };
    let blink = Absence { since: at(50), until: at(50) };
    assert_eq!(store.absences(at(0), at(99)).await.unwrap(), [first, blink]);
    assert_eq!(store.absences(at(25), at(25)).await.unwrap(), [first]);
    assert_eq!(store.absences(at(20), at(20)).await.unwrap(), [first]);
    assert_eq!(store.absences(at(19), at(19)).await.unwrap(), []);
    assert_eq!(store.absences(at(30), at(49)).await.unwrap(), [], "back is back");
}

pub async fn keyframes_go_with_the_reports_that_lead_on_from_them(place: Place) {
    let store = place.open().await;
    reports(&store, 10).await;
    let checkpoint = Checkpoint { through: 10, at: at(5), inventory_version: 0, ledger: Vec::new() };
    store.save_checkpoint(&checkpoint).await.unwrap();
    for (ms, through) in [(1_003_500, 3), (1_004_500, 4), (1_009_000, 9)] {
        store.save_keyframe(&keyframe(ms, through, None)).await.unwrap();
    }
    // Report 5 is the oldest that is left: what follows keyframe 3 is not all there, what follows keyframe 4 is.
    let kept = Retention { age: Duration::from_secs(5), bytes: u64::MAX };
    store.prune(kept, at(1_010_000), u64::MAX).await.unwrap();
    assert_eq!(store.last_report_id(at(1_005_000)).await.unwrap(), 5);
    assert_eq!((before(&store, 1_004_000).await, before(&store, 1_005_000).await), (None, None), "older than is kept");
    assert_eq!(before(&store, 1_009_000).await, Some(1_009_000));
}

pub async fn reports_are_found_by_moment_and_by_server(place: Place) {
    let store = place.open().await;
    assert_eq!((store.first_report_at().await.unwrap(), store.last_report_at().await.unwrap()), (None, None));
    assert_eq!((store.last_report_id(at(9)).await.unwrap(), store.report_id_before(at(9)).await.unwrap()), (0, 0));
    reports(&store, 4).await;
    store.store_report(report("de-1", 5, b"x")).await.unwrap();
    assert_eq!(store.first_report_at().await.unwrap(), Some(at(1_001_000)));
    assert_eq!(store.last_report_at().await.unwrap(), Some(at(1_005_000)));
    assert_eq!(store.last_report_id(at(1_003_000)).await.unwrap(), 3);
    assert_eq!(store.last_report_id(at(1_002_999)).await.unwrap(), 2);
    assert_eq!(store.report_id_before(at(1_003_000)).await.unwrap(), 2);
    assert_eq!(store.report_id_before(at(1_003_001)).await.unwrap(), 3);
    assert_eq!(store.report_id_before(at(9_000_000)).await.unwrap(), 5);
    let ids = |reports: Vec<super::super::ArchivedReport>| reports.iter().map(|report| report.id).collect::<Vec<_>>();
    assert_eq!(ids(store.reports_within(1, 4, 2).await.unwrap()), [2, 3]);
    assert_eq!(ids(store.reports_within(3, 4, 2).await.unwrap()), [4]);
    let of = async |from, to, before| ids(store.reports_of("nl-1", at(from), at(to), before, 2).await.unwrap());
    assert_eq!(of(0, 9_000_000, u64::MAX).await, [4, 3], "newest first");
    assert_eq!(of(0, 9_000_000, 3).await, [2, 1]);
    assert_eq!(of(1_002_000, 1_003_000, u64::MAX).await, [3, 2]);
}
