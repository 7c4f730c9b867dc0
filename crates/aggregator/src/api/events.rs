//! What happened: pages of it from the store, or a stream of it as it happens.
//!
//! A stream begins behind the id that the reader names, with what the store has, and goes on live. Ids grow by one, so a
//! gap (what was pruned, or a reader too slow for its place in the queue) is seen, filled from the store where it can be,
//! and told as `missed` where it cannot.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{self, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use utoipa::IntoParams;

use super::access::{Caller, Reader};
use super::extract::Params;
use super::page::{LIMIT_MAX, PageQuery, Rows};
use super::problem::Problem;
use super::{Api, etag};
use crate::engine::Event;
use crate::event::Kind;
use crate::store::{EventQuery, StoreError};

/// Which events.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventsQuery {
    /// Only this kind: `server_status`, `entry_point_state`, `half_blind`, `country_cut`, `route`, `session` or
    /// `aggregator`.
    pub kind: Option<String>,
    /// Only about this server, entry point, route or country.
    pub subject: Option<String>,
    /// Rows, 1 to 1,000; 100 when absent.
    pub limit: Option<usize>,
    /// Behind this id, oldest first; the newest events, newest first, when absent.
    pub after: Option<u64>,
    /// Before this id, newest first.
    pub before: Option<u64>,
}

/// How often a quiet stream says that it lives; less than the idle time of usual proxies.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How soon a stream ends when its reader's token or sign-in has.
const RIGHT_LOOKED_AT_EVERY: Duration = Duration::from_secs(8);

/// Events; a stream of them with `Accept: text/event-stream`, which resumes at `Last-Event-ID`.
#[utoipa::path(get, path = "/events", tag = "events", params(EventsQuery),
    responses((status = 200, body = Rows<Event>, description = "A page, or with `Accept: text/event-stream` a stream")))]
pub async fn get_events(
    State(api): State<Api>,
    Reader(caller): Reader,
    headers: HeaderMap,
    Params(query): Params<EventsQuery>,
) -> Result<Response, Problem> {
    check_kind(query.kind.as_deref())?;
    let accepts = |value: &header::HeaderValue| value.to_str().is_ok_and(|value| value.contains("text/event-stream"));
    if headers.get_all(header::ACCEPT).iter().any(accepts) {
        return stream(&api, caller, &headers, query).await;
    }
    let limit = PageQuery { limit: query.limit, after: None }.rows()?;
    let ascending = query.after.is_some();
    let found = api.store.events(EventQuery {
        after: query.after,
        before: query.before,
        subject: query.subject,
        kind: query.kind,
        limit: limit + 1,
    });
    let mut items = found.await?;
    let more = items.len() > limit;
    items.truncate(limit);
    // Pages with `after` go on upwards; the newest page goes on downwards with `before`.
    let next = items.last().filter(|_| more && ascending).map(|last| last.id.to_string());
    let page = Rows { items, next };
    etag::answer(&headers, &page, &page)
}

/// A kind that nothing has is a slip, not a quiet day.
fn check_kind(kind: Option<&str>) -> Result<(), Problem> {
    match kind.filter(|word| Kind::ALL.iter().all(|kind| kind.as_str() != *word)) {
        Some(unknown) => {
            let known = Kind::ALL.map(Kind::as_str).join(", ");
            Err(Problem::bad_request(format!("kind '{unknown}' is unknown: use {known}")))
        }
        None => Ok(()),
    }
}

async fn stream(api: &Api, caller: Caller, headers: &HeaderMap, query: EventsQuery) -> Result<Response, Problem> {
    let place = api.streams.clone().try_acquire_owned().map_err(|_| {
        Problem::unavailable(format!("{} readers of events are connected already: try again later", super::STREAMS_MAX))
    })?;
    let live = api.engine.events();
    let named = headers.get("last-event-id").map(|value| {
        let parsed = value.to_str().ok().and_then(|value| value.trim().parse::<u64>().ok());
        parsed.ok_or_else(|| Problem::bad_request("Last-Event-ID is no number: send the id of an event"))
    });
    let last = match named.transpose()?.or(query.after) {
        Some(last) => last,
        None => api.store.last_event_id().await?,
    };
    let reader =
        EventReader { api: api.clone(), query, live, last, ready: VecDeque::new(), behind: true, _place: place };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE).text("still here");
    let mut response = Sse::new(reader.stream(caller)).keep_alive(keep_alive).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    Ok(response)
}

struct EventReader {
    api: Api,
    query: EventsQuery,
    live: Receiver<Arc<Event>>,
    /// Everything up to here was told, or does not fit.
    last: u64,
    ready: VecDeque<Event>,
    /// The store may have more behind `last` than the live queue will bring.
    behind: bool,
    _place: OwnedSemaphorePermit,
}

impl EventReader {
    fn stream(mut self, caller: Caller) -> impl Stream<Item = Result<sse::Event, Infallible>> {
        let api = self.api.clone();
        async_stream::stream! {
            let mut again = tokio::time::interval(RIGHT_LOOKED_AT_EVERY);
            again.tick().await;
            yield Ok(sse::Event::default().comment("events"));
            loop {
                // What is dropped here in the middle has taken nothing from the queue.
                let next = tokio::select! {
                    next = self.next() => next,
                    _ = again.tick() => {
                        if caller.is_still_in(&api).await {
                            continue;
                        }
                        break;
                    }
                    () = api.stop.cancelled() => break,
                };
                match next {
                    Some(message) => yield Ok(message),
                    None => break,
                }
            }
        }
    }

    async fn next(&mut self) -> Option<sse::Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                if let Some(missed) = self.gap(event.id) {
                    self.ready.push_front(event);
                    return Some(missed);
                }
                self.last = event.id;
                if self.fits(&event) {
                    return Some(message(&event));
                }
            } else if self.behind {
                match self.catch_up().await {
                    Ok(events) => {
                        self.behind = events.len() == LIMIT_MAX;
                        self.ready.extend(events);
                    }
                    Err(error) => {
                        // The reader comes back with the id that it has.
                        tracing::warn!(%error, "a stream of events ended");
                        return None;
                    }
                }
            } else {
                match self.live.recv().await {
                    Ok(event) if event.id > self.last => {
                        // What lies between is in the store, if it is anywhere.
                        if event.id > self.last + 1 {
                            self.behind = true;
                        } else {
                            self.ready.push_back(Event::clone(&event));
                        }
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => self.behind = true,
                    Err(RecvError::Closed) => return None,
                }
            }
        }
    }

    /// Unfiltered, so that a gap in the ids is a gap.
    async fn catch_up(&self) -> Result<Vec<Event>, StoreError> {
        self.api.store.events(EventQuery { after: Some(self.last), limit: LIMIT_MAX, ..EventQuery::default() }).await
    }

    /// Tells of the events before `next` that are gone.
    fn gap(&mut self, next: u64) -> Option<sse::Event> {
        let count = next.saturating_sub(self.last + 1);
        if count == 0 {
            return None;
        }
        let told = json!({"after": self.last, "before": next, "count": count});
        self.last = next - 1;
        Some(sse::Event::default().event("missed").data(told.to_string()))
    }

    fn fits(&self, event: &Event) -> bool {
        self.query.kind.as_ref().is_none_or(|kind| *kind == event.kind)
            && self.query.subject.as_ref().is_none_or(|subject| *subject == event.subject)
    }
}

fn message(event: &Event) -> sse::Event {
    // An event is strings and numbers: it can be written as JSON.
    let data = serde_json::to_string(event).unwrap_or_default();
    sse::Event::default().id(event.id.to_string()).event("event").data(data)
}
