//! Who changed what, when and from where, and how it was before and after.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::Api;
use super::access::{Admin, Caller};
use super::extract::Params;
use super::page::{PageQuery, Rows};
use super::problem::Problem;
use crate::store::{AuditRow, NewAudit};

/// A change by a person or program.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AuditView {
    /// Grows with each change.
    pub id: u64,
    /// When, Unix milliseconds.
    pub at_ms: u64,
    /// Who: a token's name, `file`, `start`.
    pub by: String,
    /// What was done, like `token.create`.
    pub action: String,
    /// To what.
    pub subject: String,
    /// From where, and more for people.
    pub detail: String,
    /// What was there; absent where there was nothing. Secrets are never in it; of what is very long only the length, as
    /// `left_out_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there since; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl From<AuditRow> for AuditView {
    fn from(row: AuditRow) -> Self {
        let AuditRow { id, at, by, action, subject, detail, before, after } = row;
        Self { id, at_ms: at.as_ms(), by, action, subject, detail, before, after }
    }
}

/// The changes, newest first; a page goes on with those that are older.
#[utoipa::path(get, path = "/audit", tag = "access", params(PageQuery), responses((status = 200, body = Rows<AuditView>)))]
pub async fn list_audit(
    State(api): State<Api>,
    _: Admin,
    Params(page): Params<PageQuery>,
) -> Result<Json<Rows<AuditView>>, Problem> {
    let limit = page.rows()?;
    let older_than = page.after.as_deref().map(|after| {
        let id = after.parse::<u64>();
        id.map_err(|_| Problem::bad_request(format!("after is '{after}': send the `next` of the page before")))
    });
    let mut rows = api.store.audit(older_than.transpose()?, limit + 1).await?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|last| last.id.to_string());
    Ok(Json(Rows { items: rows.into_iter().map(AuditView::from).collect(), next }))
}

/// What was done.
#[derive(Debug, Default)]
pub struct Act<'a> {
    /// In a word, like `server.set`.
    pub act: &'static str,
    /// To what.
    pub subject: &'a str,
    /// More, for people; may be empty.
    pub detail: String,
    /// How it was, without secrets.
    pub before: Option<Value>,
    /// How it is, without secrets.
    pub after: Option<Value>,
}

/// Something as JSON for the audit. What cannot be written as JSON is left out: the change stands all the same.
pub fn shown(thing: &impl Serialize) -> Option<Value> {
    serde_json::to_value(thing).ok()
}

/// Records a change that was made. It stands whatever becomes of its record, so a failure is logged, with all that the row
/// would have said, and not answered. Runs to its end also when the asker hangs up.
pub async fn record(api: &Api, caller: &Caller, done: Act<'_>) {
    let Act { act, subject, detail, before, after } = done;
    tracing::info!(by = caller.name, from = caller.from, act, subject, detail, "changed through the API");
    let from = format!("from {}", caller.from);
    let row = NewAudit {
        at: api.clock.now(),
        by: caller.name.clone(),
        action: act.to_owned(),
        subject: subject.to_owned(),
        detail: if detail.is_empty() { from } else { format!("{from}; {detail}") },
        before,
        after,
    };
    let store = api.store.clone();
    let recorded = tokio::spawn(async move {
        if let Err(error) = store.append_audit(&row).await {
            tracing::error!(%error, ?row, "a change is not in the audit");
        }
    });
    // It only fails by a panic, which is on standard error already.
    let _ = recorded.await;
}
