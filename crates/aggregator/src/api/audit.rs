//! Who changed what, when and from where.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
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
    /// From where, and digests of before and after.
    pub detail: String,
}

impl From<AuditRow> for AuditView {
    fn from(row: AuditRow) -> Self {
        let AuditRow { id, at, by, action, subject, detail } = row;
        Self { id, at_ms: at.as_ms(), by, action, subject, detail }
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

/// Records a change that was made. It stands whatever becomes of its record, so a failure is logged, with all that the row
/// would have said, and not answered. Runs to its end also when the asker hangs up.
pub async fn record(api: &Api, caller: &Caller, act: &str, subject: &str, detail: &str) {
    tracing::info!(by = caller.name, from = caller.from, act, subject, detail, "changed through the API");
    let row = NewAudit {
        at: api.clock.now(),
        by: caller.name.clone(),
        action: act.to_owned(),
        subject: subject.to_owned(),
        detail: format!("from {}; {detail}", caller.from),
    };
    let store = api.store.clone();
    let recorded = tokio::spawn(async move {
        if let Err(error) = store.append_audit(&row).await {
            tracing::error!(%error, act = row.action, subject = row.subject, "a change is not in the audit");
        }
    });
    // It only fails by a panic, which is on standard error already.
    let _ = recorded.await;
}
