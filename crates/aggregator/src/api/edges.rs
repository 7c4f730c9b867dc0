//! Edges: the forwarders before the gateway, and changes of them.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::access::{Admin, Reader};
use super::changes::{self, Change, Changed};
use super::edge_view::{EdgeListing, EdgeView, Sight};
use super::extract::{Body, Named, Params};
use super::page::PageQuery;
use super::problem::Problem;
use super::{Api, etag};
use crate::inventory::EdgeEntry;

/// The edges, by id: as they are declared, what the last walk round them found, and who sits on which.
#[utoipa::path(get, path = "/edges", tag = "edges", params(PageQuery), responses((status = 200, body = EdgeListing)))]
pub async fn list_edges(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(page): Params<PageQuery>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let mut edges: Vec<&EdgeEntry> = snapshot.inventory.edges.iter().collect();
    edges.sort_by(|a, b| a.id.cmp(&b.id));
    let (found, next) = page.of(edges, |edge| &edge.id)?;
    let sight = Sight::of(&api, &snapshot);
    let items = found.into_iter().map(|edge| sight.edge(edge)).collect();
    let listing = EdgeListing { items, next, watch: sight.watch(&snapshot) };
    etag::answer(&headers, &listing, &listing)
}

/// An edge.
#[utoipa::path(get, path = "/edges/{id}", tag = "edges", params(("id" = String, Path, description = "The edge")),
    responses((status = 200, body = EdgeView), (status = 404, body = Problem)))]
pub async fn get_edge(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let found = snapshot.inventory.edges.iter().find(|edge| edge.id == id);
    let view = Sight::of(&api, &snapshot).edge(found.ok_or_else(|| Problem::not_found("edge", &id))?);
    etag::answer(&headers, &view, &view)
}

/// Adds or replaces an edge. Connections that are open stay; the next ones are taken by it.
#[utoipa::path(put, path = "/edges/{id}", tag = "edges", request_body = EdgeEntry,
    params(("id" = String, Path, description = "The edge")),
    responses((status = 200, body = Changed), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn put_edge(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
    Body(edge): Body<EdgeEntry>,
) -> Result<Response, Problem> {
    changes::same_id("edge", &id, &edge.id)?;
    let change = Change { caller, act: "edge.set", subject: id.clone(), force: false };
    changes::apply(&api, &headers, change, move |inventory| {
        match inventory.edges.iter_mut().find(|known| known.id == id) {
            Some(known) => *known = edge,
            None => inventory.edges.push(edge),
        }
        Ok(())
    })
    .await
}

/// Removes an edge: its connections are then those of any other address.
#[utoipa::path(delete, path = "/edges/{id}", tag = "edges", params(("id" = String, Path, description = "The edge")),
    responses((status = 200, body = Changed), (status = 404, body = Problem)))]
pub async fn delete_edge(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    let change = Change { caller, act: "edge.remove", subject: id.clone(), force: false };
    changes::apply(&api, &headers, change, move |inventory| {
        let before = inventory.edges.len();
        inventory.edges.retain(|edge| edge.id != id);
        if inventory.edges.len() == before { Err(Problem::not_found("edge", &id)) } else { Ok(()) }
    })
    .await
}
