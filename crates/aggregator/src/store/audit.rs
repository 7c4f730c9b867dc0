//! Who changed what.

use quorate_core::time::Moment;

use super::convert::{bound, moment, ms, rows, text, unsigned};
use super::error::StoreError;
use super::{Store, add, commit_at};

/// A change by a person or program.
#[derive(Debug, Clone)]
pub struct NewAudit {
    /// When.
    pub at: Moment,
    /// Who: a token's name, `file`, `cli`.
    pub by: String,
    /// What was done, like `token.create`.
    pub action: String,
    /// To what.
    pub subject: String,
    /// More, for people.
    pub detail: String,
}

/// A change as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Grows with each change.
    pub id: u64,
    /// When.
    pub at: Moment,
    /// Who.
    pub by: String,
    /// What was done.
    pub action: String,
    /// To what.
    pub subject: String,
    /// More, for people.
    pub detail: String,
}

impl Store {
    /// Records a change and gives it its id.
    pub async fn append_audit(&self, row: &NewAudit) -> Result<u64, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            let id = add(&mut tx, "audit", 1).await?;
            sqlx::query(
                "INSERT INTO audit (id, at_ms, changed_by, action, subject, detail) VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(id)
            .bind(ms(row.at))
            .bind(text(&row.by))
            .bind(text(&row.action))
            .bind(text(&row.subject))
            .bind(text(&row.detail))
            .execute(&mut *tx)
            .await?;
            commit_at(tx, row.at).await?;
            Ok(unsigned(id))
        })
        .await
    }

    /// The last changes, newest first; those before `older_than` if that is given.
    pub async fn audit(&self, older_than: Option<u64>, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.call(async {
            let found: Vec<(i64, i64, String, String, String, String)> = sqlx::query_as(
                "SELECT id, at_ms, changed_by, action, subject, detail FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2",
            )
            .bind(bound(older_than.unwrap_or(u64::MAX)))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            let row = |(id, at, by, action, subject, detail)| AuditRow {
                id: unsigned(id),
                at: moment(at),
                by,
                action,
                subject,
                detail,
            };
            Ok(found.into_iter().map(row).collect())
        })
        .await
    }
}
