//! Changes of servers.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::Api;
use super::access::Admin;
use super::changes::{self, Change, ChangeQuery, Changed};
use super::extract::{Body, Named, Params};
use super::problem::Problem;
use crate::inventory::{Inventory, ServerEntry};

/// Adds or replaces a server.
#[utoipa::path(put, path = "/servers/{id}", tag = "servers", request_body = ServerEntry,
    params(("id" = String, Path, description = "The server"), ChangeQuery),
    responses((status = 200, body = Changed), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn put_server(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<ChangeQuery>,
    Body(server): Body<ServerEntry>,
) -> Result<Response, Problem> {
    changes::same_id("server", &id, &server.id)?;
    let change = Change { caller, act: "server.set", subject: id.clone(), force: query.force };
    changes::apply(&api, &headers, change, move |inventory| {
        changes::put(&mut inventory.servers, server, |known| known.id == id);
        Ok(())
    })
    .await
}

/// Removes a server, and its entry points from all routes.
#[utoipa::path(delete, path = "/servers/{id}", tag = "servers",
    params(("id" = String, Path, description = "The server"), ChangeQuery),
    responses((status = 200, body = Changed), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn delete_server(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<ChangeQuery>,
) -> Result<Response, Problem> {
    let change = Change { caller, act: "server.remove", subject: id.clone(), force: query.force };
    let removed = id.clone();
    let response = changes::apply(&api, &headers, change, move |inventory| remove(inventory, &id)).await?;
    api.revoke_quietly(&removed).await;
    Ok(response)
}

fn remove(inventory: &mut Inventory, id: &str) -> Result<(), Problem> {
    changes::take_out(&mut inventory.servers, "server", id, |server| server.id == id)?;
    let forwards = |server: &&ServerEntry| {
        server.entry_points.iter().any(|point| point.upstreams.iter().any(|upstream| upstream == id))
    };
    if let Some(server) = inventory.servers.iter().find(forwards) {
        let told = format!("server '{}' forwards to '{id}': take it out of its upstreams first", server.id);
        return Err(Problem::conflict("is_upstream", told).about(format!("server '{}'", server.id), "upstreams"));
    }
    let prefix = format!("{id}/");
    for route in &mut inventory.routes {
        route.entry_points.retain(|entry_point| !entry_point.starts_with(&prefix));
    }
    Ok(())
}
