//! Events and status spans as a file, for spreadsheets and programs.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::api::Api;
use crate::api::access::Reader;
use crate::api::extract::Params;
use crate::api::problem::Problem;

/// Which part of it, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportQuery {
    /// Unix milliseconds; 24 hours before the end when absent.
    pub from_ms: Option<u64>,
    /// Unix milliseconds; the newest evaluation when absent.
    pub to_ms: Option<u64>,
    /// `csv` or `jsonl`; `csv` when absent.
    #[serde(default)]
    pub format: ExportFormat,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// Comma-separated, RFC 4180.
    #[default]
    Csv,
    /// One JSON object a line.
    Jsonl,
}

/// Events and status spans in order of time, as a file.
#[utoipa::path(get, path = "/history/export", tag = "history", params(ExportQuery),
    responses((status = 200, body = String, content_type = "text/csv", description = "CSV, or JSON lines with `format=jsonl`"),
        (status = 400, body = Problem)))]
pub async fn get_export(
    State(_api): State<Api>,
    _: Reader,
    Params(_query): Params<ExportQuery>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}
