//! The inventory: one document, every change a new version, so that recorded reports replay against the fleet of their
//! time.

use quorate_core::time::Moment;

use super::convert::{bound, moment, ms, number, text, unsigned};
use super::error::{Failure, ReplaceError, StoreError};
use super::{Store, commit_at};
use crate::inventory::Inventory;

/// A version of the inventory; by default the empty one before the first, whose number is 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredInventory {
    /// Counts from 1.
    pub version: u64,
    /// Since when it was in force.
    pub at: Moment,
    /// Who made it.
    pub by: String,
    /// The document.
    pub inventory: Inventory,
}

type Row = (i64, i64, String, String);

impl Store {
    /// The newest version; none before the first.
    pub async fn inventory(&self) -> Result<Option<StoredInventory>, StoreError> {
        self.call(async {
            let row: Option<Row> = sqlx::query_as(
                "SELECT version, at_ms, changed_by, document FROM inventories ORDER BY version DESC LIMIT 1",
            )
            .fetch_optional(&self.inner.readers)
            .await?;
            row.map(stored).transpose()
        })
        .await
    }

    /// Stores a new version if the newest one is still `expected_version` (0 = none yet), and returns its number.
    pub async fn replace_inventory(
        &self,
        expected_version: u64,
        inventory: &Inventory,
        at: Moment,
        by: &str,
    ) -> Result<u64, ReplaceError> {
        let replaced = self
            .call(async {
                let expected = number("inventory version", expected_version)?;
                let document =
                    serde_json::to_string(inventory).map_err(|error| Failure::corrupt("the new inventory", error))?;
                let mut tx = self.begin().await?;
                let taken =
                    sqlx::query("UPDATE counters SET value = value + 1 WHERE name = 'inventory' AND value = $1")
                        .bind(expected)
                        .execute(&mut *tx)
                        .await?;
                if taken.rows_affected() == 0 {
                    let current: i64 = sqlx::query_scalar("SELECT value FROM counters WHERE name = 'inventory'")
                        .fetch_one(&mut *tx)
                        .await?;
                    return Ok(Err(unsigned(current)));
                }
                sqlx::query("INSERT INTO inventories (version, at_ms, changed_by, document) VALUES ($1, $2, $3, $4)")
                    .bind(expected + 1)
                    .bind(ms(at))
                    .bind(text(by))
                    .bind(document)
                    .execute(&mut *tx)
                    .await?;
                commit_at(tx, at).await?;
                Ok(Ok(unsigned(expected + 1)))
            })
            .await?;
        replaced.map_err(|current| ReplaceError::Conflict { current })
    }

    /// The versions in force at any time from `from` up to and including `to`, in order; the first is the one that was in
    /// force at `from`.
    pub async fn inventories_between(&self, from: Moment, to: Moment) -> Result<Vec<StoredInventory>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT version, at_ms, changed_by, document FROM inventories WHERE at_ms <= $2 AND version >= \
                 (SELECT COALESCE(MAX(version), 0) FROM inventories WHERE at_ms <= $1) ORDER BY version",
            )
            .bind(ms(from))
            .bind(ms(to))
            .fetch_all(&self.inner.readers)
            .await?;
            found.into_iter().map(stored).collect()
        })
        .await
    }

    /// The versions after `version` that came into force up to and including `to`, in order, each with its moment.
    pub async fn inventory_changes(&self, version: u64, to: Moment) -> Result<Vec<(u64, Moment)>, StoreError> {
        self.call(async {
            let found: Vec<(i64, i64)> = sqlx::query_as(
                "SELECT version, at_ms FROM inventories WHERE version > $1 AND at_ms <= $2 ORDER BY version",
            )
            .bind(bound(version))
            .bind(ms(to))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(|(version, at)| (unsigned(version), moment(at))).collect())
        })
        .await
    }

    /// The version in force at a moment; none if none was, or it is no longer kept.
    pub async fn inventory_at(&self, at: Moment) -> Result<Option<StoredInventory>, StoreError> {
        self.call(async {
            let row: Option<Row> = sqlx::query_as(
                "SELECT version, at_ms, changed_by, document FROM inventories WHERE at_ms <= $1 \
                 ORDER BY version DESC LIMIT 1",
            )
            .bind(ms(at))
            .fetch_optional(&self.inner.readers)
            .await?;
            row.map(stored).transpose()
        })
        .await
    }

    /// One version, if it is still kept.
    pub async fn inventory_version(&self, version: u64) -> Result<Option<StoredInventory>, StoreError> {
        self.call(async {
            let row: Option<Row> =
                sqlx::query_as("SELECT version, at_ms, changed_by, document FROM inventories WHERE version = $1")
                    .bind(bound(version))
                    .fetch_optional(&self.inner.readers)
                    .await?;
            row.map(stored).transpose()
        })
        .await
    }
}

fn stored((version, at, by, document): Row) -> Result<StoredInventory, Failure> {
    let inventory = serde_json::from_str(&document)
        .map_err(|error| Failure::corrupt(format!("inventory version {version}"), error))?;
    Ok(StoredInventory { version: unsigned(version), at: moment(at), by, inventory })
}
