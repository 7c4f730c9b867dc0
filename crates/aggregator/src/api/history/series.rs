//! What servers measured of themselves over time: one server in full, all of them as small lines.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::Api;
use crate::api::access::Reader;
use crate::api::extract::{Named, Params};
use crate::api::problem::Problem;

/// How much of it.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SeriesQuery {
    /// Hours back from the newest evaluation, 1 to 168; 24 when absent.
    pub hours: Option<u32>,
    /// Points, 2 to 1,440; 288 when absent.
    pub points: Option<usize>,
}

/// What a server measured over time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Series {
    /// Which.
    pub server: String,
    /// Between two points.
    pub step_ms: u64,
    /// The moment at which each point's step begins.
    pub at_ms: Vec<u64>,
    /// Values by name, each as long as `at_ms`; null where nothing was measured. A name that nothing was measured of is
    /// absent. Means over the step: `cpu_percent`, `load_per_core`, `memory_used_share` and `disk_used_share` (0 to 1),
    /// `network_received_bytes_per_s`, `network_sent_bytes_per_s`, `open_files`, `agent_memory_bytes`. Of its own knocks
    /// on others: `latency_ms`, the median of the reached ones, and `failed_share` (0 to 1) of those that say anything.
    pub values: BTreeMap<String, Vec<Option<f32>>>,
}

/// How many points.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LinesQuery {
    /// Points of the last hour, 2 to 60; 30 when absent.
    pub points: Option<usize>,
}

/// The last hour of all servers, in small.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Lines {
    /// Between two points.
    pub step_ms: u64,
    /// The moment at which each point's step begins.
    pub at_ms: Vec<u64>,
    /// By server.
    pub servers: BTreeMap<String, ServerLines>,
}

/// The last hour of one server, in small; each list is as long as `at_ms`, or empty if nothing was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ServerLines {
    /// Of its processor, 0 to 100.
    pub cpu_percent: Vec<Option<f32>>,
    /// Of its memory, 0 to 1.
    pub memory_used_share: Vec<Option<f32>>,
    /// Received and sent together.
    pub network_bytes_per_s: Vec<Option<f32>>,
    /// Median of the knocks of others that reached its entry points.
    pub latency_ms: Vec<Option<f32>>,
}

/// What a server measured over time.
#[utoipa::path(get, path = "/servers/{id}/metrics", tag = "history",
    params(("id" = String, Path, description = "The server"), SeriesQuery),
    responses((status = 200, body = Series), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_series(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Named(_id): Named<String>,
    Params(_query): Params<SeriesQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// The last hour of all servers, in small.
#[utoipa::path(get, path = "/metrics/lines", tag = "history", params(LinesQuery),
    responses((status = 200, body = Lines)))]
pub async fn get_lines(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Params(_query): Params<LinesQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}
