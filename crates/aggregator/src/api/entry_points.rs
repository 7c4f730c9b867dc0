//! Entry points with their evidence.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::fleet::EntryIx;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Reader;
use super::evidence::{self, EntryDetail};
use super::explain::SentenceView;
use super::extract::{Named, Params};
use super::page::{Listing, PageQuery};
use super::problem::Problem;
use super::{Api, etag, view};
use crate::engine::Snapshot;

/// Which entry points.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EntryFilter {
    /// Only these states, separated by commas.
    pub state: Option<String>,
    /// Only those of this server.
    pub server: Option<String>,
    /// Rows, 1 to 1,000; 100 when absent.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// An entry point with its evidence, and why it is so.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntryPage {
    /// The evaluation that this is of.
    pub generation: u64,
    /// When that was.
    pub evaluated_at_ms: u64,
    /// The evidence.
    #[serde(flatten)]
    pub detail: EntryDetail,
    /// Why, in sentences.
    pub explanation: Vec<SentenceView>,
}

/// The entry points, by id.
#[utoipa::path(get, path = "/entry-points", tag = "entry points", params(EntryFilter),
    responses((status = 200, body = Listing<EntryDetail>)))]
pub async fn list_entry_points(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(filter): Params<EntryFilter>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let states: Vec<&str> =
        filter.state.as_deref().unwrap_or_default().split(',').filter(|word| !word.is_empty()).collect();
    let is_wanted = |ix: &EntryIx| {
        let state = view::state(&snapshot.fleet, &snapshot.verdicts, *ix);
        (states.is_empty() || states.contains(&state))
            && filter.server.as_ref().is_none_or(|server| &snapshot.fleet.owner(*ix).id == server)
    };
    let found = snapshot.fleet.entry_ixs().filter(is_wanted);
    let page = PageQuery { limit: filter.limit, after: filter.after.clone() };
    let (page, next) = page.of(found, |ix| &snapshot.fleet.entry_point(*ix).id)?;
    let items: Vec<EntryDetail> = page.into_iter().map(|ix| evidence::entry_detail(&snapshot, ix)).collect();
    let listing = Listing { generation: snapshot.generation, evaluated_at_ms: snapshot.at.as_ms(), items, next };
    etag::answer(&headers, &(&listing.items, &listing.next), &listing)
}

/// An entry point with its evidence, and why it is so.
#[utoipa::path(get, path = "/entry-points/{server}/{name}", tag = "entry points",
    params(("server" = String, Path, description = "Its server"), ("name" = String, Path, description = "Its name there")),
    responses((status = 200, body = EntryPage), (status = 404, body = Problem)))]
pub async fn get_entry_point(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named((server, name)): Named<(String, String)>,
) -> Result<Response, Problem> {
    let (snapshot, ix) = find(&api, &format!("{server}/{name}"))?;
    let mut detail = [evidence::entry_detail(&snapshot, ix)];
    evidence::tell_since(&api, &mut detail).await?;
    let [detail] = detail;
    let page = EntryPage {
        generation: snapshot.generation,
        evaluated_at_ms: snapshot.at.as_ms(),
        detail,
        explanation: super::explain::entry_point(&snapshot, ix),
    };
    etag::answer(&headers, &(&page.detail, &page.explanation), &page)
}

fn find(api: &Api, id: &str) -> Result<(Arc<Snapshot>, EntryIx), Problem> {
    let snapshot = api.engine.snapshot();
    let ix = snapshot.fleet.find_entry_point(id).ok_or_else(|| Problem::not_found("entry point", id))?;
    Ok((snapshot, ix))
}
