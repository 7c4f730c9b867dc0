//! The statuses of a server over time, as they were said.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::access::Reader;
use crate::api::extract::{Named, Params};
use crate::api::problem::Problem;
use crate::api::{Api, etag};

/// From when to when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SpanQuery {
    /// Unix milliseconds; 24 hours before the end when absent.
    pub from_ms: Option<u64>,
    /// Unix milliseconds; the newest evaluation when absent.
    pub to_ms: Option<u64>,
}

/// The statuses of a server over time.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StatusHistory {
    /// Which.
    pub server: String,
    /// The beginning asked for.
    pub from_ms: u64,
    /// The end asked for.
    pub to_ms: u64,
    /// In order; the first one may have begun before `from_ms`. No more than 5,000, the newest.
    pub spans: Vec<SpanView>,
}

/// How long a server had a status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpanView {
    /// Which.
    pub status: String,
    /// When it began.
    pub since_ms: u64,
    /// When the next one began; absent while it lasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
}

/// Most spans of one answer: a server that changes every minute for three days.
pub const SPANS_MAX: usize = 5_000;
/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 3600 * 1000;

/// The statuses of a server over time, as they were said.
#[utoipa::path(get, path = "/servers/{id}/history", tag = "history",
    params(("id" = String, Path, description = "The server"), SpanQuery),
    responses((status = 200, body = StatusHistory), (status = 404, body = Problem)))]
pub async fn get_status_history(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<SpanQuery>,
) -> Result<Response, Problem> {
    let (from, to) = query.range(api.engine.snapshot().at)?;
    let found = api.store.status_history(&id, from, to, SPANS_MAX).await?;
    if found.is_empty() {
        crate::api::servers::find(&api, &id)?;
    }
    let spans = found.into_iter().map(|span| SpanView {
        status: span.status.as_str().to_owned(),
        since_ms: span.since.as_ms(),
        until_ms: span.until.map(Moment::as_ms),
    });
    let body = StatusHistory { server: id, from_ms: from.as_ms(), to_ms: to.as_ms(), spans: spans.collect() };
    etag::answer(&headers, &body.spans, &body)
}

impl SpanQuery {
    /// The range asked for, if it is one.
    pub fn range(&self, now: Moment) -> Result<(Moment, Moment), Problem> {
        let to = self.to_ms.map_or(now, Moment::from_ms);
        let from = Moment::from_ms(self.from_ms.unwrap_or_else(|| to.as_ms().saturating_sub(DAY_MS)));
        if from > to {
            return Err(Problem::bad_request(format!("from_ms {} is after to_ms {}", from.as_ms(), to.as_ms())));
        }
        Ok((from, to))
    }
}
