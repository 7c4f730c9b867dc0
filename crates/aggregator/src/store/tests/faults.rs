//! The database goes and comes back; the process stays.

use std::time::Duration;

use super::super::{StoreError, Stored};
use super::{Place, postgres, report};
use crate::limits::STORE_CALL_MAX;

/// Retries as the gateway's agents do: the same report until it is acknowledged.
#[test]
fn postgresql_is_killed_and_comes_back_and_nothing_acknowledged_is_lost() {
    let name = "postgresql_is_killed_and_comes_back_and_nothing_acknowledged_is_lost";
    let Some(mut server) = postgres::start_or_skip(name) else { return };
    let place = Place { url: server.new_database(), _directory: None };
    let (progress, seen) = tokio::sync::watch::channel(0_u64);
    let writer = postgres::runtime();
    let reached = |goal: u64| {
        let mut seen = seen.clone();
        writer.block_on(async move { seen.wait_for(|acknowledged| *acknowledged >= goal).await.map(drop) }).unwrap();
    };
    let store = writer.block_on(place.open());
    let writing = writer.spawn({
        let store = store.clone();
        async move {
            let mut errors = Vec::new();
            let mut sequence = 1;
            while sequence <= 300 {
                match store.store_report(report("nl-1", sequence, b"x")).await {
                    Ok(Stored::New(_) | Stored::Repeated) => {
                        progress.send_replace(sequence);
                        sequence += 1;
                    }
                    Err(error) => errors.push(error),
                }
            }
            errors
        }
    });
    reached(100);
    server.kill();
    let down = writer.block_on(async { tokio::time::timeout(STORE_CALL_MAX, store.ping()).await.unwrap() });
    let down = down.unwrap_err().to_string();
    assert!(down.starts_with("store postgres://quorate:***@localhost/"), "{down}");
    assert!(!down.contains('\n') && !down.contains("secret"), "{down}");
    server.start();
    reached(200);
    server.kill();
    server.start();
    let errors = writer.block_on(writing).unwrap();
    assert!(!errors.is_empty());
    assert!(errors.iter().all(|error| matches!(error, StoreError::Unavailable { .. })), "{errors:?}");
    let archived = writer.block_on(store.reports_after(0, 1000)).unwrap();
    let sequences: Vec<u64> = archived.iter().map(|report| report.sequence).collect();
    assert_eq!(sequences, (1..=300).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_writer_that_waits_too_long_for_another_is_told_and_goes_on_later() {
    let place = Place::sqlite();
    let (store, other) = (place.open().await, place.open().await);
    let held = other.begin().await.unwrap();
    let waited = store.store_report(report("nl-1", 1, b"x")).await.unwrap_err();
    assert_eq!(waited.to_string(), format!("store {}: database is locked", place.url));
    // Readers wait for nobody.
    assert_eq!(store.reports_after(0, 9).await.unwrap(), []);
    held.rollback().await.unwrap();
    assert_eq!(store.store_report(report("nl-1", 1, b"x")).await.unwrap(), Stored::New(1));
}

#[tokio::test]
async fn a_full_database_is_told_and_goes_on_when_there_is_room() {
    let place = Place::sqlite();
    let store = place.open().await;
    let limit = |pages| sqlx::raw_sql(sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}")));
    limit(100).execute(&store.inner.writers).await.unwrap();
    let large = vec![1; 10_000];
    let mut sequence = 0;
    let refused = loop {
        sequence += 1;
        if let Err(error) = store.store_report(report("nl-1", sequence, &large)).await {
            break error;
        }
    };
    assert_eq!(refused.to_string(), format!("store {}: database or disk is full", place.url));
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), sequence - 1);
    // It still reads; but an aggregator that can take no report must not take that for silence. (The connection that met
    // the limit is gone, and the limit with it.)
    limit(100).execute(&store.inner.writers).await.unwrap();
    assert!(store.ping().await.is_err());
    limit(100_000).execute(&store.inner.writers).await.unwrap();
    store.ping().await.unwrap();
    assert_eq!(store.store_report(report("nl-1", sequence, &large)).await.unwrap(), Stored::New(sequence));
}

#[tokio::test]
async fn every_connection_to_sqlite_syncs_at_each_commit() {
    let place = Place::sqlite();
    let store = place.open().await;
    let mut held = Vec::new();
    for pool in [&store.inner.writers, &store.inner.readers] {
        for _ in 0..pool.options().get_max_connections() {
            let mut connection = pool.acquire().await.unwrap();
            let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *connection).await.unwrap();
            let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&mut *connection).await.unwrap();
            let foreign_keys: i64 =
                sqlx::query_scalar("PRAGMA foreign_keys").fetch_one(&mut *connection).await.unwrap();
            let vacuum: i64 = sqlx::query_scalar("PRAGMA auto_vacuum").fetch_one(&mut *connection).await.unwrap();
            assert_eq!((mode.as_str(), synchronous, foreign_keys, vacuum), ("wal", 2, 1, 2));
            held.push(connection);
        }
    }
    assert_eq!(held.len(), 5);
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_given_up_in_time() {
    // A listener that accepts and says nothing, like a firewall in the way.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://quorate:secret@{}/quorate", listener.local_addr().unwrap());
    let opening = super::super::Store::open(&url);
    let error = tokio::time::timeout(Duration::from_secs(30), opening).await.unwrap().unwrap_err().to_string();
    assert!(error.contains("no connection in time") && !error.contains("secret"), "{error}");
}
