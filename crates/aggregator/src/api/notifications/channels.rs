//! Channels: where messages go. Secrets are written and never read.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::changed;
use crate::api::access::Admin;
use crate::api::extract::{Body, Named};
use crate::api::page::Rows;
use crate::api::problem::Problem;
use crate::api::{Api, changes};
use crate::notify::channel::{CHANNELS_MAX, ChannelEntry, ChannelError, Settings};
use crate::notify::test_message::{self, Tested};
use crate::store::DeliveryState;

/// A channel as it is shown.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ChannelView {
    /// Its name.
    pub id: String,
    /// What it is, and where it leads, without secrets.
    #[serde(flatten)]
    pub settings: Settings,
    /// The fields whose secrets are known.
    pub secrets_set: Vec<String>,
    /// Messages on their way to it.
    pub waiting: u64,
    /// Messages that were given up.
    pub dead: u64,
}

fn secrets_set(settings: &Settings) -> Vec<String> {
    let (field, secret) = settings.secret();
    secret.iter().map(|_| field.to_owned()).collect()
}

/// The channels, by id, without their secrets.
#[utoipa::path(get, path = "/channels", tag = "notifications", responses((status = 200, body = Rows<ChannelView>)))]
pub async fn list_channels(State(api): State<Api>, _: Admin) -> Result<Json<Rows<ChannelView>>, Problem> {
    let counts = api.store.count_deliveries().await?;
    let count = |id: &str, state: DeliveryState| {
        let found = counts.iter().find(|(channel, found, _)| channel == id && *found == state);
        found.map_or(0, |(_, _, count)| *count)
    };
    let view = |ChannelEntry { id, settings }| ChannelView {
        secrets_set: secrets_set(&settings),
        settings: settings.without_secrets(),
        waiting: count(&id, DeliveryState::Waiting),
        dead: count(&id, DeliveryState::Dead),
        id,
    };
    Ok(Json(Rows { items: api.books.book().entries().map(view).collect(), next: None }))
}

/// Adds a channel, or changes it. A secret that is left out stays as it was, unless the channel now leads elsewhere. A new
/// channel is not told what stands already.
#[utoipa::path(put, path = "/channels/{id}", tag = "notifications", request_body = ChannelEntry,
    params(("id" = String, Path, description = "The channel")),
    responses((status = 200, body = ChannelView), (status = 422, body = Problem)))]
pub async fn put_channel(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
    Body(mut entry): Body<ChannelEntry>,
) -> Result<Json<ChannelView>, Problem> {
    changes::same_id("channel", &id, &entry.id)?;
    let _one_at_a_time = api.changes.lock().await;
    let book = api.books.book();
    let before = book.channels.get(&id);
    if let Some(before) = before {
        entry.settings.keep_secret_of(before);
    } else if book.channels.len() >= CHANNELS_MAX {
        let told = format!("there are {CHANNELS_MAX} channels already: remove one first");
        return Err(Problem::unprocessable(told).about(format!("channel '{id}'"), "id"));
    }
    entry.check()?;
    let settings = serde_json::to_string(&entry.settings).map_err(|error| Problem::internal(&error))?;
    api.store.put_channel(&id, &settings, api.clock.now()).await?;
    let (was, is) = (before.map(|before| before.without_secrets()), entry.settings.without_secrets());
    changed(&api, &caller, "channel.set", &id, (was.as_ref(), Some(&is))).await?;
    let secrets_set = secrets_set(&entry.settings);
    Ok(Json(ChannelView { id, settings: is, secrets_set, waiting: 0, dead: 0 }))
}

/// Removes a channel, with what was on its way to it.
#[utoipa::path(delete, path = "/channels/{id}", tag = "notifications",
    params(("id" = String, Path, description = "The channel")),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete_channel(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
) -> Result<StatusCode, Problem> {
    let _one_at_a_time = api.changes.lock().await;
    let before = api.books.book().channels.get(&id).map(|before| before.without_secrets());
    if !api.store.delete_channel(&id).await? {
        return Err(Problem::not_found("channel", &id));
    }
    changed(&api, &caller, "channel.remove", &id, (before.as_ref(), None)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a test message, and answers with what the other side said to it.
#[utoipa::path(post, path = "/channels/{id}/test", tag = "notifications",
    params(("id" = String, Path, description = "The channel")),
    responses((status = 200, body = Tested), (status = 404, body = Problem)))]
pub async fn test_channel(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
) -> Result<Json<Tested>, Problem> {
    let book = api.books.book();
    let settings = book.channels.get(&id).ok_or_else(|| Problem::not_found("channel", &id))?;
    let tested = test_message::send(&id, settings, &caller.name, api.clock.now()).await;
    Ok(Json(tested.map_err(|error| Problem::internal(&error))?))
}

impl From<ChannelError> for Problem {
    fn from(error: ChannelError) -> Self {
        Self::unprocessable(error.to_string()).about(format!("channel '{}'", error.channel), error.field)
    }
}
