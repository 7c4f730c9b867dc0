//! Back-tests: the archive folded under another policy beside the one that was in force, and what would have been
//! different.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::Api;
use crate::api::access::Reader;
use crate::api::extract::{Body, Named};
use crate::api::page::Rows;
use crate::api::problem::Problem;
use crate::inventory::PolicySettings;

/// What is to be tried.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BacktestOrder {
    /// The last so many hours, 1 to 2,160; or give `from_ms` and `to_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
    /// Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<u64>,
    /// Unix milliseconds; the newest evaluation when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_ms: Option<u64>,
    /// The numbers that differ; everything else is as it was in force at the time. What agents are told (interval,
    /// spacing, witnesses, controls) cannot be tried: the reports are those that came.
    pub policy: PolicySettings,
}

/// A back-test under way or done.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Backtest {
    /// Its name.
    pub id: String,
    /// What it tries, in words: `quorum 3, sustain_rounds 4`.
    pub title: String,
    /// `running`, `done`, `failed` or `cancelled`.
    pub state: BacktestState,
    /// How much of it is done, 0 to 1.
    pub done_share: f32,
    /// When it was asked for.
    pub started_at_ms: u64,
    /// First moment compared.
    pub from_ms: u64,
    /// Last moment compared.
    pub to_ms: u64,
    /// What is tried.
    pub policy: PolicySettings,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What would have been different; when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<BacktestResult>,
}

/// How far a back-test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BacktestState {
    /// Under way.
    Running,
    /// It has a result.
    Done,
    /// It has none, and says why.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// What would have been different.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestResult {
    /// All of it in plain words, the weightiest first; at least one sentence.
    pub sentences: Vec<String>,
    /// Reports that were folded.
    pub reports: u64,
    /// All servers together.
    pub withheld_minutes: WasWould,
    /// Verdicts that were said and would not have been.
    pub verdicts_gone: usize,
    /// Verdicts that were not said and would have been.
    pub verdicts_new: usize,
    /// Servers with a difference, the largest first.
    pub servers: Vec<BacktestServer>,
    /// Routes with a difference.
    pub routes: Vec<BacktestRoute>,
    /// What was left out above because there was too much of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// A number under the policy in force, and under the one that is tried.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WasWould {
    /// As it was in force.
    pub was: f64,
    /// As it would have been.
    pub would: f64,
}

/// What would have been different for a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestServer {
    /// Which.
    pub server: String,
    /// How long at least one of its entry points was withheld from a route that lists it.
    pub withheld_minutes: WasWould,
    /// Its verdicts that differ, in order of time.
    pub verdicts: Vec<BacktestVerdict>,
}

/// A verdict that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestVerdict {
    /// The status.
    pub status: String,
    /// `gone`, `new`, `later`, `earlier`, `longer` or `shorter` (in its end).
    pub change: String,
    /// When the earlier of the two began.
    pub from_ms: u64,
    /// When the later of the two ended.
    pub to_ms: u64,
    /// As it was in force; absent: it was not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<BacktestSpan>,
    /// As it would have been; absent: it would not have been said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<BacktestSpan>,
    /// The same in words.
    pub text: String,
}

/// From when to when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BacktestSpan {
    /// When it began; the start of the comparison if it was there already.
    pub from_ms: u64,
    /// When it ended; the end of the comparison if it lasted.
    pub to_ms: u64,
}

/// What would have been different for a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BacktestRoute {
    /// Which.
    pub route: String,
    /// Minutes for which its entry points were withheld, each entry point counted.
    pub withheld_minutes: WasWould,
    /// Minutes for which it had nothing good left (R16).
    pub last_resort_minutes: WasWould,
}

/// Begins a back-test. One runs at a time.
#[utoipa::path(post, path = "/backtests", tag = "backtests", request_body = BacktestOrder,
    responses((status = 202, body = Backtest), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn post_backtest(
    State(_api): State<Api>,
    _: Reader,
    Body(_order): Body<BacktestOrder>,
) -> Result<(StatusCode, axum::Json<Backtest>), Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// Back-tests of this run of the aggregator, newest first, without their results.
#[utoipa::path(get, path = "/backtests", tag = "backtests", responses((status = 200, body = Rows<Backtest>)))]
pub async fn list_backtests(State(_api): State<Api>, _: Reader, _headers: HeaderMap) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// How far a back-test is, and what it found.
#[utoipa::path(get, path = "/backtests/{id}", tag = "backtests",
    params(("id" = String, Path, description = "The back-test")),
    responses((status = 200, body = Backtest), (status = 404, body = Problem)))]
pub async fn get_backtest(
    State(_api): State<Api>,
    _: Reader,
    _headers: HeaderMap,
    Named(_id): Named<String>,
) -> Result<Response, Problem> {
    Err(Problem::unavailable("not there yet"))
}

/// Cancels a back-test that runs, and forgets one that is over.
#[utoipa::path(delete, path = "/backtests/{id}", tag = "backtests",
    params(("id" = String, Path, description = "The back-test")),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete_backtest(
    State(_api): State<Api>,
    _: Reader,
    Named(_id): Named<String>,
) -> Result<StatusCode, Problem> {
    Err(Problem::unavailable("not there yet"))
}
