//! Badges as they change: first the state, then each change, and the state again every few seconds, so that a reader knows
//! that the line lives.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use quorate_core::time::Moment;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::entry::Entry;
use crate::api::Api;
use crate::api::problem::Problem;
use crate::engine::Snapshot;

/// Most readers of badges at a time. They have places of their own, so that visitors of somebody's page never take those of
/// the people who run the fleet; whoever finds none asks every few seconds.
pub const BADGE_STREAMS_MAX: usize = 512;
/// The state is said again after so long at the latest; readers are promised ten seconds.
const AGAIN_AFTER: Duration = Duration::from_secs(8);
/// After news the next are waited for at least so long: many reports in a row are one change to a reader.
const SETTLES_IN: Duration = Duration::from_millis(250);

/// Whether a reader wants a stream.
pub fn is_wanted(headers: &HeaderMap) -> bool {
    let accepts = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("text/event-stream"));
    headers.get_all(header::ACCEPT).iter().any(accepts)
}

/// What a stream tells.
pub trait Told: Serialize + PartialEq + Send + 'static {
    /// The event's name.
    const EVENT: &'static str;
    /// Without what is different at each moment: what makes it news.
    fn timeless(&self) -> Self;
}

/// A stream of what `read` finds in each snapshot; it ends when that is gone, or the reader's right to it, or the process.
pub fn answer<T: Told>(
    api: &Api,
    entry: Entry,
    read: impl Fn(&Snapshot, Moment) -> Result<T, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let place = api.badge_streams.clone().try_acquire_owned().map_err(|_| {
        Problem::unavailable(format!(
            "{BADGE_STREAMS_MAX} readers of badges are connected already: ask without a stream"
        ))
    })?;
    let mut response = Sse::new(told(api.clone(), entry, read, place)).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn told<T: Told>(
    api: Api,
    entry: Entry,
    read: impl Fn(&Snapshot, Moment) -> Result<T, Problem> + Send + 'static,
    place: OwnedSemaphorePermit,
) -> impl Stream<Item = Result<Event, Infallible>> {
    async_stream::stream! {
        let _place = place;
        let mut snapshots = api.engine.watch();
        let mut last: Option<T> = None;
        let mut again = tokio::time::interval(AGAIN_AFTER);
        again.tick().await;
        loop {
            let snapshot = snapshots.borrow_and_update().clone();
            let Ok(view) = read(&snapshot, api.clock.now()) else { break };
            let timeless = Some(view.timeless());
            if last != timeless {
                yield Ok(event(&view));
                last = timeless;
            }
            tokio::select! {
                changed = snapshots.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    tokio::time::sleep(SETTLES_IN).await;
                }
                _ = again.tick() => {
                    if !entry.is_still_in(&api).await {
                        break;
                    }
                    last = None;
                }
                () = api.stop.cancelled() => break,
            }
        }
    }
}

fn event<T: Told>(view: &T) -> Event {
    // Strings and numbers can be written as JSON.
    Event::default().event(T::EVENT).data(serde_json::to_string(view).unwrap_or_default())
}
