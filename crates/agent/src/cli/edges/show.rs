//! The findings as lines for people and as JSON for programs.

use std::net::IpAddr;

use quorate_core::edge::Times;
use quorate_core::edge::explain::{Place, Row};
use quorate_core::time::Moment;
use serde_json::{Value, json};

use super::{Findings, date_and_time};
use crate::cli::print::{ms, ms_text};

/// A table, one row for each edge, first comes first; then what is to be said.
pub(super) fn lines(findings: &Findings) -> Vec<String> {
    let mut table = vec![cells(["", "ADDRESS", "TLS", "TCP", "STATE"])];
    if findings.now.is_some() {
        table[0].extend(cells(["TLS NOW", "TCP NOW"]));
    }
    let remembered = findings.explanation.rows.iter().map(|row| (row.edge.address, Some(row)));
    let mut problems = Vec::new();
    for (number, (address, row)) in remembered.chain(unheard_of(findings)).enumerate() {
        let times = row.and_then(|row| row.edge.times);
        let mut line = cells([&(number + 1).to_string(), &address.to_string()]);
        line.extend(both(times.as_ref()));
        line.push(row.map_or("not known yet", state).to_owned());
        match now(findings, address) {
            Some(Ok(times)) => line.extend(both(Some(times))),
            Some(Err(problem)) => {
                line.extend(both(None));
                problems.push(format!("{address} does not answer now: {problem}."));
            }
            None => {}
        }
        table.push(line);
    }
    let mut lines = aligned(&table);
    lines.push(String::new());
    lines.extend(problems);
    if findings.kept.is_some() {
        lines.extend(findings.explanation.sentences.iter().cloned());
    }
    lines.push(written(findings));
    lines
}

/// Where the table comes from, and what that is worth.
fn written(findings: &Findings) -> String {
    match &findings.kept {
        None => format!("No agent has written anything about {} yet: 'quorate-agent run' does.", findings.gateway),
        Some(kept) => {
            let at = date_and_time(kept.written_at);
            let runs = if findings.agent_runs { "which runs" } else { "which does not run any more" };
            format!("Last change written at {at} by process {}, {runs}.", kept.process)
        }
    }
}

/// Measured now, and not known to the agent.
fn unheard_of(findings: &Findings) -> impl Iterator<Item = (IpAddr, Option<&Row>)> {
    let is_known = |address: IpAddr| findings.explanation.rows.iter().any(|row| row.edge.address == address);
    let measured = findings.now.iter().flatten().map(|(address, _)| *address);
    measured.filter(move |address| !is_known(*address)).map(|address| (address, None))
}

fn now(findings: &Findings, address: IpAddr) -> Option<&Result<Times, String>> {
    findings.now.iter().flatten().find(|(tried, _)| *tried == address).map(|(_, times)| times)
}

fn state(row: &Row) -> &'static str {
    match (row.place, row.edge.failing, row.edge.times.is_some()) {
        (Place::Current, _, _) => "current",
        (_, true, _) => "does not answer",
        (_, false, false) => "not measured",
        (Place::Before | Place::Behind { .. } | Place::Idle, false, true) => "good",
    }
}

fn both(times: Option<&Times>) -> [String; 2] {
    times.map_or_else(|| ["-".to_owned(), "-".to_owned()], |times| [ms_text(times.tls), ms_text(times.tcp)])
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

/// Columns as wide as their widest cell, two blanks apart.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column| table.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |cells: &Vec<String>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

pub(super) fn as_json(findings: &Findings) -> Value {
    let memory = findings.kept.as_ref().map(|kept| &kept.memory);
    let moment = |at: Option<Moment>| at.map(Moment::as_ms);
    let remembered = findings.explanation.rows.iter().map(|row| (row.edge.address, Some(row)));
    let edges: Vec<Value> =
        remembered.chain(unheard_of(findings)).map(|(address, row)| edge(findings, address, row)).collect();
    json!({
        "gateway": findings.gateway,
        "agent_runs": findings.agent_runs,
        "written_at_ms": findings.kept.as_ref().map(|kept| kept.written_at.as_ms()),
        "resolved_at_ms": moment(memory.and_then(|memory| memory.resolved_at)),
        "measured_at_ms": moment(memory.and_then(|memory| memory.measured_at)),
        "session": findings.explanation.seat.map(|seat| json!({
            "address": seat.address,
            "since_ms": seat.since.as_ms(),
            "why": seat.why.as_str(),
            "missing": seat.missing,
        })),
        "edges": edges,
        "sentences": findings.explanation.sentences,
    })
}

fn edge(findings: &Findings, address: IpAddr, row: Option<&Row>) -> Value {
    let times = |times: Option<&Times>| {
        times.map(|times| json!({ "tls_ms": ms(times.tls), "tcp_ms": ms(times.tcp), "samples": times.samples }))
    };
    let place = row.map(|row| match row.place {
        Place::Current => "current",
        Place::Before => "before",
        Place::Behind { .. } => "behind",
        Place::Idle => "idle",
    });
    let now = now(findings, address).map(|now| match now {
        Ok(taken) => json!({ "times": times(Some(taken)), "problem": null }),
        Err(problem) => json!({ "times": null, "problem": problem }),
    });
    json!({
        "address": address,
        "place": place,
        "times": times(row.and_then(|row| row.edge.times).as_ref()),
        "failing": row.map(|row| row.edge.failing),
        "good_rounds": row.map(|row| row.edge.good_rounds),
        "better_rounds": row.map(|row| row.edge.better_rounds),
        "now": now,
    })
}
