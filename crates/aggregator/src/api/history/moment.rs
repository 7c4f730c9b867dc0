//! One earlier moment: verdicts, mesh and sentences as they were known then, beside what was said.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::Api;
use crate::api::access::Reader;
use crate::api::explain::SentenceView;
use crate::api::extract::Params;
use crate::api::matrix::Matrix;
use crate::api::problem::Problem;
use crate::api::view::{CutView, ServerRow};

/// When.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MomentQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
}

/// Which part of the mesh, and when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PastMatrixQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// Only this witness.
    pub witness: Option<String>,
    /// Only this server's entry points.
    pub target: Option<String>,
    /// Witnesses, 1 to 1,000; 100 when absent, fewer where rows are long.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// Of what, and when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PastExplainQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// A server or an entry point.
    pub id: String,
}

/// One earlier moment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastMoment {
    /// The moment asked for.
    pub at_ms: u64,
    /// What the reports of that time say, folded again.
    pub known: PastKnown,
    /// What was said: the status of each server as it was written down then.
    pub said: Vec<PastSaid>,
    /// Servers whose known status is not the one that was said.
    pub differs: Vec<String>,
    /// What the answer rests on.
    pub footing: Footing,
}

/// What was known.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastKnown {
    /// Version of the inventory in force then.
    pub inventory_version: u64,
    /// Servers by status; statuses that nobody had are absent.
    pub counts: BTreeMap<String, usize>,
    /// R12.
    pub country_cuts: Vec<CutView>,
    /// Witnesses that were half-blind (R10).
    pub half_blind: Vec<String>,
    /// The servers of that time, by id. `plan_refused` is never there: refusals are not archived.
    pub servers: Vec<ServerRow>,
    /// What each route delivered.
    pub routes: Vec<PastRoute>,
}

/// What a route delivered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastRoute {
    /// The route.
    pub id: String,
    /// Entry points, best first.
    pub deliver: Vec<String>,
    /// Entry points held back.
    pub withheld: Vec<String>,
    /// Nothing good was left (R16).
    pub last_resort: bool,
}

/// What was said of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastSaid {
    /// Which.
    pub server: String,
    /// Its status.
    pub status: String,
    /// Since when.
    pub since_ms: u64,
}

/// What an answer about an earlier moment rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Footing {
    /// `exact`: from a state that the aggregator wrote down itself. `warmed_up`: from reports alone, over longer than a
    /// verdict outlives its evidence. `short`: from fewer reports than that, because the archive has no earlier ones.
    pub kind: FootingKind,
    /// Where folding began.
    pub from_ms: u64,
    /// Set if the aggregator did not run at that moment: since when. What is shown is the last that it knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_since_ms: Option<u64>,
    /// What to bear in mind, in a sentence; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// How sure an answer about an earlier moment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FootingKind {
    /// From a state that the aggregator wrote down itself.
    Exact,
    /// From reports alone, enough of them.
    WarmedUp,
    /// From fewer reports than it takes.
    Short,
}

/// Why something was as it was.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastExplanation {
    /// The moment asked for.
    pub at_ms: u64,
    /// The server or entry point.
    pub id: String,
    /// Why, in sentences.
    pub sentences: Vec<SentenceView>,
}

/// What was known at an earlier moment, and what was said.
#[utoipa::path(get, path = "/history/moment", tag = "history", params(MomentQuery),
    responses((status = 200, body = PastMoment), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_moment(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Params(_query): Params<MomentQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// The mesh at an earlier moment, paged by witness.
#[utoipa::path(get, path = "/history/matrix", tag = "history", params(PastMatrixQuery),
    responses((status = 200, body = Matrix), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_past_matrix(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Params(_query): Params<PastMatrixQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// Why a server or an entry point was as it was.
#[utoipa::path(get, path = "/history/explain", tag = "history", params(PastExplainQuery),
    responses((status = 200, body = PastExplanation), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_past_explanation(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Params(_query): Params<PastExplainQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}
