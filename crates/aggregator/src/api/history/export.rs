//! Events and status spans as a file, for spreadsheets and programs.

use std::collections::VecDeque;
use std::io;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::{IntoParams, ToSchema};

use super::spans::{SPANS_MAX, SpanQuery};
use crate::api::Api;
use crate::api::access::Reader;
use crate::api::extract::Params;
use crate::api::problem::Problem;
use crate::engine::Event;
use crate::store::{StatusSpan, StoreError};
use crate::when;

/// Events read at a time.
const PAGE: usize = 1_000;

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
    #[param(inline)]
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

/// Events in order of time, then the status spans of each server, as a file.
#[utoipa::path(get, path = "/history/export", tag = "history", params(ExportQuery),
    responses((status = 200, body = String, content_type = "text/csv",
        description = "CSV, or JSON lines with `format=jsonl`"), (status = 400, body = Problem)))]
pub async fn get_export(
    State(api): State<Api>,
    _: Reader,
    Params(query): Params<ExportQuery>,
) -> Result<Response, Problem> {
    let ExportQuery { from_ms, to_ms, format } = query;
    let (from, to) = SpanQuery { from_ms, to_ms }.range(api.engine.snapshot().at)?;
    let place = api.streams.clone().try_acquire_owned().map_err(|_| {
        Problem::busy(format!("{} readers are connected already: try again later", crate::api::STREAMS_MAX), 10)
    })?;
    // The first page is read before the answer begins, so that a store that is away is a refusal and no torn file.
    let mut export = Export { api, from, to, rest: Rest::Events { after: 0 }, _place: place };
    let first = export.next().await?;
    let stream = async_stream::stream! {
        yield Ok(Bytes::from(text(format, &first, true)));
        let stop = export.api.stop.clone();
        loop {
            let next = tokio::select! {
                next = export.next() => next,
                () = stop.cancelled() => {
                    yield Err(io::Error::other("the aggregator is shutting down"));
                    break;
                }
            };
            match next {
                Ok(rows) if rows.is_empty() && export.rest == Rest::Nothing => break,
                Ok(rows) => yield Ok(Bytes::from(text(format, &rows, false))),
                Err(error) => {
                    tracing::error!(%error, "an export ended before its end");
                    yield Err(io::Error::other(error));
                    break;
                }
            }
        }
    };
    let (content_type, extension) = match format {
        ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
        ExportFormat::Jsonl => ("application/jsonl", "jsonl"),
    };
    let disposition = format!("attachment; filename=\"quorate-{}.{extension}\"", when::day(to));
    let headers = [
        (header::CONTENT_TYPE, content_type.to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

/// An export under way: a page of it is in memory.
struct Export {
    api: Api,
    from: Moment,
    to: Moment,
    rest: Rest,
    _place: OwnedSemaphorePermit,
}

/// What was not written yet.
#[derive(Debug, PartialEq, Eq)]
enum Rest {
    Events { after: u64 },
    Spans { servers: VecDeque<String> },
    Nothing,
}

/// One line of an export.
#[derive(Debug, Serialize)]
#[serde(tag = "row", rename_all = "snake_case")]
enum Line {
    Event(Event),
    Span {
        server: String,
        status: String,
        since_ms: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        until_ms: Option<u64>,
    },
}

impl Export {
    /// The next rows; there may be none though there are more to come.
    async fn next(&mut self) -> Result<Vec<Line>, StoreError> {
        match &mut self.rest {
            Rest::Events { after } => {
                let events = self.api.store.events_between(self.from, self.to, *after, PAGE).await?;
                if let Some(last) = events.last() {
                    *after = last.id;
                } else {
                    let servers = self.api.store.statuses_at(self.to).await?.into_keys().collect();
                    self.rest = Rest::Spans { servers };
                }
                Ok(events.into_iter().map(Line::Event).collect())
            }
            Rest::Spans { servers } => {
                let Some(server) = servers.pop_front() else {
                    self.rest = Rest::Nothing;
                    return Ok(Vec::new());
                };
                let spans = self.api.store.status_history(&server, self.from, self.to, SPANS_MAX).await?;
                let line = |span: StatusSpan| Line::Span {
                    server: server.clone(),
                    status: span.status.as_str().to_owned(),
                    since_ms: span.since.as_ms(),
                    until_ms: span.until.map(Moment::as_ms),
                };
                Ok(spans.into_iter().map(line).collect())
            }
            Rest::Nothing => Ok(Vec::new()),
        }
    }
}

fn text(format: ExportFormat, lines: &[Line], is_first: bool) -> String {
    let mut text = String::new();
    if is_first && format == ExportFormat::Csv {
        text.push_str("row,at_ms,at,until_ms,kind,subject,from,to,reason\r\n");
    }
    for line in lines {
        match format {
            ExportFormat::Csv => text.push_str(&csv(line)),
            ExportFormat::Jsonl => {
                // Strings and numbers can be written as JSON.
                text.push_str(&serde_json::to_string(line).unwrap_or_default());
                text.push('\n');
            }
        }
    }
    text
}

fn csv(line: &Line) -> String {
    let time = |ms| when::date_and_time(Moment::from_ms(ms));
    let cells = match line {
        Line::Event(event) => [
            "event".to_owned(),
            event.at_ms.to_string(),
            time(event.at_ms),
            String::new(),
            event.kind.clone(),
            event.subject.clone(),
            event.from.clone().unwrap_or_default(),
            event.to.clone().unwrap_or_default(),
            event.reason.clone(),
        ],
        Line::Span { server, status, since_ms, until_ms } => [
            "span".to_owned(),
            since_ms.to_string(),
            time(*since_ms),
            until_ms.map(|until| until.to_string()).unwrap_or_default(),
            "status_span".to_owned(),
            server.clone(),
            String::new(),
            status.clone(),
            String::new(),
        ],
    };
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    format!("{}\r\n", cells.join(","))
}

/// A cell that is text and nothing else: what a spreadsheet would take for a formula gets an apostrophe before it, which
/// spreadsheets take for "this is text".
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if !formula && !cell.contains([',', '"', '\n', '\r']) {
        return cell.to_owned();
    }
    let apostrophe = if formula { "'" } else { "" };
    format!("\"{apostrophe}{}\"", cell.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_cell_is_text_whatever_it_begins_with() {
        for (cell, written) in [
            ("nl-1", "nl-1"),
            ("a, b", "\"a, b\""),
            ("he said \"no\"", "\"he said \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "\"'=1+1\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@sum(a)", "\"'@sum(a)\""),
            ("\t=1", "\"'\t=1\""),
            ("", ""),
        ] {
            assert_eq!(quoted(cell), written);
        }
    }
}
