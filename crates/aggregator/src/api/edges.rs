//! Edges: the forwarders before the gateway, and changes of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::{Admin, Reader};
use super::changes::{self, Change, Changed};
use super::extract::{Body, Named, Params};
use super::page::{PageQuery, Rows};
use super::problem::Problem;
use super::{Api, etag};
use crate::inventory::EdgeEntry;

/// An edge as it is declared, and what there is to say of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EdgeView {
    /// As it is declared.
    #[serde(flatten)]
    pub declared: EdgeEntry,
    /// How many live sessions came through it.
    pub sessions: usize,
    /// What an operator should know of it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl EdgeView {
    fn of(api: &Api, declared: &EdgeEntry, sessions: &BTreeMap<Arc<str>, usize>) -> Self {
        Self {
            declared: declared.clone(),
            sessions: sessions.get(&*declared.id).copied().unwrap_or_default(),
            warning: declared.warning(api.clock.now()),
        }
    }
}

impl Api {
    fn sessions_by_edge(&self) -> BTreeMap<Arc<str>, usize> {
        self.gateway.as_ref().map(|gateway| gateway.sessions().by_edge()).unwrap_or_default()
    }
}

/// The edges, by id.
#[utoipa::path(get, path = "/edges", tag = "edges", params(PageQuery), responses((status = 200, body = Rows<EdgeView>)))]
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
    let sessions = api.sessions_by_edge();
    let rows = Rows { items: found.into_iter().map(|edge| EdgeView::of(&api, edge, &sessions)).collect(), next };
    etag::answer(&headers, &rows, &rows)
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
    let found = found.ok_or_else(|| Problem::not_found("edge", &id))?;
    let view = EdgeView::of(&api, found, &api.sessions_by_edge());
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
