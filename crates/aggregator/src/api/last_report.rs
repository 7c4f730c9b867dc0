//! A server's last report in JSON: what it said of itself, and how its knocks ended.

use quorate_core::outcome::Outcome;
use quorate_proto::v1;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::engine::LastReport;

/// The last report of a server.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReportView {
    /// When it came.
    pub received_at_ms: u64,
    /// When its round ended.
    pub observed_at_ms: u64,
    /// `ok`, `down` or `unknown`.
    pub health: String,
    /// Its services.
    pub services: Vec<ServiceView>,
    /// Its own entry points, as it sees them.
    pub own: Vec<OwnView>,
    /// What it measured; absent fields were not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<MetricsView>,
    /// How each knock ended.
    pub outcomes: Vec<OutcomeView>,
}

/// A service.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ServiceView {
    /// Its name.
    pub name: String,
    /// `ok`, `failed` or `unknown` (not permitted to look).
    pub finding: String,
    /// More of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[serde(default)]
    pub detail: String,
}

/// An own entry point.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OwnView {
    /// Its id.
    pub entry_point: String,
    /// `ok`, `failed` or `unknown`.
    pub finding: String,
    /// More of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[serde(default)]
    pub detail: String,
    /// Until its certificate ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate_days_left: Option<i32>,
}

/// What a server measured.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[allow(missing_docs, reason = "each name says what it is and in what unit; the wire's definition has the rest")]
pub struct MetricsView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_per_core: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_used_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_received_bytes_per_s: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_sent_bytes_per_s: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_offset_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_memory_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outbox_shed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge_file_faults: Option<u32>,
}

/// How a knock ended.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct OutcomeView {
    /// Whose door.
    pub entry_point: String,
    /// `reached`, `failed` or `inconclusive`.
    pub outcome: String,
    /// Of a reached one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// The step that failed: `connect`, `tls_handshake`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// How it failed, in OONI's words, or why the knock says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// When it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<f64>,
    /// Body bytes received until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u32>,
}

impl OutcomeView {
    /// An outcome on an entry point.
    pub fn of(entry_point: &str, outcome: &Outcome) -> Self {
        let bare = |word: &str| Self {
            entry_point: entry_point.to_owned(),
            outcome: word.to_owned(),
            latency_ms: None,
            operation: None,
            word: None,
            after_ms: None,
            bytes: None,
        };
        match outcome {
            Outcome::Reached { latency } => Self { latency_ms: Some(ms(*latency)), ..bare("reached") },
            Outcome::Failed(failure) => Self {
                operation: Some(failure.operation.to_string()),
                word: Some(failure.kind.to_string()),
                after_ms: Some(ms(failure.after)),
                bytes: (failure.bytes > 0).then_some(failure.bytes),
                ..bare("failed")
            },
            Outcome::Inconclusive(reason) => Self { word: Some(reason.to_string()), ..bare("inconclusive") },
        }
    }
}

impl ReportView {
    /// The report in JSON.
    pub fn of(report: &LastReport) -> Self {
        let check = &report.self_check;
        let own = check.own.iter().map(|own| OwnView {
            entry_point: own.entry_point.clone(),
            finding: finding(own.finding()).to_owned(),
            detail: own.detail.clone(),
            certificate_days_left: own.certificate_days_left,
        });
        let services = check.services.iter().map(|service| ServiceView {
            name: service.name.clone(),
            finding: finding(service.finding()).to_owned(),
            detail: service.detail.clone(),
        });
        Self {
            received_at_ms: report.received_at.as_ms(),
            observed_at_ms: report.observed_at.as_ms(),
            health: health(check.health()).to_owned(),
            services: services.collect(),
            own: own.collect(),
            metrics: check.metrics.as_ref().map(metrics),
            outcomes: report.outcomes.iter().map(|(id, outcome)| OutcomeView::of(id, outcome)).collect(),
        }
    }
}

/// A span in milliseconds with a tenth, which is what a knock's time is good for.
#[allow(clippy::cast_precision_loss, reason = "a probe takes seconds: far below 2^52 tenths of a millisecond")]
pub fn ms(span: std::time::Duration) -> f64 {
    (span.as_micros() as f64 / 100.0).round() / 10.0
}

fn metrics(metrics: &v1::Metrics) -> MetricsView {
    MetricsView {
        cpu_percent: metrics.cpu_percent,
        load_per_core: metrics.load_per_core,
        memory_used_bytes: metrics.memory_used_bytes,
        memory_total_bytes: metrics.memory_total_bytes,
        disk_used_bytes: metrics.disk_used_bytes,
        disk_total_bytes: metrics.disk_total_bytes,
        network_received_bytes_per_s: metrics.network_received_bytes_per_s,
        network_sent_bytes_per_s: metrics.network_sent_bytes_per_s,
        uptime_s: metrics.uptime_s,
        open_files: metrics.open_files,
        clock_offset_ms: metrics.clock_offset_ms,
        agent_memory_bytes: metrics.agent_memory_bytes,
        outbox_shed: metrics.outbox_shed,
        edge_file_faults: metrics.edge_file_faults,
    }
}

const fn health(health: v1::Health) -> &'static str {
    match health {
        v1::Health::Ok => "ok",
        v1::Health::Down => "down",
        v1::Health::Unspecified => "unknown",
    }
}

const fn finding(finding: v1::Finding) -> &'static str {
    match finding {
        v1::Finding::Ok => "ok",
        v1::Finding::Failed => "failed",
        v1::Finding::Unspecified | v1::Finding::Unknown => "unknown",
    }
}
