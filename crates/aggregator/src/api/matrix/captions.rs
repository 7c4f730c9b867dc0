//! What the matrix shows, in words: for whoever looks at red cells and wonders what they mean.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::pattern;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::access::Reader;
use crate::api::problem::Problem;
use crate::api::{Api, etag, view};
use crate::engine::Snapshot;

/// One sentence about the mesh, and where its cells are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaptionView {
    /// `target` (a column), `witness` (a row), `cross` (both), `block` (between groups), `pair`, or `more`: how many failing
    /// cells no other caption tells of.
    pub kind: String,
    /// The servers that it names or sums up, by id.
    pub servers: Vec<String>,
    /// The countries that it names.
    pub countries: Vec<String>,
    /// The sentence, without a full stop.
    pub text: String,
    /// How many failing cells it tells of that no caption before it does.
    pub cells: usize,
    /// Where they are: the failing cells within these.
    pub parts: Vec<PartView>,
}

/// A part of the matrix: these rows by these columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PartView {
    /// Ids of servers.
    pub witnesses: Vec<String>,
    /// Ids of entry points.
    pub targets: Vec<String>,
}

/// What the matrix shows in words, strongest first, each failing cell told once; empty where nothing fails for good.
#[utoipa::path(get, path = "/matrix/captions", tag = "fleet", responses((status = 200, body = Vec<CaptionView>)))]
pub async fn get_captions(State(api): State<Api>, _: Reader, headers: HeaderMap) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let captions: Vec<CaptionView> = snapshot.captions().await.iter().map(|caption| of(&snapshot, caption)).collect();
    etag::answer(&headers, &captions, &captions)
}

fn of(snapshot: &Snapshot, caption: &pattern::Caption) -> CaptionView {
    let part = |part: &pattern::Part| PartView {
        witnesses: view::names(snapshot, &part.witnesses),
        targets: part.targets.iter().map(|ix| snapshot.fleet.entry_point(*ix).id.clone()).collect(),
    };
    CaptionView {
        kind: caption.kind.as_str().to_owned(),
        servers: view::names(snapshot, &caption.servers),
        countries: caption.countries.iter().map(ToString::to_string).collect(),
        text: caption.text.clone(),
        cells: caption.cells,
        parts: caption.parts.iter().map(part).collect(),
    }
}
