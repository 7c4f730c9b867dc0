//! What goes, what stays, and what is remembered of what went.

use std::time::Duration;

use super::super::{Checkpoint, NewReport, Pruned, Retention, Store, Stored, StoredPlan};
use super::{Place, at, report};
use crate::inventory::Inventory;
use crate::limits::{REPLACED_DOCUMENTS_KEPT, REPORT_ROW_BYTES};

const EVERYTHING: Retention = Retention { age: Duration::from_secs(1_000_000_000), bytes: u64::MAX };

/// Reports 1 to `count`, with 40 bytes each, and a checkpoint through `checkpoint`.
async fn filled(place: &Place, count: u64, checkpoint: u64) -> Store {
    let store = place.open().await;
    let payloads: Vec<_> = (1..=count).map(|_| vec![1; 40]).collect();
    let batch: Vec<_> = (1..).zip(&payloads).map(|(sequence, payload)| report("nl-1", sequence, payload)).collect();
    store.store_reports(&batch).await.unwrap();
    let checkpoint = Checkpoint { through: checkpoint, at: at(5), inventory_version: 0, ledger: Vec::new() };
    store.save_checkpoint(&checkpoint).await.unwrap();
    store
}

async fn ids(store: &Store) -> Vec<u64> {
    store.reports_after(0, 10_000).await.unwrap().into_iter().map(|report| report.id).collect()
}

pub async fn the_oldest_reports_go_first(place: Place) {
    let store = filled(&place, 10, 10).await;
    let now = at(1_010_000);
    assert_eq!(store.prune(EVERYTHING, now, u64::MAX).await.unwrap(), Pruned::default());
    // Report 5 is exactly as old as is kept, report 4 a second older.
    let kept = Retention { age: Duration::from_secs(5), ..EVERYTHING };
    let pruned = store.prune(kept, now, u64::MAX).await.unwrap();
    assert_eq!(pruned, Pruned { reports: 4, bytes: 4 * (40 + REPORT_ROW_BYTES) });
    assert_eq!(ids(&store).await, [5, 6, 7, 8, 9, 10]);
}

pub async fn the_archive_keeps_its_size(place: Place) {
    let store = filled(&place, 1300, 1300).await;
    let row = 40 + REPORT_ROW_BYTES;
    assert_eq!(store.archive_bytes().await.unwrap(), 1300 * row);
    let kept = Retention { bytes: 3 * row, ..EVERYTHING };
    assert_eq!(store.prune(kept, at(0), u64::MAX).await.unwrap().reports, 1297);
    assert_eq!(ids(&store).await, [1298, 1299, 1300]);
    assert_eq!(store.archive_bytes().await.unwrap(), 3 * row);
    let one_byte_less = Retention { bytes: 3 * row - 1, ..EVERYTHING };
    assert_eq!(store.prune(one_byte_less, at(0), u64::MAX).await.unwrap().reports, 1);
    assert_eq!(store.store_report(report("nl-1", 1301, b"x")).await.unwrap(), Stored::New(1301));
}

#[tokio::test]
async fn pages_that_retention_frees_are_given_back() {
    let place = Place::sqlite();
    let store = filled(&place, 1, 1000).await;
    let large = vec![1; 100_000];
    let batch: Vec<_> = (2..=100).map(|sequence| report("nl-1", sequence, &large)).collect();
    store.store_reports(&batch).await.unwrap();
    let count = async |pragma: &'static str| -> i64 {
        sqlx::query_scalar(pragma).fetch_one(&store.inner.writers).await.unwrap()
    };
    let before = count("PRAGMA page_count").await;
    store.prune(Retention { age: Duration::ZERO, bytes: 0 }, at(9_000_000), u64::MAX).await.unwrap();
    assert_eq!(count("PRAGMA freelist_count").await, 0);
    assert!(count("PRAGMA page_count").await < before / 10);
}

pub async fn what_is_not_in_the_checkpoint_stays(place: Place) {
    let store = filled(&place, 10, 6).await;
    let nothing = Retention { age: Duration::ZERO, bytes: 0 };
    assert_eq!(store.prune(nothing, at(2_000_000), 4).await.unwrap().reports, 3);
    assert_eq!(store.prune(nothing, at(2_000_000), u64::MAX).await.unwrap().reports, 3);
    assert_eq!(ids(&store).await, [7, 8, 9, 10]);
}

pub async fn a_pruned_report_is_still_a_repeat(place: Place) {
    let store = filled(&place, 3, 3).await;
    store.prune(Retention { age: Duration::ZERO, bytes: 0 }, at(2_000_000), u64::MAX).await.unwrap();
    assert_eq!(ids(&store).await, [0; 0]);
    assert_eq!(store.archive_bytes().await.unwrap(), 0);
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), 3);
    assert_eq!(store.store_report(report("nl-1", 3, b"x")).await.unwrap(), Stored::Repeated);
    assert_eq!(store.store_report(report("nl-1", 4, b"x")).await.unwrap(), Stored::New(4));
}

pub async fn documents_that_archived_reports_need_stay(place: Place) {
    let store = place.open().await;
    let day = Duration::from_secs(24 * 3600);
    let on_day = |n: u32| at(1_000_000).after(day * n);
    for (version, n) in [(0, 0), (1, 10), (2, 20), (3, 30)] {
        store.replace_inventory(version, &Inventory::default(), on_day(n), "x").await.unwrap();
        store.save_plan(version + 1, on_day(n), &StoredPlan::default()).await.unwrap();
    }
    let old = NewReport { received_at: on_day(22), observed_at: on_day(22), ..report("nl-1", 1, b"x") };
    store.store_report(old).await.unwrap();
    let checkpoint = Checkpoint { through: 1, at: on_day(30), inventory_version: 4, ledger: Vec::new() };
    store.save_checkpoint(&checkpoint).await.unwrap();
    let versions = async || {
        let inventories = store.inventories_between(at(0), on_day(100)).await.unwrap();
        let inventories: Vec<_> = inventories.into_iter().map(|stored| stored.version).collect();
        let mut plans = Vec::new();
        for version in 1..=4 {
            plans.extend(store.plan(version).await.unwrap().map(|_| version));
        }
        assert_eq!(plans, inventories);
        plans
    };
    // The report of day 22 may be of a plan that was replaced on day 20, but of none that was replaced on day 10.
    store.prune(EVERYTHING, on_day(40), u64::MAX).await.unwrap();
    assert_eq!(versions().await, [2, 3, 4]);
    // Without it, only what was replaced lately stays beside the newest.
    let nothing = Retention { age: Duration::ZERO, bytes: 0 };
    store.prune(nothing, on_day(30).after(REPLACED_DOCUMENTS_KEPT).before(Duration::from_millis(1)), 2).await.unwrap();
    assert_eq!(versions().await, [3, 4]);
    store.prune(nothing, on_day(50), 2).await.unwrap();
    assert_eq!(versions().await, [4]);
}
