//! Back-tests: the archive folded under another policy beside the one that was in force, and what would have been
//! different.

use std::time::Duration;

use axum::extract;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::access::Reader;
use crate::api::extract::{Body, Named};
use crate::api::page::Rows;
use crate::api::problem::Problem;
use crate::api::{Api, etag};
use crate::backtest::jobs::{Job, State};
use crate::backtest::policy::{self, laid_over};
use crate::backtest::{BacktestResult, Order};
use crate::inventory::{Inventory, PolicySettings};

/// Ninety days, longer than any archive is kept by default.
const HOURS_MAX: u32 = 2_160;

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

impl BacktestOrder {
    /// What is to be tried, if it can be.
    fn checked(self, api: &Api) -> Result<Order, Problem> {
        let refused = |field: &'static str, told: String| Problem::unprocessable(told).about("back-test", field);
        policy::checked(&self.policy).map_err(|error| refused("policy", error.to_string()))?;
        let snapshot = api.engine.snapshot();
        // What is out of bounds, or does not fit the fleet, is told before anything is folded.
        let in_force = &snapshot.inventory.policy;
        let tried = Inventory { policy: laid_over(in_force, &self.policy), ..Inventory::clone(&snapshot.inventory) };
        tried.checked()?;
        let to = self.to_ms.map_or(snapshot.at, Moment::from_ms).min(snapshot.at);
        let from = match (self.hours, self.from_ms) {
            (Some(hours @ 1..=HOURS_MAX), None) => to.before(Duration::from_secs(3600 * u64::from(hours))),
            (Some(hours), None) => return Err(refused("hours", format!("hours is {hours}: use 1 to {HOURS_MAX}"))),
            (None, Some(from)) => Moment::from_ms(from),
            (None, None) => return Err(refused("hours", "give hours, or from_ms and to_ms".to_owned())),
            (Some(_), Some(_)) => return Err(refused("hours", "give hours or from_ms, not both".to_owned())),
        };
        if from >= to {
            return Err(refused("from_ms", format!("from_ms {} is not before {}", from.as_ms(), to.as_ms())));
        }
        Ok(Order { from, to, policy: self.policy })
    }
}

impl Backtest {
    fn of(job: &Job) -> Self {
        let (state, problem, result) = match &job.state {
            State::Running => (BacktestState::Running, None, None),
            State::Done(result) => (BacktestState::Done, None, Some(BacktestResult::clone(result))),
            State::Failed(problem) => (BacktestState::Failed, Some(problem.clone()), None),
            State::Cancelled => (BacktestState::Cancelled, None, None),
        };
        Self {
            id: job.id.clone(),
            title: job.title.clone(),
            state,
            done_share: job.done_share(),
            started_at_ms: job.started_at.as_ms(),
            from_ms: job.order.from.as_ms(),
            to_ms: job.order.to.as_ms(),
            policy: job.order.policy.clone(),
            problem,
            result,
        }
    }
}

/// Begins a back-test. One runs at a time.
#[utoipa::path(post, path = "/backtests", tag = "backtests", request_body = BacktestOrder,
    responses((status = 202, body = Backtest), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn post_backtest(
    extract::State(api): extract::State<Api>,
    _: Reader,
    Body(order): Body<BacktestOrder>,
) -> Result<(StatusCode, axum::Json<Backtest>), Problem> {
    let order = order.checked(&api)?;
    let job = api.backtests.start(order).map_err(|busy| Problem::conflict("backtest_runs", busy.to_string()))?;
    Ok((StatusCode::ACCEPTED, axum::Json(Backtest::of(&job))))
}

/// Back-tests of this run of the aggregator, newest first, without their results.
#[utoipa::path(get, path = "/backtests", tag = "backtests", responses((status = 200, body = Rows<Backtest>)))]
pub async fn list_backtests(
    extract::State(api): extract::State<Api>,
    _: Reader,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let all = api.backtests.list();
    let items = all.iter().map(|job| Backtest { result: None, ..Backtest::of(job) }).collect();
    let rows = Rows { items, next: None };
    etag::answer(&headers, &rows, &rows)
}

/// How far a back-test is, and what it found.
#[utoipa::path(get, path = "/backtests/{id}", tag = "backtests",
    params(("id" = String, Path, description = "The back-test")),
    responses((status = 200, body = Backtest), (status = 404, body = Problem)))]
pub async fn get_backtest(
    extract::State(api): extract::State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    let job = api.backtests.find(&id).ok_or_else(|| Problem::not_found("back-test", &id))?;
    let body = Backtest::of(&job);
    etag::answer(&headers, &body, &body)
}

/// Cancels a back-test that runs, and forgets one that is over.
#[utoipa::path(delete, path = "/backtests/{id}", tag = "backtests",
    params(("id" = String, Path, description = "The back-test")),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete_backtest(
    extract::State(api): extract::State<Api>,
    _: Reader,
    Named(id): Named<String>,
) -> Result<StatusCode, Problem> {
    if api.backtests.end(&id) { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::not_found("back-test", &id)) }
}
