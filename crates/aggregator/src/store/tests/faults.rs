//! The database goes and comes back; the process stays.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::{ClaimError, Store, StoreError, Stored};
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

/// A server that takes nobody in at first, as after a crash, and then knows nobody of that name.
async fn starting_server(refusals: usize) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://quorate:secret@{}/quorate?sslmode=disable", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for visit in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut hello = [0; 512];
            let _ = stream.read(&mut hello).await.unwrap();
            let (code, told) = if visit < refusals {
                ("57P03", "the database system is starting up")
            } else {
                ("28000", "role \"quorate\" does not exist")
            };
            let fields = format!("SFATAL\0VFATAL\0C{code}\0M{told}\0\0");
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            stream.write_all(&[b"E", &length[..], fields.as_bytes()].concat()).await.unwrap();
        }
    });
    url
}

#[tokio::test]
async fn a_database_that_is_starting_up_is_waited_for() {
    let url = starting_server(3).await;
    let error = super::super::Store::open(&url).await.unwrap_err().to_string();
    assert!(error.ends_with("role \"quorate\" does not exist"), "{error}");
}

#[tokio::test]
async fn a_second_aggregator_on_one_sqlite_file_is_refused_by_whatever_name_it_goes() {
    let place = Place::sqlite();
    let first = place.open().await;
    let claim = first.claim().await.unwrap();
    let file = place.url.strip_prefix("sqlite:").unwrap();
    let link = format!("{file}.link");
    std::os::unix::fs::symlink(file, &link).unwrap();
    for url in [place.url.clone(), format!("sqlite://{file}"), format!("sqlite:{link}")] {
        let second = Store::open(&url).await.unwrap();
        let told = second.claim().await.unwrap_err().to_string();
        assert!(
            told.ends_with("another aggregator works on it; stop that one, or give this one a database of its own")
        );
    }
    drop(claim);
    place.open().await.claim().await.expect("the first one has ended");
}

#[test]
fn a_second_aggregator_on_one_postgresql_is_refused_also_after_the_database_was_away() {
    let name = "a_second_aggregator_on_one_postgresql_is_refused_also_after_the_database_was_away";
    let Some(mut server) = postgres::start_or_skip(name) else { return };
    let place = Place { url: server.new_database(), _directory: None };
    let runtime = postgres::runtime();
    let (first, second) = runtime.block_on(async { (place.open().await, place.open().await) });
    let mut claim = runtime.block_on(first.claim()).unwrap();
    let refused = || runtime.block_on(second.claim()).unwrap_err();
    let told = refused().to_string();
    assert!(told.ends_with("another aggregator works on it; stop that one, or give this one a database of its own"));
    assert!(!told.contains("secret") && matches!(refused(), ClaimError::Taken { .. }), "{told}");

    // Its own earlier session is nobody else.
    assert!(runtime.block_on(claim.again()).unwrap());
    assert!(matches!(refused(), ClaimError::Taken { .. }));

    let held = runtime.spawn(claim.hold());
    server.kill();
    server.start();
    let again = async {
        let claims = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'";
        while sqlx::query_scalar::<_, i64>(claims).fetch_one(&second.inner.readers).await.unwrap_or_default() == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    runtime
        .block_on(async { tokio::time::timeout(Duration::from_secs(60), again).await.expect("it is claimed again") });
    assert!(matches!(refused(), ClaimError::Taken { .. }) && !held.is_finished());

    // And one that somebody else was quicker to take is given up.
    server.kill();
    server.start();
    let _quicker = runtime.block_on(second.claim()).unwrap();
    let lost =
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), held).await.expect("it is told") });
    assert!(matches!(lost.unwrap(), ClaimError::Taken { .. }));
}
