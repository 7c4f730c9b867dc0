//! Changes of the inventory: one at a time, checked as a whole, refused where they would empty a route, audited.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use quorate_core::fleet::{EntryIx, Fleet, Intent, Route};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedMutexGuard;
use utoipa::{IntoParams, ToSchema};

use super::access::Caller;
use super::audit::{self, Act};
use super::difference::Difference;
use super::problem::Problem;
use super::{Api, Source, etag};
use crate::inventory::Inventory;
use crate::store::StoredInventory;

/// How a change is meant.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChangeQuery {
    /// Do it even if a route is left without an active entry point.
    #[serde(default)]
    pub force: bool,
}

/// A change, as it is audited.
pub struct Change {
    /// Who asks.
    pub caller: Caller,
    /// What is done, like `server.set`.
    pub act: &'static str,
    /// To what.
    pub subject: String,
    /// Even if a route is left without an active entry point.
    pub force: bool,
}

/// What a change came to.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Changed {
    /// The inventory's version after it; the answer's `ETag` is `"inventory-‹n›"`.
    pub inventory_version: u64,
    /// Whether anything is different.
    pub changed: bool,
}

/// Applies `edit` to the newest inventory and puts the result in force.
pub async fn apply(
    api: &Api,
    headers: &HeaderMap,
    change: Change,
    edit: impl FnOnce(&mut Inventory) -> Result<(), Problem>,
) -> Result<Response, Problem> {
    if let Source::File(path) = &api.source {
        let told = format!("the inventory is declared in {}: change it there and send SIGHUP", path.display());
        return Err(Problem::conflict("declared_in_file", told));
    }
    let one_at_a_time = api.changes.clone().lock_owned().await;
    let StoredInventory { version, inventory: before, .. } = api.store.inventory().await?.unwrap_or_default();
    if_match(headers, version)?;
    let mut after = before.clone();
    edit(&mut after)?;
    after.date_edges(&before, api.clock.now());
    if after == before {
        return Ok(answer(version, false));
    }
    let new = after.checked()?;
    if !change.force {
        // What is stored was checked when it was stored.
        let old = before.fleet()?;
        if let Some(route) = emptied(&old, &new) {
            let told = format!(
                "route '{route}' would be left without an entry point of an active server: add one first, or force it"
            );
            let problem = Problem::conflict("route_would_be_empty", told);
            return Err(problem.about(format!("route '{route}'"), "entry_points"));
        }
    }
    // A task of its own: a reader that hangs up in the middle must not leave the store ahead of the engine.
    let commit = commit(api.clone(), change, version, before, after, one_at_a_time);
    let version = tokio::spawn(commit).await.map_err(|error| Problem::internal(&error))??;
    Ok(answer(version, true))
}

async fn commit(
    api: Api,
    change: Change,
    version: u64,
    before: Inventory,
    after: Inventory,
    _one_at_a_time: OwnedMutexGuard<()>,
) -> Result<u64, Problem> {
    let version = api.store.replace_inventory(version, &after, api.clock.now(), &change.caller.name).await?;
    let detail = format!("inventory {} to {}", digest(&before), digest(&after));
    let Difference { before, after: is_now } = Difference::of(&before, &after);
    api.engine.replace_inventory(version, after).await?;
    let act = Act { act: change.act, subject: &change.subject, detail, before: Some(before), after: Some(is_now) };
    audit::record(&api, &change.caller, act).await;
    Ok(version)
}

fn answer(version: u64, changed: bool) -> Response {
    let mut response = Json(Changed { inventory_version: version, changed }).into_response();
    if let Ok(tag) = HeaderValue::from_str(&etag::of_inventory(version)) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// The first route that is worse off in `new` than in `old` and has no entry point of an active server there (R16: what is
/// left is a last resort, or nothing). A route that is new counts as well off before.
pub fn emptied<'a>(old: &Fleet, new: &'a Fleet) -> Option<&'a str> {
    let is_emptied = |route: &&Route| {
        let before = old.find_route(&route.id).map_or(Supply::Active, |ix| Supply::of(old, old.route(ix)));
        let after = Supply::of(new, route);
        after < Supply::Active && after < before
    };
    new.routes().iter().find(is_emptied).map(|route| route.id.as_str())
}

/// What a route lives on, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Supply {
    Nothing,
    Drained,
    Active,
}

impl Supply {
    fn of(fleet: &Fleet, route: &Route) -> Self {
        let supply = |ix: &EntryIx| match fleet.owner(*ix).intent {
            Intent::Active => Self::Active,
            Intent::Drained => Self::Drained,
            Intent::Disabled => Self::Nothing,
        };
        route.entry_points.iter().map(supply).max().unwrap_or(Self::Nothing)
    }
}

fn if_match(headers: &HeaderMap, version: u64) -> Result<(), Problem> {
    let Some(wanted) = headers.get(header::IF_MATCH) else { return Ok(()) };
    let tag = etag::of_inventory(version);
    let fits = |known: &str| matches!(known.trim(), "*") || known.trim() == tag;
    if wanted.to_str().is_ok_and(|wanted| wanted.split(',').any(fits)) {
        return Ok(());
    }
    let told = format!("the inventory is at {tag}: read it again and repeat the change");
    Err(Problem::new(StatusCode::PRECONDITION_FAILED, "changed_meanwhile", told))
}

/// Adds a row, or puts it in the place of the one that it is the same as.
pub fn put<T>(rows: &mut Vec<T>, row: T, is_same: impl Fn(&T) -> bool) {
    match rows.iter_mut().find(|known| is_same(known)) {
        Some(known) => *known = row,
        None => rows.push(row),
    }
}

/// Takes a row out.
pub fn take_out<T>(rows: &mut Vec<T>, what: &str, id: &str, is_it: impl Fn(&T) -> bool) -> Result<(), Problem> {
    let at = rows.iter().position(is_it).ok_or_else(|| Problem::not_found(what, id))?;
    rows.remove(at);
    Ok(())
}

/// The id in the path and the one in the body are one.
pub fn same_id(what: &str, path: &str, body: &str) -> Result<(), Problem> {
    if path == body {
        return Ok(());
    }
    let told = format!("the body is about {what} '{body}', the path about '{path}': use the same id");
    Err(Problem::unprocessable(told).about(format!("{what} '{body}'"), "id"))
}

/// Changes with anything in the inventory.
pub fn digest(inventory: &Inventory) -> String {
    etag::hex(&serde_json::to_vec(inventory).unwrap_or_default())
}
