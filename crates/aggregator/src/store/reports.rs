//! The report archive: stored before it is acknowledged, each report once, numbered in the order of commits.
//!
//! An outbox sends in order, so what is not above the highest sequence stored of it is a repeat, also when the report
//! itself was pruned long ago. An agent that begins a new outbox with each report fills the archive, which has its bound,
//! and nothing else.

use quorate_core::time::Moment;
use sqlx::{Any, Transaction};

use super::convert::{bound, moment, ms, number, rows, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, add, commit_at, raise};
use crate::limits::{OUTBOX_ID_BYTES_MAX, OUTBOXES_PER_SERVER_MAX, REPORT_BYTES_MAX, REPORT_ROW_BYTES};

/// A report to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewReport<'a> {
    /// Who sent it, by its certificate.
    pub server: &'a str,
    /// The outbox it came from.
    pub outbox: &'a [u8],
    /// Its number within the outbox.
    pub sequence: u64,
    /// When its last byte came.
    pub received_at: Moment,
    /// When the round ended.
    pub observed_at: Moment,
    /// The message as it came over the wire.
    pub payload: &'a [u8],
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Stored under this id, the place in the order in which everybody folds. Ids have no gaps: one that is more than the
    /// next says that another report was stored meanwhile, by a call whose answer was lost or by another aggregator.
    New(u64),
    /// It was stored before: acknowledge it, fold nothing.
    Repeated,
}

/// A report as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedReport {
    /// Its place in the order in which everybody folds.
    pub id: u64,
    /// Who sent it.
    pub server: String,
    /// The outbox it came from.
    pub outbox: Vec<u8>,
    /// Its number within the outbox.
    pub sequence: u64,
    /// When its last byte came.
    pub received_at: Moment,
    /// When the round ended.
    pub observed_at: Moment,
    /// The message as it came over the wire.
    pub payload: Vec<u8>,
}

type Row = (i64, String, Vec<u8>, i64, i64, i64, Vec<u8>);

impl Store {
    /// Stores one report durably.
    pub async fn store_report(&self, report: NewReport<'_>) -> Result<Stored, StoreError> {
        let answers = self.store_reports(&[report]).await?;
        Ok(answers.into_iter().next().expect("one report has one answer"))
    }

    /// Stores many reports in one transaction: one wait for the disk. All or none; answers in the order of the reports.
    pub async fn store_reports(&self, reports: &[NewReport<'_>]) -> Result<Vec<Stored>, StoreError> {
        self.write(async {
            for report in reports {
                at_most("outbox id", report.outbox.len(), OUTBOX_ID_BYTES_MAX)?;
                at_most("report", report.payload.len(), REPORT_BYTES_MAX)?;
                number("sequence", report.sequence)?;
            }
            let Some(received_at) = reports.iter().map(|report| report.received_at).max() else {
                return Ok(Vec::new());
            };
            let mut tx = self.begin().await?;
            // Taken first: whoever holds this row is the only one who stores.
            let mut id = add(&mut tx, "report", 0).await?;
            let mut answers = Vec::with_capacity(reports.len());
            let mut bytes = 0;
            for report in reports {
                if is_new(&mut tx, report).await? {
                    id += 1;
                    insert(&mut tx, id, report).await?;
                    bytes += row_bytes(report.payload.len());
                    answers.push(Stored::New(unsigned(id)));
                } else {
                    answers.push(Stored::Repeated);
                }
            }
            if bytes > 0 {
                raise(&mut tx, "report", id).await?;
                add(&mut tx, "archive_bytes", bound(bytes)).await?;
                commit_at(tx, received_at).await?;
            } else {
                tx.commit().await?;
            }
            Ok(answers)
        })
        .await
    }

    /// The highest sequence stored of an outbox; zero if nothing is.
    pub async fn stored_sequence(&self, server: &str, outbox: &[u8]) -> Result<u64, StoreError> {
        self.call(async {
            let highest: Option<i64> =
                sqlx::query_scalar("SELECT highest FROM outboxes WHERE server = $1 AND outbox = $2")
                    .bind(server)
                    .bind(outbox)
                    .fetch_optional(&self.inner.readers)
                    .await?;
            Ok(highest.map_or(0, unsigned))
        })
        .await
    }

    /// When the oldest report of the archive was received; none while it has none.
    pub async fn first_report_at(&self) -> Result<Option<Moment>, StoreError> {
        self.call(async {
            let first: Option<i64> =
                sqlx::query_scalar("SELECT MIN(received_at_ms) FROM reports").fetch_one(&self.inner.readers).await?;
            Ok(first.map(moment))
        })
        .await
    }

    /// When the newest report of the archive was received; none while it has none.
    pub async fn last_report_at(&self) -> Result<Option<Moment>, StoreError> {
        self.call(async {
            let last: Option<i64> =
                sqlx::query_scalar("SELECT MAX(received_at_ms) FROM reports").fetch_one(&self.inner.readers).await?;
            Ok(last.map(moment))
        })
        .await
    }

    /// The highest id among the reports received at or before `at`; zero if none is archived.
    pub async fn last_report_id(&self, at: Moment) -> Result<u64, StoreError> {
        self.call(async {
            let last: Option<i64> = sqlx::query_scalar(
                "SELECT id FROM reports WHERE received_at_ms <= $1 ORDER BY received_at_ms DESC, id DESC LIMIT 1",
            )
            .bind(ms(at))
            .fetch_optional(&self.inner.readers)
            .await?;
            Ok(last.map_or(0, unsigned))
        })
        .await
    }

    /// The highest id below all reports received at or after `at`.
    pub async fn report_id_before(&self, at: Moment) -> Result<u64, StoreError> {
        self.call(async {
            let first: Option<i64> = sqlx::query_scalar(
                "SELECT id FROM reports WHERE received_at_ms >= $1 ORDER BY received_at_ms, id LIMIT 1",
            )
            .bind(ms(at))
            .fetch_optional(&self.inner.readers)
            .await?;
            if let Some(first) = first {
                return Ok(unsigned(first).saturating_sub(1));
            }
            let last: i64 = sqlx::query_scalar("SELECT value FROM counters WHERE name = 'report'")
                .fetch_one(&self.inner.readers)
                .await?;
            Ok(unsigned(last))
        })
        .await
    }

    /// At most `limit` reports behind `after` up to and including `through`, in order.
    pub async fn reports_within(
        &self,
        after: u64,
        through: u64,
        limit: usize,
    ) -> Result<Vec<ArchivedReport>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, server, outbox, sequence, received_at_ms, observed_at_ms, payload FROM reports \
                 WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3",
            )
            .bind(bound(after))
            .bind(bound(through))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(archived).collect())
        })
        .await
    }

    /// At most `limit` reports of one server received from `from` up to and including `to`, with ids below `before`, newest
    /// first.
    pub async fn reports_of(
        &self,
        server: &str,
        from: Moment,
        to: Moment,
        before: u64,
        limit: usize,
    ) -> Result<Vec<ArchivedReport>, StoreError> {
        self.call(async {
            // The `+` keeps SQLite to the index by server: those of one server are few among all of that time.
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, server, outbox, sequence, received_at_ms, observed_at_ms, payload FROM reports \
                 WHERE server = $1 AND +received_at_ms >= $2 AND +received_at_ms <= $3 AND +id < $4 \
                 ORDER BY +id DESC LIMIT $5",
            )
            .bind(server)
            .bind(ms(from))
            .bind(ms(to))
            .bind(bound(before))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(archived).collect())
        })
        .await
    }

    /// At most `limit` reports behind `id`, in order.
    pub async fn reports_after(&self, id: u64, limit: usize) -> Result<Vec<ArchivedReport>, StoreError> {
        self.reports_between(Moment::ZERO, Moment::MAX, id, limit).await
    }

    /// At most `limit` reports behind `after_id` that were received from `from` up to and including `to`, in order.
    pub async fn reports_between(
        &self,
        from: Moment,
        to: Moment,
        after_id: u64,
        limit: usize,
    ) -> Result<Vec<ArchivedReport>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, server, outbox, sequence, received_at_ms, observed_at_ms, payload FROM reports \
                 WHERE id > $1 AND received_at_ms >= $2 AND received_at_ms <= $3 ORDER BY id LIMIT $4",
            )
            .bind(bound(after_id))
            .bind(ms(from))
            .bind(ms(to))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(archived).collect())
        })
        .await
    }
}

/// What a report counts in the archive, for retention by size.
pub(super) fn row_bytes(payload: usize) -> u64 {
    payload as u64 + REPORT_ROW_BYTES
}

fn at_most(what: &'static str, size: usize, limit: usize) -> Result<(), Failure> {
    if size > limit { Err(Failure::TooLarge { what, size: size as u64, limit: limit as u64 }) } else { Ok(()) }
}

fn archived((id, server, outbox, sequence, received_at, observed_at, payload): Row) -> ArchivedReport {
    ArchivedReport {
        id: unsigned(id),
        server,
        outbox,
        sequence: unsigned(sequence),
        received_at: moment(received_at),
        observed_at: moment(observed_at),
        payload,
    }
}

/// Raises the highest sequence of the outbox; a repeat raises nothing.
async fn is_new(tx: &mut Transaction<'static, Any>, report: &NewReport<'_>) -> Result<bool, Failure> {
    let sequence = number("sequence", report.sequence)?;
    let raised = sqlx::query(
        "UPDATE outboxes SET highest = $1, last_at_ms = $2 WHERE server = $3 AND outbox = $4 AND highest < $1",
    )
    .bind(sequence)
    .bind(ms(report.received_at))
    .bind(report.server)
    .bind(report.outbox)
    .execute(&mut **tx)
    .await?;
    if raised.rows_affected() > 0 {
        return Ok(true);
    }
    let begun = sqlx::query(
        "INSERT INTO outboxes (server, outbox, highest, last_at_ms) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (server, outbox) DO NOTHING",
    )
    .bind(report.server)
    .bind(report.outbox)
    .bind(sequence)
    .bind(ms(report.received_at))
    .execute(&mut **tx)
    .await?;
    if begun.rows_affected() == 0 {
        return Ok(false);
    }
    // Those that were silent longest are forgotten, if no report of theirs is archived; never the one just begun.
    sqlx::query(
        "DELETE FROM outboxes WHERE server = $1 AND outbox <> $2 AND outbox NOT IN \
         (SELECT outbox FROM outboxes WHERE server = $1 ORDER BY last_at_ms DESC, outbox LIMIT $3) AND NOT EXISTS \
         (SELECT 1 FROM reports WHERE reports.server = outboxes.server AND reports.outbox = outboxes.outbox)",
    )
    .bind(report.server)
    .bind(report.outbox)
    .bind(OUTBOXES_PER_SERVER_MAX)
    .execute(&mut **tx)
    .await?;
    Ok(true)
}

async fn insert(tx: &mut Transaction<'static, Any>, id: i64, report: &NewReport<'_>) -> Result<(), Failure> {
    sqlx::query(
        "INSERT INTO reports (id, server, outbox, sequence, received_at_ms, observed_at_ms, payload) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(id)
    .bind(report.server)
    .bind(report.outbox)
    .bind(number("sequence", report.sequence)?)
    .bind(ms(report.received_at))
    .bind(ms(report.observed_at))
    .bind(report.payload)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
