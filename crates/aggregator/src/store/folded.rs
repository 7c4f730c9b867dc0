//! Folded state: with it a restart goes on where it was, and folds again only what came after.

use std::collections::BTreeMap;

use quorate_core::time::Moment;

use super::convert::{moment, ms, number, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, commit_at};

/// The ledger after a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Id of the last report in it.
    pub through: u64,
    /// When it was taken.
    pub at: Moment,
    /// The inventory that its indices belong to.
    pub inventory_version: u64,
    /// The ledger, as its owner writes it.
    pub ledger: Vec<u8>,
}

/// The verdicts that stand on one entry point (R14).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StandingRow {
    /// Scopes in which it is unreachable.
    pub unreachable: Vec<String>,
    /// Scopes in which it is blocked.
    pub blocked: Vec<String>,
    /// Since when.
    pub since: Moment,
}

impl Store {
    /// Replaces the checkpoint. One that is behind the stored one changes nothing: somebody else has come further.
    pub async fn save_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            sqlx::query(
                "INSERT INTO checkpoints (id, through_report, at_ms, inventory_version, ledger) \
                 VALUES (1, $1, $2, $3, $4) ON CONFLICT (id) DO UPDATE SET through_report = excluded.through_report, \
                 at_ms = excluded.at_ms, inventory_version = excluded.inventory_version, ledger = excluded.ledger \
                 WHERE checkpoints.through_report <= excluded.through_report",
            )
            .bind(number("report id", checkpoint.through)?)
            .bind(ms(checkpoint.at))
            .bind(number("inventory version", checkpoint.inventory_version)?)
            .bind(checkpoint.ledger.as_slice())
            .execute(&mut *tx)
            .await?;
            commit_at(tx, checkpoint.at).await?;
            Ok(())
        })
        .await
    }

    /// The checkpoint; none before the first.
    pub async fn checkpoint(&self) -> Result<Option<Checkpoint>, StoreError> {
        self.call(async {
            let row: Option<(i64, i64, i64, Vec<u8>)> =
                sqlx::query_as("SELECT through_report, at_ms, inventory_version, ledger FROM checkpoints WHERE id = 1")
                    .fetch_optional(&self.inner.readers)
                    .await?;
            Ok(row.map(|(through, at, inventory_version, ledger)| Checkpoint {
                through: unsigned(through),
                at: moment(at),
                inventory_version: unsigned(inventory_version),
                ledger,
            }))
        })
        .await
    }

    /// Stores what changed among the standing verdicts, in one transaction.
    pub async fn save_standing(
        &self,
        changed: &[(String, StandingRow)],
        removed: &[String],
        at: Moment,
    ) -> Result<(), StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            for (entry_point, row) in changed {
                sqlx::query(
                    "INSERT INTO standing (entry_point, unreachable, blocked, since_ms) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (entry_point) DO UPDATE SET unreachable = excluded.unreachable, \
                     blocked = excluded.blocked, since_ms = excluded.since_ms",
                )
                .bind(entry_point.as_str())
                .bind(row.unreachable.join(" "))
                .bind(row.blocked.join(" "))
                .bind(ms(row.since))
                .execute(&mut *tx)
                .await?;
            }
            for entry_point in removed {
                sqlx::query("DELETE FROM standing WHERE entry_point = $1")
                    .bind(entry_point.as_str())
                    .execute(&mut *tx)
                    .await?;
            }
            commit_at(tx, at).await?;
            Ok(())
        })
        .await
    }

    /// All standing verdicts by entry point.
    pub async fn standing(&self) -> Result<BTreeMap<String, StandingRow>, StoreError> {
        self.call(async {
            let found: Vec<(String, String, String, i64)> =
                sqlx::query_as("SELECT entry_point, unreachable, blocked, since_ms FROM standing")
                    .fetch_all(&self.inner.readers)
                    .await?;
            let standing = found.into_iter().map(|(entry_point, unreachable, blocked, since)| {
                let row =
                    StandingRow { unreachable: scopes(&unreachable), blocked: scopes(&blocked), since: moment(since) };
                (entry_point, row)
            });
            Ok::<_, Failure>(standing.collect())
        })
        .await
    }
}

/// A scope is a country or `fleet`: no blanks.
fn scopes(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}
