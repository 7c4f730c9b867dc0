//! What servers measured of themselves over time: one server in full, all of them as small lines.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use prost::Message as _;
use quorate_proto::v1;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::steps::{Measured, Steps};
use crate::api::access::Reader;
use crate::api::extract::{Named, Params};
use crate::api::problem::Problem;
use crate::api::{Api, etag, servers};
use crate::engine::intake;
use crate::lines;

/// Reports read at a time.
const REPORTS_AT_A_TIME: usize = 500;
/// Reports read for one answer: a week at one a minute and half as much again, the newest of more.
const REPORTS_MAX: usize = 15_000;
/// Plans kept while they are read.
const PLANS_MAX: usize = 16;

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
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<SeriesQuery>,
) -> Result<Response, Problem> {
    let hours = within("hours", query.hours.unwrap_or(24) as usize, 1..=168)?;
    let points = within("points", query.points.unwrap_or(288), 2..=1440)?;
    let (snapshot, _) = servers::find(&api, &id)?;
    let _place = api.history.place()?;
    let mut steps = Steps::new(snapshot.at, Duration::from_secs(3600 * hours as u64), points);
    let (mut before, mut read, mut plans) = (u64::MAX, 0, BTreeMap::new());
    while read < REPORTS_MAX {
        let reports = api.store.reports_of(&id, steps.begin(), snapshot.at, before, REPORTS_AT_A_TIME).await?;
        let Some(last) = reports.last() else { break };
        before = last.id;
        read += reports.len();
        for archived in reports {
            // One that cannot be read is a gap in the lines.
            let Ok(report) = v1::Report::decode(archived.payload.as_slice()) else { continue };
            let version = report.plan_version;
            if !plans.contains_key(&version) {
                if plans.len() >= PLANS_MAX {
                    plans.clear();
                }
                plans.insert(version, api.store.plan(version).await?.unwrap_or_default());
            }
            let knocks = intake::read_named(&id, &plans, &report).map(|(_, outcome)| outcome);
            steps.add(archived.observed_at, &Measured::of(&report, knocks));
        }
    }
    let values = Measured::NAMES.iter().enumerate();
    let values = values.filter_map(|(which, name)| Some(((*name).to_owned(), steps.means(which)?)));
    let body =
        Series { server: id, step_ms: steps.step_ms(), at_ms: steps.begins().collect(), values: values.collect() };
    etag::answer(&headers, &body, &body)
}

/// The last hour of all servers, in small.
#[utoipa::path(get, path = "/metrics/lines", tag = "history", params(LinesQuery),
    responses((status = 200, body = Lines)))]
pub async fn get_lines(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<LinesQuery>,
) -> Result<Response, Problem> {
    let points = within("points", query.points.unwrap_or(30), 2..=lines::SLOTS)?;
    let now = api.engine.snapshot().at;
    // As many marks as make whole points, the newest ones.
    let each = lines::SLOTS / points;
    let first = (lines::number(now) + 1).saturating_sub((points * each) as u64);
    let servers = api.engine.lines(|all| {
        let small = |(server, marks): (&str, Vec<lines::Mark>)| (server.to_owned(), ServerLines::of(&marks, points));
        all.until(now).map(small).collect()
    });
    let body = Lines {
        step_ms: (lines::STEP * each as u32).as_millis() as u64,
        at_ms: (0..points).map(|point| lines::begins_at(first + (point * each) as u64).as_ms()).collect(),
        servers,
    };
    etag::answer(&headers, &body, &body)
}

fn within(name: &str, number: usize, bounds: RangeInclusive<usize>) -> Result<usize, Problem> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    Err(Problem::bad_request(format!("{name} is {number}: use {} to {}", bounds.start(), bounds.end())))
}

impl ServerLines {
    /// From the marks of an hour, oldest first.
    fn of(marks: &[lines::Mark], points: usize) -> Self {
        let each = marks.len() / points;
        let kept = &marks[marks.len().saturating_sub(each * points)..];
        let line = |of: fn(&lines::Mark) -> Option<f32>| -> Vec<Option<f32>> {
            let line: Vec<Option<f32>> = kept.chunks(each).map(|marks| mean(marks.iter().filter_map(of))).collect();
            if line.iter().all(Option::is_none) { Vec::new() } else { line }
        };
        Self {
            cpu_percent: line(|mark| mark.cpu_percent),
            memory_used_share: line(|mark| mark.memory_used_share),
            network_bytes_per_s: line(|mark| mark.network_bytes_per_s),
            latency_ms: line(|mark| mark.latency_ms),
        }
    }
}

fn mean(numbers: impl Iterator<Item = f32>) -> Option<f32> {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
