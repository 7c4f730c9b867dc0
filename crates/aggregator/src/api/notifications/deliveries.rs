//! Deliveries: messages on their way, those that arrived, and those that were given up and can be sent again.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::changed;
use crate::api::Api;
use crate::api::access::{Admin, Reader};
use crate::api::extract::{Named, Params};
use crate::api::page::{PageQuery, Rows};
use crate::api::problem::Problem;
use crate::notify::message::Message;
use crate::store::{Delivery, DeliveryState};

/// Which deliveries.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveryQuery {
    /// `waiting`, `sent` or `dead`.
    pub state: Option<String>,
    /// To which channel.
    pub channel: Option<String>,
}

/// A message and what became of it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeliveryView {
    /// Grows with each message.
    pub id: u64,
    /// What the other side knows it by: the same however often it is sent.
    pub name: String,
    /// To where.
    pub channel: String,
    /// `waiting`, `sent` or `dead`.
    pub state: String,
    /// When it was written, Unix milliseconds.
    pub made_at_ms: u64,
    /// When it is tried next, while it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at_ms: Option<u64>,
    /// When it arrived or was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at_ms: Option<u64>,
    /// How often it was tried.
    pub attempts: u64,
    /// What the other side said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What it says, in a line.
    pub title: String,
    /// How bad the worst of it is.
    pub severity: String,
    /// The whole of it.
    pub message: Option<Message>,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        // A later version may have written more than this one reads.
        let message: Option<Message> = serde_json::from_str(&delivery.message).ok();
        Self {
            id: delivery.id,
            name: delivery.name,
            channel: delivery.channel,
            state: delivery.state.as_str().to_owned(),
            made_at_ms: delivery.made_at.as_ms(),
            due_at_ms: (delivery.state == DeliveryState::Waiting).then(|| delivery.due_at.as_ms()),
            ended_at_ms: delivery.ended_at.map(quorate_core::time::Moment::as_ms),
            attempts: delivery.attempts,
            said: delivery.said,
            title: message.as_ref().map(|message| message.title.clone()).unwrap_or_default(),
            severity: message.as_ref().map(|message| message.severity.clone()).unwrap_or_default(),
            message,
        }
    }
}

/// Deliveries, newest first; a page goes on with those that are older.
#[utoipa::path(get, path = "/deliveries", tag = "notifications", params(PageQuery, DeliveryQuery),
    responses((status = 200, body = Rows<DeliveryView>)))]
pub async fn list_deliveries(
    State(api): State<Api>,
    _: Reader,
    Params(page): Params<PageQuery>,
    Params(query): Params<DeliveryQuery>,
) -> Result<Json<Rows<DeliveryView>>, Problem> {
    let limit = page.rows()?;
    let state = query.state.as_deref().map(|word| {
        let found = DeliveryState::ALL.into_iter().find(|state| state.as_str() == word);
        found.ok_or_else(|| Problem::bad_request(format!("state is '{word}': use waiting, sent or dead")))
    });
    let older_than = page.after.as_deref().map(|after| {
        let id = after.parse::<u64>();
        id.map_err(|_| Problem::bad_request(format!("after is '{after}': send the `next` of the page before")))
    });
    let (state, older_than) = (state.transpose()?, older_than.transpose()?);
    let mut found = api.store.deliveries(state, query.channel.as_deref(), older_than, limit + 1).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|last| last.id.to_string());
    Ok(Json(Rows { items: found.into_iter().map(DeliveryView::from).collect(), next }))
}

/// Sends a message again, under the name that it had: a receiver that has it knows it.
#[utoipa::path(post, path = "/deliveries/{id}/redeliver", tag = "notifications",
    params(("id" = u64, Path, description = "The delivery")),
    responses((status = 200, body = DeliveryView), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn redeliver(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<u64>,
) -> Result<Json<DeliveryView>, Problem> {
    let missing = || Problem::not_found("delivery", &id.to_string());
    api.store.delivery(id).await?.ok_or_else(missing)?;
    if !api.store.redeliver(id, api.clock.now()).await? {
        return Err(Problem::conflict("on_its_way", format!("delivery {id} is on its way already")));
    }
    changed::<()>(&api, &caller, "delivery.redeliver", &id.to_string(), (None, None)).await?;
    let again = api.store.delivery(id).await?.ok_or_else(missing)?;
    Ok(Json(again.into()))
}
