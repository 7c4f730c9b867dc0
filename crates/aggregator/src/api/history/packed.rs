//! The mesh at an earlier moment in one byte a cell: what a slider over time can fetch as fast as it is drawn.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;

use super::moment::moment;
use crate::api::Api;
use crate::api::access::Reader;
use crate::api::extract::Params;
use crate::api::matrix::packed::Packed;
use crate::api::page::{LIMIT_MAX, PageQuery};
use crate::api::problem::Problem;

/// When, and which page.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PastPackedQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// Witnesses, 1 to 1,000; 1,000 when absent.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// The mesh at an earlier moment, one byte a cell, as `/matrix/packed` has the present one.
#[utoipa::path(get, path = "/history/matrix/packed", tag = "history", params(PastPackedQuery),
    responses((status = 200, content_type = "application/vnd.quorate.matrix", body = Vec<u8>),
        (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_packed_past_matrix(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<PastPackedQuery>,
) -> Result<Response, Problem> {
    let page = PageQuery { limit: Some(query.limit.unwrap_or(LIMIT_MAX)), after: query.after };
    page.rows()?;
    let (_, found) = moment(&api, query.at_ms).await?;
    let answered = tokio::task::spawn_blocking(move || {
        let mut packed = Packed::of(&found.past.view(), &page)?;
        packed.plan(|witness| found.past.planned(witness));
        packed.answer(&headers)
    });
    answered.await.map_err(|error| Problem::internal(&error))?
}
