//! `/metrics` in Prometheus' text format.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::time::Duration;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use quorate_core::verdict::Status;

use super::Api;
use super::access::Reader;
use crate::engine::Snapshot;
use crate::gateway::Totals;

mod edges;

/// Numbers for Prometheus; needs a token of scope `read`.
pub async fn get_metrics(State(api): State<Api>, _: Reader) -> Response {
    let snapshot = api.engine.snapshot();
    let store_up = api.store.ping().await.is_ok();
    let mut body = text(&snapshot, api.clock.now().as_ms(), api.session_count(), store_up);
    body.push_str(&edges::text(&api, &snapshot));
    if let Some(gateway) = &api.gateway {
        body.push_str(&gateway_text(&gateway.sessions().totals()));
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], body).into_response()
}

fn text(snapshot: &Snapshot, now_ms: u64, sessions: usize, store_up: bool) -> String {
    let mut page = Page::default();
    page.family("quorate_build_info", "gauge", "The aggregator's version.");
    page.number("quorate_build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
    page.family("quorate_servers", "gauge", "Servers by status.");
    for status in Status::ALL {
        let count = snapshot.verdicts.servers.iter().filter(|verdict| verdict.status == status).count();
        page.number("quorate_servers", &[("status", status.as_str())], count as u64);
    }
    let mut states: BTreeMap<&str, u64> = BTreeMap::new();
    for verdict in &snapshot.verdicts.entry_points {
        *states.entry(verdict.state().as_str()).or_default() += 1;
    }
    page.family("quorate_entry_points", "gauge", "Entry points by state.");
    for (state, count) in states {
        page.number("quorate_entry_points", &[("state", state)], count);
    }
    page.family("quorate_country_cuts", "gauge", "Country cuts that are told.");
    page.number("quorate_country_cuts", &[], snapshot.verdicts.cuts.len() as u64);
    page.family("quorate_plans_refused", "gauge", "Servers whose agent refuses its plan.");
    page.number("quorate_plans_refused", &[], snapshot.refusals.len() as u64);
    page.family("quorate_routes", "gauge", "Routes.");
    page.number("quorate_routes", &[], snapshot.fleet.routes().len() as u64);
    page.family("quorate_generation", "counter", "Evaluations that changed anything a reader can see.");
    page.number("quorate_generation", &[], snapshot.generation);
    page.family("quorate_evaluation_age_milliseconds", "gauge", "Since the last evaluation.");
    page.number("quorate_evaluation_age_milliseconds", &[], now_ms.saturating_sub(snapshot.at.as_ms()));
    let micros = |span: Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
    page.family("quorate_evaluation_microseconds", "summary", "How long evaluations take.");
    page.number("quorate_evaluation_microseconds_sum", &[], micros(snapshot.effort.total));
    page.number("quorate_evaluation_microseconds_count", &[], snapshot.effort.count);
    page.family("quorate_evaluation_last_microseconds", "gauge", "How long the last evaluation took.");
    page.number("quorate_evaluation_last_microseconds", &[], micros(snapshot.effort.last));
    page.family(
        "quorate_evaluation_max_microseconds",
        "gauge",
        "How long the longest evaluation since the start took.",
    );
    page.number("quorate_evaluation_max_microseconds", &[], micros(snapshot.effort.max));
    page.family("quorate_sessions", "gauge", "Live sessions of agents.");
    page.number("quorate_sessions", &[], sessions as u64);
    page.family("quorate_store_up", "gauge", "Whether the store answered just now.");
    page.number("quorate_store_up", &[], u64::from(store_up));
    page.family("quorate_report_age_milliseconds", "gauge", "Since the last report of a server was observed.");
    for (server, verdict) in snapshot.fleet.servers().iter().zip(&snapshot.verdicts.servers) {
        if let Some(at) = verdict.last_report_at {
            let age = now_ms.saturating_sub(at.as_ms());
            page.number("quorate_report_age_milliseconds", &[("server", &server.id)], age);
        }
    }
    page.text
}

fn gateway_text(totals: &Totals) -> String {
    let mut page = Page::default();
    let mut counters = |name: &str, help: &str, label: &str, values: &[(&str, u64)]| {
        page.family(name, "counter", help);
        for (word, value) in values {
            page.number(name, &[(label, word)], *value);
        }
    };
    let reports = [
        ("stored", totals.reports_stored),
        ("repeated", totals.reports_repeated),
        ("refused", totals.reports_refused),
        ("lost", totals.reports_lost),
    ];
    counters("quorate_reports_total", "Reports, by what became of them; lost ones never came.", "result", &reports);
    let connections = [
        ("accepted", totals.connections),
        ("empty", totals.connections_empty),
        ("shed", totals.connections_shed),
        ("refused", totals.connections_refused),
        ("handshake_failed", totals.handshakes_failed),
    ];
    counters(
        "quorate_gateway_connections_total",
        "Connections to the gateway, by how they went.",
        "result",
        &connections,
    );
    let headers = [
        ("parsed", totals.headers_parsed),
        ("local", totals.headers_local),
        ("invalid", totals.headers_invalid),
        ("missing", totals.headers_missing),
        ("off_policy", totals.headers_off_policy),
    ];
    counters("quorate_proxy_headers_total", "PROXY headers, by what was found.", "result", &headers);
    let hellos = [("session", totals.sessions), ("probe", totals.probes)];
    counters("quorate_hellos_total", "Agents that said Hello, by purpose.", "purpose", &hellos);
    let enrolments = [("issued", totals.enrolments), ("refused", totals.enrolments_refused)];
    counters("quorate_enrolments_total", "Enrolments, by how they went.", "result", &enrolments);
    let renewals = [("issued", totals.renewals), ("refused", totals.renewals_refused)];
    counters("quorate_renewals_total", "Renewals of agents' certificates, by how they went.", "result", &renewals);
    page.family("quorate_received_bytes_total", "counter", "Bytes of messages from agents.");
    page.number("quorate_received_bytes_total", &[], totals.bytes_received);
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing into a string cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn number(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
