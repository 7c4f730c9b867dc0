//! The schema's version and the way forwards to it. There is no way back: a backup is.

use std::sync::Arc;

use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Executor, Transaction};

use super::convert::{bound, unsigned};
use super::error::{OpenError, one_line};

/// In order; version n is the n-th. One that has left the house is never edited.
const MIGRATIONS: [&str; 5] = [
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_edges.sql"),
    include_str!("migrations/0003_access.sql"),
    include_str!("migrations/0004_messages.sql"),
    include_str!("migrations/0005_keyframes.sql"),
];

/// The newest version.
pub(super) const VERSION: u64 = MIGRATIONS.len() as u64;

/// Any number does that nobody else uses in the same database.
const MIGRATION_LOCK: &str = "SELECT pg_advisory_xact_lock(7867256)";

/// Which kind of database it is, where that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backend {
    Sqlite,
    Postgres,
}

/// What a database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// No tables.
    Nothing,
    /// Tables of somebody else.
    Foreign,
    /// This schema, in that version.
    Version(u64),
}

/// Looks, and changes nothing.
pub(super) async fn version(connection: &mut AnyConnection, backend: Backend) -> Result<Found, sqlx::Error> {
    let (ours, all) = match backend {
        Backend::Sqlite => (
            "SELECT COUNT(*) FROM sqlite_master WHERE name = 'quorate_schema'",
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'",
        ),
        Backend::Postgres => (
            "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'quorate_schema'",
            "SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema()",
        ),
    };
    let ours: i64 = sqlx::query_scalar(ours).fetch_one(&mut *connection).await?;
    if ours > 0 {
        let version: i64 = sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM quorate_schema")
            .fetch_one(&mut *connection)
            .await?;
        return Ok(Found::Version(unsigned(version)));
    }
    let tables: i64 = sqlx::query_scalar(all).fetch_one(&mut *connection).await?;
    Ok(if tables == 0 { Found::Nothing } else { Found::Foreign })
}

/// Refuses what this program must not touch.
pub(super) fn refuse(url: &Arc<str>, found: Found) -> Result<(), OpenError> {
    match found {
        Found::Foreign => Err(OpenError::Foreign { url: url.clone() }),
        Found::Version(found) if found > VERSION => Err(OpenError::Newer { url: url.clone(), found, known: VERSION }),
        Found::Nothing | Found::Version(_) => Ok(()),
    }
}

/// Brings the schema up to date, all versions in one transaction. Two programs that start at once take turns.
pub(super) async fn migrate(url: &Arc<str>, pool: &AnyPool, backend: Backend) -> Result<(), OpenError> {
    let connect = |error: sqlx::Error| OpenError::Connect { url: url.clone(), problem: one_line(&error) };
    let mut tx = match backend {
        Backend::Sqlite => pool.begin_with("BEGIN IMMEDIATE").await.map_err(connect)?,
        Backend::Postgres => {
            let mut tx = pool.begin().await.map_err(connect)?;
            tx.execute(MIGRATION_LOCK).await.map_err(connect)?;
            tx
        }
    };
    let found = version(&mut tx, backend).await.map_err(connect)?;
    refuse(url, found)?;
    let at = match found {
        Found::Nothing | Found::Foreign => 0,
        Found::Version(version) => version,
    };
    for (version, script) in (1_u64..).zip(MIGRATIONS).skip(at as usize) {
        apply(&mut tx, version, script, backend).await.map_err(|error| OpenError::Migration {
            url: url.clone(),
            version,
            problem: one_line(&error),
        })?;
    }
    tx.commit().await.map_err(connect)
}

async fn apply(
    tx: &mut Transaction<'static, Any>,
    version: u64,
    script: &str,
    backend: Backend,
) -> Result<(), sqlx::Error> {
    if version == 1 {
        tx.execute("CREATE TABLE quorate_schema (version BIGINT PRIMARY KEY)").await?;
    }
    let (key, bytes) = match backend {
        Backend::Sqlite => ("INTEGER PRIMARY KEY", "BLOB"),
        Backend::Postgres => ("BIGINT PRIMARY KEY", "BYTEA"),
    };
    let script = script.replace("@KEY", key).replace("@BYTES", bytes);
    sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut **tx).await?;
    sqlx::query("INSERT INTO quorate_schema (version) VALUES ($1)").bind(bound(version)).execute(&mut **tx).await?;
    Ok(())
}
