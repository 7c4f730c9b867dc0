//! Mutes: servers that nobody is told of for a while.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::changed;
use crate::api::Api;
use crate::api::access::{Admin, Reader};
use crate::api::extract::{Body, Named};
use crate::api::page::Rows;
use crate::api::problem::Problem;
use crate::store::Mute;

/// Longest mute: whoever wants a server out of sight for longer takes it out of the fleet, or writes a rule.
const MUTE_MAX: Duration = Duration::from_hours(24 * 366);

/// A mute that is wanted.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MuteRequest {
    /// For how long, in seconds, at most 366 days.
    pub for_s: u64,
    /// Why, for those who wonder.
    #[serde(default)]
    pub reason: String,
}

/// A mute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MuteView {
    /// Which server.
    pub server: String,
    /// Until when, Unix milliseconds. What still stands then is told then.
    pub until_ms: u64,
    /// Who muted it.
    pub by: String,
    /// Why.
    pub reason: String,
}

impl From<Mute> for MuteView {
    fn from(Mute { server, until, by, reason }: Mute) -> Self {
        Self { server, until_ms: until.as_ms(), by, reason }
    }
}

/// The mutes that hold, by server.
#[utoipa::path(get, path = "/mutes", tag = "notifications", responses((status = 200, body = Rows<MuteView>)))]
pub async fn list_mutes(State(api): State<Api>, _: Reader) -> Result<Json<Rows<MuteView>>, Problem> {
    let now = api.clock.now();
    let mutes = api.store.mutes().await?.into_iter().filter(|mute| mute.until > now);
    Ok(Json(Rows { items: mutes.map(MuteView::from).collect(), next: None }))
}

/// Mutes a server, or changes until when.
#[utoipa::path(put, path = "/mutes/{server}", tag = "notifications", request_body = MuteRequest,
    params(("server" = String, Path, description = "The server")),
    responses((status = 200, body = MuteView), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn put_mute(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(server): Named<String>,
    Body(request): Body<MuteRequest>,
) -> Result<Json<MuteView>, Problem> {
    if api.engine.snapshot().fleet.find_server(&server).is_none() {
        return Err(Problem::not_found("server", &server));
    }
    if !(1..=MUTE_MAX.as_secs()).contains(&request.for_s) {
        let told = format!("for_s: use 1 to {} seconds", MUTE_MAX.as_secs());
        return Err(Problem::unprocessable(told).about(format!("server '{server}'"), "for_s"));
    }
    let _one_at_a_time = api.changes.lock().await;
    let until = api.clock.now().after(Duration::from_secs(request.for_s));
    let mute = Mute { server: server.clone(), until, by: caller.name.clone(), reason: request.reason };
    let before = api.store.mutes().await?.into_iter().find(|known| known.server == server).map(MuteView::from);
    api.store.put_mute(&mute).await?;
    let after = MuteView::from(mute);
    changed(&api, &caller, "server.mute", &server, (before.as_ref(), Some(&after))).await?;
    Ok(Json(after))
}

/// Ends a mute.
#[utoipa::path(delete, path = "/mutes/{server}", tag = "notifications",
    params(("server" = String, Path, description = "The server")),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete_mute(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(server): Named<String>,
) -> Result<StatusCode, Problem> {
    let _one_at_a_time = api.changes.lock().await;
    let before = api.store.mutes().await?.into_iter().find(|known| known.server == server).map(MuteView::from);
    if !api.store.delete_mute(&server).await? {
        return Err(Problem::not_found("muted server", &server));
    }
    changed(&api, &caller, "server.unmute", &server, (before.as_ref(), None)).await?;
    Ok(StatusCode::NO_CONTENT)
}
