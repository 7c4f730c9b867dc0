//! The report archive: once each, in order, whoever else stores at the same time.

use std::time::Duration;

use super::super::{Checkpoint, NewReport, Retention, StoreError, Stored};
use super::{Place, at, report};
use crate::limits::{OUTBOXES_PER_SERVER_MAX, REPORT_BYTES_MAX};

pub async fn a_report_is_stored_once(place: Place) {
    let store = place.open().await;
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), 0);
    assert_eq!(store.store_report(report("nl-1", 1, b"one")).await.unwrap(), Stored::New(1));
    assert_eq!(store.store_report(report("nl-1", 1, b"one")).await.unwrap(), Stored::Repeated);
    assert_eq!(store.store_report(report("nl-1", 4, b"four")).await.unwrap(), Stored::New(2));
    assert_eq!(store.store_report(report("nl-1", 2, b"late")).await.unwrap(), Stored::Repeated);
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), 4);
    let archived = store.reports_after(0, 10).await.unwrap();
    let seen: Vec<_> = archived.iter().map(|report| (report.id, report.sequence, report.payload.as_slice())).collect();
    assert_eq!(seen, [(1, 1, &b"one"[..]), (2, 4, b"four")]);
    assert_eq!(archived[0].outbox, b"box");
    assert_eq!(archived[0].received_at, at(1_001_000));
    assert_eq!(archived[0].observed_at, at(1_000_970));
}

pub async fn a_batch_is_answered_in_order(place: Place) {
    let store = place.open().await;
    let batch = [report("nl-1", 1, b"a"), report("de-1", 1, b"b"), report("nl-1", 1, b"a"), report("nl-1", 2, b"c")];
    let answers = store.store_reports(&batch).await.unwrap();
    assert_eq!(answers, [Stored::New(1), Stored::New(2), Stored::Repeated, Stored::New(3)]);
    assert_eq!(store.store_reports(&batch).await.unwrap(), [Stored::Repeated; 4]);
    assert_eq!(store.store_reports(&[]).await.unwrap(), []);
    assert_eq!(store.store_report(report("nl-1", 3, b"d")).await.unwrap(), Stored::New(4));
}

pub async fn two_outboxes_are_told_apart(place: Place) {
    let store = place.open().await;
    let first = report("nl-1", 7, b"first");
    let second = NewReport { outbox: b"\x00\xff", sequence: 1, ..first };
    assert_eq!(store.store_report(first).await.unwrap(), Stored::New(1));
    assert_eq!(store.store_report(second).await.unwrap(), Stored::New(2));
    assert_eq!(store.store_report(first).await.unwrap(), Stored::Repeated);
    assert_eq!(store.stored_sequence("nl-1", b"\x00\xff").await.unwrap(), 1);
    assert_eq!(store.stored_sequence("de-1", b"box").await.unwrap(), 0);
}

pub async fn ids_grow_in_the_order_of_commits(place: Place) {
    // Two of everything: replicas share a database.
    let stores = [place.open().await, place.open().await];
    let writers = (0..4).map(|writer| {
        let store = stores[writer % 2].clone();
        tokio::spawn(async move {
            let server = format!("s-{writer}");
            for sequence in 1..=20 {
                store.store_report(report(&server, sequence, b"x")).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    // A reader that goes on behind the last id it saw misses nothing.
    let mut seen = Vec::new();
    while seen.len() < 80 {
        let over = writers.iter().all(tokio::task::JoinHandle::is_finished);
        let last = seen.last().copied().unwrap_or(0);
        let more = stores[0].reports_after(last, 7).await.unwrap();
        if over && more.is_empty() {
            break;
        }
        seen.extend(more.into_iter().map(|report| report.id));
    }
    assert_eq!(seen, (1..=80).collect::<Vec<u64>>());
    for writer in writers {
        writer.await.unwrap();
    }
}

pub async fn a_report_that_is_too_large_is_refused_alone(place: Place) {
    let store = place.open().await;
    let fits = vec![7; REPORT_BYTES_MAX];
    let too_large = vec![7; REPORT_BYTES_MAX + 1];
    let refused = store.store_report(report("nl-1", 1, &too_large)).await.unwrap_err();
    assert_eq!(refused.to_string(), "store: report is too large: 1048577, at most 1048576");
    assert_eq!(store.store_report(report("nl-1", 1, &fits)).await.unwrap(), Stored::New(1));
    let long_box = NewReport { outbox: &[1; 65], ..report("nl-1", 2, b"x") };
    assert!(matches!(store.store_report(long_box).await, Err(StoreError::TooLarge { .. })));
}

pub async fn a_sequence_beyond_the_largest_number_is_refused(place: Place) {
    let store = place.open().await;
    let largest = i64::MAX as u64;
    assert!(matches!(
        store.store_report(NewReport { sequence: u64::MAX, ..report("nl-1", 1, b"x") }).await,
        Err(StoreError::TooLarge { what: "sequence", .. })
    ));
    let last = NewReport { sequence: largest, ..report("nl-1", 1, b"x") };
    assert_eq!(store.store_report(last).await.unwrap(), Stored::New(1));
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), largest);
}

pub async fn the_archive_is_read_in_pages_and_by_time(place: Place) {
    let store = place.open().await;
    for sequence in 1..=5 {
        store.store_report(report("nl-1", sequence, b"x")).await.unwrap();
    }
    let ids = |reports: Vec<super::super::ArchivedReport>| reports.into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(ids(store.reports_after(0, 2).await.unwrap()), [1, 2]);
    assert_eq!(ids(store.reports_after(2, 2).await.unwrap()), [3, 4]);
    assert_eq!(ids(store.reports_after(4, 2).await.unwrap()), [5]);
    assert_eq!(ids(store.reports_after(u64::MAX, 2).await.unwrap()), [0; 0]);
    let (from, to) = (at(1_002_000), at(1_004_000));
    assert_eq!(ids(store.reports_between(from, to, 0, 10).await.unwrap()), [2, 3, 4]);
    assert_eq!(ids(store.reports_between(from, to, 2, 1).await.unwrap()), [3]);
}

pub async fn an_agent_that_begins_outbox_after_outbox_takes_no_more_room(place: Place) {
    let store = place.open().await;
    let rounds = OUTBOXES_PER_SERVER_MAX as u64 + 10;
    let begin = async |round: u64| {
        let outbox = round.to_be_bytes();
        store.store_report(NewReport { outbox: &outbox, ..report("nl-1", round, b"x") }).await.unwrap()
    };
    let remembered = async || -> i64 {
        sqlx::query_scalar("SELECT COUNT(*) FROM outboxes").fetch_one(&store.inner.readers).await.unwrap()
    };
    for round in 1..=rounds {
        assert_eq!(begin(round).await, Stored::New(round));
    }
    // While their reports are archived, all are remembered.
    assert_eq!(remembered().await, rounds.cast_signed());
    assert_eq!(begin(1).await, Stored::Repeated);
    let checkpoint = Checkpoint { through: rounds, at: at(1), inventory_version: 0, ledger: Vec::new() };
    store.save_checkpoint(&checkpoint).await.unwrap();
    store.prune(Retention { age: Duration::ZERO, bytes: 0 }, at(9_000_000), u64::MAX).await.unwrap();
    assert_eq!(begin(2).await, Stored::Repeated);
    assert_eq!(begin(rounds + 1).await, Stored::New(rounds + 1));
    assert_eq!(remembered().await, OUTBOXES_PER_SERVER_MAX);
    assert_eq!(begin(rounds).await, Stored::Repeated);
}

/// Dropped at any point on its way, a call leaves all or nothing, and the connection in order.
pub async fn a_call_that_is_dropped_changes_all_or_nothing(place: Place) {
    let store = place.open().await;
    for sequence in 1..=60 {
        let batch = [report("nl-1", sequence, b"x"), report("de-1", sequence, b"y")];
        let patience = Duration::from_micros(40 * sequence);
        let _ = tokio::time::timeout(patience, store.store_reports(&batch)).await;
    }
    let last = [report("nl-1", 61, b"x"), report("de-1", 61, b"y")];
    assert!(store.store_reports(&last).await.unwrap().iter().all(|answer| matches!(answer, Stored::New(_))));
    let archived = store.reports_after(0, 1000).await.unwrap();
    for pair in archived.chunks(2) {
        assert_eq!((pair[0].server.as_str(), pair[1].server.as_str()), ("nl-1", "de-1"));
        assert_eq!((pair[0].id + 1, pair[0].sequence), (pair[1].id, pair[1].sequence));
    }
    let ids: Vec<u64> = archived.iter().map(|report| report.id).collect();
    assert_eq!(ids, (1..=archived.len() as u64).collect::<Vec<_>>());
}
