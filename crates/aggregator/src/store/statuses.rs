//! The status history of each server: spans, each ending where the next begins.

use std::collections::BTreeMap;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::convert::{moment, ms, rows};
use super::error::{Failure, StoreError};
use super::{Store, commit_at};

/// A server's status changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusChange {
    /// Whose.
    pub server: String,
    /// To what.
    pub status: Status,
    /// When.
    pub since: Moment,
}

/// For how long a server had a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusSpan {
    /// Which.
    pub status: Status,
    /// When it began.
    pub since: Moment,
    /// When the next one began; none while it lasts.
    pub until: Option<Moment>,
}

impl Store {
    /// Records changes, in one transaction. Two changes of a server in one millisecond leave the later.
    pub async fn record_status(&self, changes: &[StatusChange]) -> Result<(), StoreError> {
        let Some(latest) = changes.iter().map(|change| change.since).max() else { return Ok(()) };
        self.call(async {
            let mut tx = self.begin().await?;
            for change in changes {
                sqlx::query(
                    "INSERT INTO status_spans (server, since_ms, status) VALUES ($1, $2, $3) \
                     ON CONFLICT (server, since_ms) DO UPDATE SET status = excluded.status",
                )
                .bind(change.server.as_str())
                .bind(ms(change.since))
                .bind(change.status.as_str())
                .execute(&mut *tx)
                .await?;
            }
            commit_at(tx, latest).await?;
            Ok(())
        })
        .await
    }

    /// The last recorded status of each server, and since when.
    pub async fn status_since(&self) -> Result<BTreeMap<String, (Status, Moment)>, StoreError> {
        self.statuses_at(Moment::MAX).await
    }

    /// The status of each server at a moment as it was recorded, and since when.
    pub async fn statuses_at(&self, at: Moment) -> Result<BTreeMap<String, (Status, Moment)>, StoreError> {
        self.call(async {
            let found: Vec<(String, String, i64)> = sqlx::query_as(
                "SELECT span.server, span.status, span.since_ms FROM status_spans span JOIN \
                 (SELECT server, MAX(since_ms) AS since_ms FROM status_spans WHERE since_ms <= $1 GROUP BY server) newest \
                 ON span.server = newest.server AND span.since_ms = newest.since_ms",
            )
            .bind(ms(at))
            .fetch_all(&self.inner.readers)
            .await?;
            found
                .into_iter()
                .map(|(server, word, since)| Ok((server, (status(&word)?, moment(since)))))
                .collect::<Result<_, Failure>>()
        })
        .await
    }

    /// The spans of a server that overlap `from..=to`, in order; of more than `limit` the newest.
    pub async fn status_history(
        &self,
        server: &str,
        from: Moment,
        to: Moment,
        limit: usize,
    ) -> Result<Vec<StatusSpan>, StoreError> {
        self.call(async {
            let next: Option<i64> =
                sqlx::query_scalar("SELECT MIN(since_ms) FROM status_spans WHERE server = $1 AND since_ms > $2")
                    .bind(server)
                    .bind(ms(to))
                    .fetch_one(&self.inner.readers)
                    .await?;
            let found: Vec<(String, i64)> = sqlx::query_as(
                "SELECT status, since_ms FROM status_spans WHERE server = $1 AND since_ms <= $3 AND since_ms >= \
                 (SELECT COALESCE(MAX(since_ms), 0) FROM status_spans WHERE server = $1 AND since_ms <= $2) \
                 ORDER BY since_ms DESC LIMIT $4",
            )
            .bind(server)
            .bind(ms(from))
            .bind(ms(to))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            let mut until = next.map(moment);
            let mut spans = Vec::with_capacity(found.len());
            for (word, since) in found {
                let since = moment(since);
                spans.push(StatusSpan { status: status(&word)?, since, until: until.replace(since) });
            }
            spans.reverse();
            Ok(spans)
        })
        .await
    }
}

fn status(word: &str) -> Result<Status, Failure> {
    let found = Status::ALL.into_iter().find(|status| status.as_str() == word);
    found.ok_or_else(|| Failure::corrupt("a status", format!("'{word}' is none")))
}
