//! Who changed what.

use quorate_core::time::Moment;
use serde_json::{Value, json};

use super::convert::{bound, moment, ms, rows, text, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, add, commit_at};
use crate::limits::AUDIT_JSON_BYTES_MAX;

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
    /// What was there; none where there was nothing. Secrets are for the caller to leave out.
    pub before: Option<Value>,
    /// What is there; none where nothing is.
    pub after: Option<Value>,
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
    /// What was there.
    pub before: Option<Value>,
    /// What is there.
    pub after: Option<Value>,
}

type Row = (i64, i64, String, String, String, String, Option<String>, Option<String>);

impl Store {
    /// Records a change and gives it its id.
    pub async fn append_audit(&self, row: &NewAudit) -> Result<u64, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            let id = add(&mut tx, "audit", 1).await?;
            sqlx::query(
                "INSERT INTO audit (id, at_ms, changed_by, action, subject, detail, before_json, after_json) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(id)
            .bind(ms(row.at))
            .bind(text(&row.by))
            .bind(text(&row.action))
            .bind(text(&row.subject))
            .bind(text(&row.detail))
            .bind(row.before.as_ref().map(bounded))
            .bind(row.after.as_ref().map(bounded))
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
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, at_ms, changed_by, action, subject, detail, before_json, after_json FROM audit \
                 WHERE id < $1 ORDER BY id DESC LIMIT $2",
            )
            .bind(bound(older_than.unwrap_or(u64::MAX)))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            found.into_iter().map(change).collect()
        })
        .await
    }
}

fn change((id, at, by, action, subject, detail, before, after): Row) -> Result<AuditRow, Failure> {
    let value = |text: Option<String>| {
        let parsed = text.map(|text| serde_json::from_str(&text)).transpose();
        parsed.map_err(|error| Failure::corrupt(format!("audit row {id}"), error))
    };
    Ok(AuditRow {
        id: unsigned(id),
        at: moment(at),
        by,
        action,
        subject,
        detail,
        before: value(before)?,
        after: value(after)?,
    })
}

/// JSON that fits into a row: of what is longer only the length. Half a document would be none.
fn bounded(value: &Value) -> String {
    let written = value.to_string();
    if written.len() <= AUDIT_JSON_BYTES_MAX {
        return written;
    }
    json!({"left_out_bytes": written.len()}).to_string()
}
