//! A database that an earlier program left is brought forward.

use super::super::copy::TABLES;
use super::super::schema::{Backend, VERSION};
use super::super::{NewSession, Store};
use super::{Place, at};

const FIRST: &str = include_str!("../migrations/0001_first.sql");

/// Makes of a new database what the first program made.
async fn go_back(store: &Store) {
    let (key, bytes) = match store.inner.backend {
        Backend::Sqlite => ("INTEGER PRIMARY KEY", "BLOB"),
        Backend::Postgres => ("BIGINT PRIMARY KEY", "BYTEA"),
    };
    let drops: String = TABLES.iter().map(|(table, _)| format!("DROP TABLE {table};")).collect();
    let first = FIRST.replace("@KEY", key).replace("@BYTES", bytes);
    let back = format!("{drops} {first} DELETE FROM quorate_schema WHERE version > 1;");
    sqlx::raw_sql(sqlx::AssertSqlSafe(back)).execute(&store.inner.writers).await.unwrap();
}

pub async fn a_database_of_the_first_version_is_brought_forward_with_what_is_in_it(place: Place) {
    let store = place.open().await;
    go_back(&store).await;
    let row = "INSERT INTO sessions (id, server, peer_addr, agent_version, opened_at_ms) \
               VALUES (1, 'nl-1', '192.0.2.1:5', '0.1.0', 10); \
               UPDATE counters SET value = 1 WHERE name = 'session';";
    sqlx::raw_sql(row).execute(&store.inner.writers).await.unwrap();
    store.close().await;

    let store = place.open().await;
    let version: i64 =
        sqlx::query_scalar("SELECT MAX(version) FROM quorate_schema").fetch_one(&store.inner.readers).await.unwrap();
    assert_eq!(version, VERSION.cast_signed());
    let session = NewSession {
        server: "nl-1".to_owned(),
        peer_addr: "198.51.100.7:6".to_owned(),
        edge: Some("fra".to_owned()),
        claimed_addr: Some("192.0.2.1:5".to_owned()),
        agent_version: "0.2.0".to_owned(),
        opened_at: at(20),
    };
    store.open_session(&session).await.unwrap();
    let sessions = store.sessions("nl-1", 9).await.unwrap();
    let shown: Vec<_> = sessions.iter().map(|session| (session.peer_addr.as_str(), session.edge.as_deref())).collect();
    assert_eq!(shown, [("198.51.100.7:6", Some("fra")), ("192.0.2.1:5", None)]);
}
