//! What is kept and for how long: the oldest reports go first, and never one that a restart would still have to fold.

use std::time::Duration;

use quorate_core::time::Moment;
use sqlx::AssertSqlSafe;

use super::Store;
use super::convert::{bound, moment, ms, unsigned};
use super::error::{Failure, StoreError};
use super::reports::row_bytes;
use super::schema::Backend;
use crate::limits::{
    AUDIT_KEPT, DELIVERIES_KEPT, ENDED_MUTES_KEPT, EVENTS_KEPT, EXPIRED_CERTIFICATES_KEPT, EXPIRED_ENROLMENTS_KEPT,
    PRUNE_STEP_ROWS, REPLACED_DOCUMENTS_KEPT, SESSIONS_KEPT, SIGN_IN_IDLE_MAX, SIGN_IN_MAX, SILENT_OUTBOXES_KEPT,
    STATUS_HISTORY_KEPT, VACUUM_STEP_PAGES,
};

/// How much of the archive is kept: both bounds hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Reports received longer ago go.
    pub age: Duration,
    /// The oldest go until the rest is no larger.
    pub bytes: u64,
}

/// What went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// How many reports.
    pub reports: u64,
    /// What they counted.
    pub bytes: u64,
}

impl Store {
    /// Removes what is no longer kept, in short transactions. Reports from `keep_from_id` on stay, and so do those that are
    /// not in the checkpoint.
    pub async fn prune(&self, retention: Retention, now: Moment, keep_from_id: u64) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        loop {
            let step = self.call(self.prune_step(retention, now, keep_from_id)).await?;
            self.call(self.give_back()).await?;
            pruned.reports += step.reports;
            pruned.bytes += step.bytes;
            if step.reports < PRUNE_STEP_ROWS as u64 {
                break;
            }
        }
        self.call(self.prune_rest(retention.age, now)).await?;
        Ok(pruned)
    }

    /// What the archive counts, for people and metrics.
    pub async fn archive_bytes(&self) -> Result<u64, StoreError> {
        self.call(async {
            let value: i64 = sqlx::query_scalar("SELECT value FROM counters WHERE name = 'archive_bytes'")
                .fetch_one(&self.inner.readers)
                .await?;
            Ok(unsigned(value))
        })
        .await
    }

    async fn prune_step(&self, retention: Retention, now: Moment, keep_from_id: u64) -> Result<Pruned, Failure> {
        let oldest_kept = now.before(retention.age);
        let mut tx = self.begin().await?;
        let mut size = unsigned(super::add(&mut tx, "archive_bytes", 0).await?);
        let found: Vec<(i64, i64, i64)> = sqlx::query_as(
            "SELECT id, received_at_ms, CAST(LENGTH(payload) AS BIGINT) FROM reports WHERE id < $1 AND id <= \
             (SELECT COALESCE(MAX(through_report), 0) FROM checkpoints) ORDER BY id LIMIT $2",
        )
        .bind(bound(keep_from_id))
        .bind(PRUNE_STEP_ROWS)
        .fetch_all(&mut *tx)
        .await?;
        let mut pruned = Pruned::default();
        let mut last = 0;
        for (id, received_at, payload) in found {
            if moment(received_at) >= oldest_kept && size <= retention.bytes {
                break;
            }
            let bytes = row_bytes(unsigned(payload) as usize);
            size = size.saturating_sub(bytes);
            pruned = Pruned { reports: pruned.reports + 1, bytes: pruned.bytes + bytes };
            last = id;
        }
        if pruned.reports > 0 {
            sqlx::query("DELETE FROM reports WHERE id <= $1").bind(last).execute(&mut *tx).await?;
            sqlx::query("UPDATE counters SET value = $1 WHERE name = 'archive_bytes'")
                .bind(bound(size))
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(pruned)
    }

    /// Everything beside the reports, by bounds of its own.
    async fn prune_rest(&self, age: Duration, now: Moment) -> Result<(), Failure> {
        const KEEP_NEWEST: [(&str, i64); 4] = [
            ("DELETE FROM events WHERE id <= (SELECT value FROM counters WHERE name = 'event') - $1", EVENTS_KEPT),
            ("DELETE FROM audit WHERE id <= (SELECT value FROM counters WHERE name = 'audit') - $1", AUDIT_KEPT),
            (
                "DELETE FROM sessions WHERE id <= (SELECT value FROM counters WHERE name = 'session') - $1",
                SESSIONS_KEPT,
            ),
            (
                "DELETE FROM deliveries WHERE id <= (SELECT value FROM counters WHERE name = 'delivery') - $1",
                DELIVERIES_KEPT,
            ),
        ];
        const KEEP_UNTIL: [(&str, Duration); 6] = [
            (
                // The last status of a server is kept, however old: it lasts.
                "DELETE FROM status_spans WHERE since_ms < $1 AND since_ms < \
                 (SELECT MAX(later.since_ms) FROM status_spans later WHERE later.server = status_spans.server)",
                STATUS_HISTORY_KEPT,
            ),
            ("DELETE FROM certificates WHERE not_after_ms < $1", EXPIRED_CERTIFICATES_KEPT),
            ("DELETE FROM enrolments WHERE expires_at_ms < $1", EXPIRED_ENROLMENTS_KEPT),
            ("DELETE FROM sign_ins WHERE used_at_ms < $1", SIGN_IN_IDLE_MAX),
            ("DELETE FROM sign_ins WHERE opened_at_ms < $1", SIGN_IN_MAX),
            ("DELETE FROM mutes WHERE until_ms < $1", ENDED_MUTES_KEPT),
        ];
        // A document goes when a newer one was in force before the oldest archived report, and some time before now.
        const REPLACED: [&str; 2] = [
            "DELETE FROM plans WHERE version < (SELECT COALESCE(MAX(newer.version), 0) FROM plans newer \
             WHERE newer.at_ms <= $1 AND newer.at_ms + $2 <= (SELECT COALESCE(MIN(observed_at_ms), $1) FROM reports))",
            "DELETE FROM inventories WHERE version < (SELECT COALESCE(MAX(newer.version), 0) FROM inventories newer \
             WHERE newer.at_ms <= $1 AND newer.at_ms + $2 <= (SELECT COALESCE(MIN(observed_at_ms), $1) FROM reports)) \
             AND version < (SELECT COALESCE(MAX(inventory_version), 0) FROM checkpoints)",
        ];
        let mut tx = self.begin().await?;
        for (statement, kept) in KEEP_NEWEST {
            sqlx::query(statement).bind(kept).execute(&mut *tx).await?;
        }
        for (statement, span) in KEEP_UNTIL {
            sqlx::query(statement).bind(ms(now.before(span))).execute(&mut *tx).await?;
        }
        // One whose reports are not all there leads nowhere.
        sqlx::query(
            "DELETE FROM keyframes WHERE through_report + 1 < (SELECT COALESCE(MIN(id), 0) FROM reports) OR at_ms < $1",
        )
        .bind(ms(now.before(age)))
        .execute(&mut *tx)
        .await?;
        for statement in REPLACED {
            sqlx::query(statement)
                .bind(ms(now.before(REPLACED_DOCUMENTS_KEPT)))
                .bind(REPLACED_DOCUMENTS_KEPT.as_millis() as i64)
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query(
            "DELETE FROM outboxes WHERE last_at_ms < $1 AND NOT EXISTS (SELECT 1 FROM reports \
             WHERE reports.server = outboxes.server AND reports.outbox = outboxes.outbox)",
        )
        .bind(ms(now.before(SILENT_OUTBOXES_KEPT)))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives pages that were freed back to the file system: more at a time than a step frees, so that the file follows, and
    /// so few that nobody waits long. PostgreSQL sees to that itself.
    async fn give_back(&self) -> Result<(), Failure> {
        if self.inner.backend == Backend::Sqlite {
            let statement = format!("PRAGMA incremental_vacuum({VACUUM_STEP_PAGES})");
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&self.inner.writers).await?;
        }
        Ok(())
    }
}
