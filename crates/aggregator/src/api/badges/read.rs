//! Badges as JSON, or as a stream of it with `Accept: text/event-stream`.

use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use quorate_core::time::Moment;

use super::entry::{Audience, Entry};
use super::link::Subject;
use super::of_route;
use super::stream::{self, Told};
use super::view::{BadgeView, RouteBadges};
use crate::api::extract::{Named, Params};
use crate::api::feed::FeedQuery;
use crate::api::problem::Problem;
use crate::api::{Api, etag};
use crate::engine::Snapshot;

/// The badge of a server: with a cookie, a token (also as `?token=`) or a signed link (`?until=&sig=`).
#[utoipa::path(get, path = "/badges/servers/{server}", tag = "badges",
    params(("server" = String, Path, description = "The server"),
        ("until" = Option<u64>, Query, description = "End of a signed link, Unix seconds"),
        ("sig" = Option<String>, Query, description = "Signature of a signed link"),
        ("token" = Option<String>, Query, description = "A token of scope `read`")),
    responses(
        (status = 200, body = BadgeView, description = "Or with `Accept: text/event-stream` a stream of events `badge`"),
        (status = 304), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 410, body = Problem, description = "The link's time is over"),
    ))]
pub async fn get_server_badge(
    State(api): State<Api>,
    parts: Parts,
    Named(server): Named<String>,
) -> Result<Response, Problem> {
    let entry = Entry::of(&api, &parts, Subject::Server(server.clone())).await?;
    let audience = entry.audience();
    let read = move |snapshot: &Snapshot, now| server_badge(snapshot, &server, now, audience);
    answer(&api, &parts, entry, read)
}

/// The badges of the servers that a route has for a reader; a signed link names the reader, too.
#[utoipa::path(get, path = "/badges/routes/{route}", tag = "badges",
    params(("route" = String, Path, description = "The route"), FeedQuery,
        ("until" = Option<u64>, Query, description = "End of a signed link, Unix seconds"),
        ("sig" = Option<String>, Query, description = "Signature of a signed link"),
        ("token" = Option<String>, Query, description = "A token of scope `read`")),
    responses(
        (status = 200, body = RouteBadges, description = "Or with `Accept: text/event-stream` a stream of events `badges`"),
        (status = 304), (status = 403, body = Problem), (status = 404, body = Problem),
        (status = 410, body = Problem, description = "The link's time is over"),
    ))]
pub async fn get_route_badges(
    State(api): State<Api>,
    parts: Parts,
    Named(route): Named<String>,
    Params(query): Params<FeedQuery>,
) -> Result<Response, Problem> {
    let subject = Subject::Route {
        route: route.clone(),
        subscriber: query.subscriber.clone(),
        country: query.country.clone(),
        count: query.count,
    };
    let entry = Entry::of(&api, &parts, subject).await?;
    let audience = entry.audience();
    let read = move |snapshot: &Snapshot, now| route_badges(snapshot, &route, &query, now, audience);
    answer(&api, &parts, entry, read)
}

fn answer<T: Told>(
    api: &Api,
    parts: &Parts,
    entry: Entry,
    read: impl Fn(&Snapshot, Moment) -> Result<T, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let view = read(&api.engine.snapshot(), api.clock.now())?;
    if stream::is_wanted(&parts.headers) {
        return stream::answer(api, entry, read);
    }
    etag::answer(&parts.headers, &view.timeless(), &view)
}

fn server_badge(snapshot: &Snapshot, server: &str, now: Moment, audience: Audience) -> Result<BadgeView, Problem> {
    let ix = snapshot.fleet.find_server(server).ok_or_else(|| Problem::not_found("server", server))?;
    Ok(BadgeView::of(snapshot, ix, now, audience))
}

fn route_badges(
    snapshot: &Snapshot,
    route: &str,
    query: &FeedQuery,
    now: Moment,
    audience: Audience,
) -> Result<RouteBadges, Problem> {
    let ix = snapshot.fleet.find_route(route).ok_or_else(|| Problem::not_found("route", route))?;
    let servers = of_route::servers(snapshot, ix, query)?;
    let servers = servers.into_iter().map(|ix| BadgeView::of(snapshot, ix, now, audience)).collect();
    Ok(RouteBadges { route: route.to_owned(), servers })
}
