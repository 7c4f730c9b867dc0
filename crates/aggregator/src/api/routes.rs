//! Routes: what each offers and delivers, and changes of them.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::fleet::{EntryIx, Intent, RouteIx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::{Admin, Reader};
use super::changes::{self, Change, ChangeQuery, Changed};
use super::extract::{Body, Named, Params};
use super::feed::{self, Feed, FeedQuery};
use super::page::{Listing, PageQuery};
use super::problem::Problem;
use super::{Api, etag};
use crate::engine::Snapshot;
use crate::inventory::RouteEntry;

/// A route and what it delivers.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RoutePage {
    /// The evaluation that this is of.
    pub generation: u64,
    /// Version of the inventory: what `If-Match` of a change takes, as `"inventory-‹n›"`.
    pub inventory_version: u64,
    /// Its name.
    pub id: String,
    /// Ids of entry points, in the order in which they are offered.
    pub entry_points: Vec<String>,
    /// Countries whose users it serves (R18).
    pub audience: Vec<String>,
    /// Those of its entry points whose server is disabled: they are neither delivered nor withheld.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disabled: Vec<String>,
    /// What it delivers to its own audience.
    pub feed: Feed,
}

/// The routes, by id.
#[utoipa::path(get, path = "/routes", tag = "routes", params(PageQuery),
    responses((status = 200, body = Listing<RoutePage>)))]
pub async fn list_routes(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(page): Params<PageQuery>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let (found, next) = page.of(snapshot.fleet.route_ixs(), |ix| &snapshot.fleet.route(*ix).id)?;
    let items = found.into_iter().map(|ix| route_page(&snapshot, ix)).collect::<Result<Vec<_>, _>>()?;
    let content: Vec<_> = items.iter().map(timeless).collect();
    let listing = Listing { generation: snapshot.generation, evaluated_at_ms: snapshot.at.as_ms(), items, next };
    etag::answer(&headers, &(content, &listing.next), &listing)
}

/// A route and what it delivers.
#[utoipa::path(get, path = "/routes/{id}", tag = "routes", params(("id" = String, Path, description = "The route")),
    responses((status = 200, body = RoutePage), (status = 404, body = Problem)))]
pub async fn get_route(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let ix = snapshot.fleet.find_route(&id).ok_or_else(|| Problem::not_found("route", &id))?;
    let page = route_page(&snapshot, ix)?;
    etag::answer(&headers, &timeless(&page), &page)
}

fn route_page(snapshot: &Snapshot, ix: RouteIx) -> Result<RoutePage, Problem> {
    let route = snapshot.fleet.route(ix);
    let is_disabled = |ix: &&EntryIx| snapshot.fleet.owner(**ix).intent == Intent::Disabled;
    let disabled = route.entry_points.iter().filter(is_disabled);
    Ok(RoutePage {
        generation: snapshot.generation,
        inventory_version: snapshot.inventory_version,
        id: route.id.clone(),
        entry_points: route.entry_points.iter().map(|ix| snapshot.fleet.entry_point(*ix).id.clone()).collect(),
        audience: route.audience.iter().map(ToString::to_string).collect(),
        disabled: disabled.map(|ix| snapshot.fleet.entry_point(*ix).id.clone()).collect(),
        feed: feed::feed(snapshot, ix, &FeedQuery::default())?,
    })
}

/// What makes the tag.
fn timeless(page: &RoutePage) -> RoutePage {
    let feed = Feed { generation: 0, generated_at_ms: 0, ..page.feed.clone() };
    RoutePage { generation: 0, feed, ..page.clone() }
}

/// Adds or replaces a route.
#[utoipa::path(put, path = "/routes/{id}", tag = "routes", request_body = RouteEntry,
    params(("id" = String, Path, description = "The route"), ChangeQuery),
    responses((status = 200, body = Changed), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn put_route(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<ChangeQuery>,
    Body(route): Body<RouteEntry>,
) -> Result<Response, Problem> {
    changes::same_id("route", &id, &route.id)?;
    let change = Change { caller, act: "route.set", subject: id.clone(), force: query.force };
    changes::apply(&api, &headers, change, move |inventory| {
        changes::put(&mut inventory.routes, route, |known| known.id == id);
        Ok(())
    })
    .await
}

/// Removes a route.
#[utoipa::path(delete, path = "/routes/{id}", tag = "routes",
    params(("id" = String, Path, description = "The route"), ChangeQuery),
    responses((status = 200, body = Changed), (status = 404, body = Problem)))]
pub async fn delete_route(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<ChangeQuery>,
) -> Result<Response, Problem> {
    let change = Change { caller, act: "route.remove", subject: id.clone(), force: query.force };
    changes::apply(&api, &headers, change, move |inventory| {
        changes::take_out(&mut inventory.routes, "route", &id, |route| route.id == id)
    })
    .await
}
