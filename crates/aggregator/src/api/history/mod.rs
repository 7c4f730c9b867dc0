//! History: what the archive of reports remembers, folded again for whoever asks about an earlier moment.
//!
//! Two answers stand beside each other everywhere: what was *known* (the reports of that time, folded again) and what was
//! *said* (the statuses that were written down when they changed). They differ only where one of them is incomplete.

pub mod backtests;
pub mod export;
pub mod moment;
pub mod packed;
pub mod series;
pub mod spans;
mod steps;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::Reader;
use super::problem::Problem;
use super::{Api, etag};

/// How far the archive reaches.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryRange {
    /// When its first report was received; absent while it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<u64>,
    /// The last moment that can be asked for: the newest evaluation.
    pub to_ms: u64,
}

/// How far the archive reaches.
#[utoipa::path(get, path = "/history", tag = "history", responses((status = 200, body = HistoryRange)))]
pub async fn get_history(State(api): State<Api>, _: Reader, headers: HeaderMap) -> Result<Response, Problem> {
    let range = HistoryRange {
        from_ms: api.store.first_report_at().await?.map(quorate_core::time::Moment::as_ms),
        to_ms: api.engine.snapshot().at.as_ms(),
    };
    etag::answer(&headers, &range, &range)
}
