//! Rules: which alarms go to which channels, and when.

use axum::Json;
use axum::extract::State;

use super::changed;
use crate::api::Api;
use crate::api::access::{Admin, Reader};
use crate::api::extract::Body;
use crate::api::problem::Problem;
use crate::notify::book;
use crate::notify::rules::{RulesEntry, RulesError};

/// The rules, as written.
#[utoipa::path(get, path = "/rules", tag = "notifications", responses((status = 200, body = RulesEntry)))]
pub async fn get_rules(State(api): State<Api>, _: Reader) -> Json<RulesEntry> {
    Json(api.books.book().written.clone())
}

/// Replaces the rules as a whole. What stands already and is wanted by a new rule is not told for that.
#[utoipa::path(put, path = "/rules", tag = "notifications", request_body = RulesEntry,
    responses((status = 200, body = RulesEntry), (status = 422, body = Problem)))]
pub async fn put_rules(
    State(api): State<Api>,
    Admin(caller): Admin,
    Body(rules): Body<RulesEntry>,
) -> Result<Json<RulesEntry>, Problem> {
    let _one_at_a_time = api.changes.lock().await;
    let book = api.books.book();
    rules.checked(&book.ids())?;
    book::write_rules(&api.store, &rules).await?;
    changed(&api, &caller, "notification.rules", "rules", (Some(&book.written), Some(&rules))).await?;
    Ok(Json(rules))
}

impl From<RulesError> for Problem {
    fn from(error: RulesError) -> Self {
        let told = error.to_string();
        Self::unprocessable(told).about(error.owner, error.field)
    }
}
