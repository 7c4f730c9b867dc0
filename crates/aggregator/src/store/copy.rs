//! From one database to another of either kind: how SQLite is left for PostgreSQL, or the other way.
//!
//! The source is read as of one moment, the target written in one transaction: it has all afterwards or nothing. Rows are
//! carried as they are; nobody looks into them.

use sqlx::any::{AnyArguments, AnyRow, AnyTypeInfoKind};
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Column, Row, Transaction};

use super::Store;
use super::error::{CopyError, Failure};
use super::schema::Backend;
use crate::limits::COPY_STEP_ROWS;

/// All tables but the schema's version. Those with a numbered key are carried in steps, the others are small.
pub(super) const TABLES: [(&str, Option<&str>); 21] = [
    ("counters", None),
    ("meta", None),
    ("inventories", Some("version")),
    ("plans", Some("version")),
    ("reports", Some("id")),
    ("outboxes", None),
    ("checkpoints", None),
    ("keyframes", Some("at_ms")),
    ("standing", None),
    ("events", Some("id")),
    ("status_spans", None),
    ("tokens", None),
    ("sign_ins", None),
    ("enrolments", None),
    ("certificates", None),
    ("sessions", Some("id")),
    ("audit", Some("id")),
    ("channels", None),
    ("told", None),
    ("deliveries", Some("id")),
    ("mutes", None),
];

impl Store {
    /// Copies everything into `target`, which must be new. Returns how many rows. No aggregator may run on either.
    pub async fn copy_to(&self, target: &Store) -> Result<u64, CopyError> {
        let mut source = self.call(self.snapshot()).await?;
        let mut into = target.call(async { Ok(target.begin().await?) }).await?;
        for (table, _) in TABLES {
            if target.call(is_used(&mut into, table)).await? {
                return Err(CopyError::Used { url: target.inner.url.clone() });
            }
        }
        let mut copied = 0;
        for (table, key) in TABLES {
            let mut last = i64::MIN;
            loop {
                let rows = self.call(page(&mut source, table, key, last)).await?;
                let Some(newest) = rows.last() else { break };
                if let Some(key) = key {
                    last = self.call(async { Ok(newest.try_get(key)?) }).await?;
                }
                for row in &rows {
                    target.call(insert(&mut into, table, row)).await?;
                }
                copied += rows.len() as u64;
                if key.is_none() {
                    break;
                }
            }
        }
        target.call(async { Ok(into.commit().await?) }).await?;
        Ok(copied)
    }

    async fn snapshot(&self) -> Result<Transaction<'static, Any>, Failure> {
        let readers = &self.inner.readers;
        Ok(match self.inner.backend {
            // The first read fixes what is seen.
            Backend::Sqlite => readers.begin().await?,
            Backend::Postgres => readers.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await?,
        })
    }
}

/// Counters are there from the beginning; they are used when one has counted.
async fn is_used(tx: &mut Transaction<'static, Any>, table: &str) -> Result<bool, Failure> {
    let condition = if table == "counters" { " WHERE value <> 0" } else { "" };
    let statement = format!("SELECT COUNT(*) FROM {table}{condition}");
    let rows: i64 = sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&mut **tx).await?;
    Ok(rows > 0)
}

/// The rows behind the key `last`, at most a step; all of them where there is no numbered key.
async fn page(
    tx: &mut Transaction<'static, Any>,
    table: &str,
    key: Option<&str>,
    last: i64,
) -> Result<Vec<AnyRow>, Failure> {
    let rows = match key {
        Some(key) => {
            let statement = format!("SELECT * FROM {table} WHERE {key} > $1 ORDER BY {key} LIMIT $2");
            sqlx::query(AssertSqlSafe(statement)).bind(last).bind(COPY_STEP_ROWS).fetch_all(&mut **tx).await?
        }
        None => sqlx::query(AssertSqlSafe(format!("SELECT * FROM {table}"))).fetch_all(&mut **tx).await?,
    };
    Ok(rows)
}

async fn insert(tx: &mut Transaction<'static, Any>, table: &str, row: &AnyRow) -> Result<(), Failure> {
    let columns: Vec<&str> = row.columns().iter().map(Column::name).collect();
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
    let conflict = if table == "counters" { " ON CONFLICT (name) DO UPDATE SET value = excluded.value" } else { "" };
    let statement = format!("INSERT INTO {table} ({}) VALUES ({}){conflict}", columns.join(", "), places.join(", "));
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for ix in 0..columns.len() {
        query = bound_as_it_is(query, row, ix)?;
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

fn bound_as_it_is<'q>(
    query: Query<'q, Any, AnyArguments>,
    row: &AnyRow,
    ix: usize,
) -> Result<Query<'q, Any, AnyArguments>, Failure> {
    let column = row.column(ix);
    Ok(match column.type_info().kind() {
        AnyTypeInfoKind::BigInt => query.bind(row.try_get::<Option<i64>, _>(ix)?),
        AnyTypeInfoKind::Text => query.bind(row.try_get::<Option<String>, _>(ix)?),
        AnyTypeInfoKind::Blob => query.bind(row.try_get::<Option<Vec<u8>>, _>(ix)?),
        other => return Err(Failure::corrupt(format!("column '{}'", column.name()), format!("its type is {other:?}"))),
    })
}
