//! The API: what was found, as JSON, badges, events and metrics; and changes, checked and audited.
//!
//! Reads come from the engine's newest snapshot, never from a query that could wait; the store is asked for history, tokens
//! and changes alone. Every refusal is a problem document.

pub mod access;
pub mod audit;
pub mod badges;
pub mod changes;
pub mod difference;
pub mod edge_view;
pub mod edges;
pub mod enrolment;
pub mod entry_points;
pub mod etag;
mod events;
pub mod evidence;
pub mod explain;
mod extract;
pub mod feed;
pub mod fleet;
mod health;
pub mod history;
pub mod label;
mod last_report;
pub mod listener;
pub mod matrix;
mod metrics;
pub mod notifications;
pub mod page;
pub mod policy;
pub mod problem;
pub mod routes;
mod server_changes;
pub mod servers;
pub mod tokens;
pub mod view;
mod web;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;
use utoipa::OpenApi;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::archive::History;
use crate::backtest::Backtests;
use crate::clock::Clock;
use crate::edge_watch::Pictures;
use crate::engine::EngineHandle;
use crate::gateway::GatewayHandle;
use crate::notify::book::Books;
use crate::store::Store;
use access::session;
pub use access::{Doors, PublicUrl};
use problem::Problem;

/// Longest that a request may take to be answered; events flow on after their answer began.
pub const ANSWER_MAX: Duration = Duration::from_secs(30);
/// Most readers of events at a time: each holds a connection and a place in the engine's queue.
pub const STREAMS_MAX: usize = 256;

/// Where the inventory is declared.
#[derive(Debug, Clone)]
pub enum Source {
    /// In the store, changed through the API.
    Api,
    /// In a file; the API changes nothing.
    File(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api => f.write_str("api"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// What the handlers share. Cheap to clone.
#[derive(Clone)]
pub struct Api(Arc<Shared>);

/// The parts of [`Api`].
pub struct Shared {
    /// Who knows what was found.
    pub engine: EngineHandle,
    /// Who remembers.
    pub store: Store,
    /// Who talks to the agents.
    pub gateway: Option<GatewayHandle>,
    /// Who walks round the edges.
    pub edges: Pictures,
    /// Where people are told what.
    pub books: Books,
    /// What time it is.
    pub clock: Clock,
    /// Where the inventory is declared.
    pub source: Source,
    /// `host:port` that agents dial, for the enrolment's command.
    pub gateway_name: String,
    /// Held while the inventory changes.
    pub changes: Arc<Mutex<()>>,
    /// Who comes in.
    pub doors: Doors,
    /// Places for readers of events.
    pub streams: Arc<Semaphore>,
    /// What was known at earlier moments.
    pub history: History,
    /// Places for readers of badges.
    pub badge_streams: Arc<Semaphore>,
    /// The key of signed links.
    pub link_key: badges::LinkKey,
    /// What another policy would have said.
    pub backtests: Backtests,
    /// Ends the streams.
    pub stop: CancellationToken,
}

impl Deref for Api {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Api {
    /// The API over these parts.
    pub fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Quorate",
        description = "Verdicts on a fleet of VPN servers, their evidence, and what routes deliver. Times are Unix milliseconds; every refusal is a problem document (RFC 9457)."
    ),
    security(("bearer" = []))
)]
struct Described;

/// The API's description, in OpenAPI.
pub fn openapi() -> utoipa::openapi::OpenApi {
    v1().split_for_parts().1
}

fn v1() -> OpenApiRouter<Api> {
    let mut described = Described::openapi();
    let bearer = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new(access::COOKIE)));
    let components = described.components.get_or_insert_default();
    components.add_security_scheme("bearer", bearer);
    components.add_security_scheme("cookie", cookie);
    let either = ["bearer", "cookie"].map(|scheme| SecurityRequirement::new::<_, [&str; 0], _>(scheme, []));
    described.security = Some(either.into());
    let resources = OpenApiRouter::new()
        .routes(routes!(fleet::get_fleet))
        .routes(routes!(fleet::get_inventory))
        .routes(routes!(servers::list_servers))
        .routes(routes!(servers::get_server, server_changes::put_server, server_changes::delete_server))
        .routes(routes!(servers::get_votes))
        .routes(routes!(enrolment::enroll))
        .routes(routes!(enrolment::revoke))
        .routes(routes!(entry_points::list_entry_points))
        .routes(routes!(entry_points::get_entry_point))
        .routes(routes!(matrix::get_matrix))
        .routes(routes!(matrix::packed::get_packed_matrix))
        .routes(routes!(matrix::captions::get_captions))
        .routes(routes!(routes::list_routes))
        .routes(routes!(routes::get_route, routes::put_route, routes::delete_route))
        .routes(routes!(feed::get_feed))
        .routes(routes!(edges::list_edges))
        .routes(routes!(edges::get_edge, edges::put_edge, edges::delete_edge))
        .routes(routes!(events::get_events))
        .routes(routes!(policy::get_policy, policy::put_policy))
        .routes(routes!(session::sign_in, session::get_session, session::sign_out))
        .routes(routes!(tokens::list_tokens, tokens::create_token))
        .routes(routes!(tokens::revoke_token))
        .routes(routes!(audit::list_audit))
        .routes(routes!(history::get_history))
        .routes(routes!(history::moment::get_moment))
        .routes(routes!(history::moment::get_past_matrix))
        .routes(routes!(history::packed::get_packed_past_matrix))
        .routes(routes!(history::moment::get_past_explanation))
        .routes(routes!(history::export::get_export))
        .routes(routes!(history::spans::get_status_history))
        .routes(routes!(history::series::get_series))
        .routes(routes!(history::series::get_lines))
        .routes(routes!(history::backtests::post_backtest, history::backtests::list_backtests))
        .routes(routes!(history::backtests::get_backtest, history::backtests::delete_backtest));
    let badges = OpenApiRouter::new()
        .routes(routes!(badges::read::get_server_badge))
        .routes(routes!(badges::read::get_route_badges))
        .routes(routes!(badges::links::create_link, badges::links::delete_links));
    OpenApiRouter::with_openapi(described)
        .nest("/api/v1", resources.merge(badges))
        .nest("/api/v1/notifications", notifications::router())
}

/// Everything that is served.
pub fn router(api: Api) -> Router {
    let (v1, described) = v1().split_for_parts();
    let described = Arc::new(described.to_json().unwrap_or_default());
    let openapi = get(move || {
        let described = described.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], described.as_str().to_owned()) }
    });
    v1.route("/api/v1/openapi.json", openapi)
        .route("/badge/{file}", get(badges::image::get_badge))
        .route("/metrics", get(metrics::get_metrics))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .merge(web::pages())
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_that_way)
        .layer(DefaultBodyLimit::max(extract::BODY_BYTES_MAX))
        .layer(middleware::from_fn(badges::allow))
        .layer(middleware::from_fn(within_time))
        .with_state(api)
}

async fn nothing_here(request: Request) -> Problem {
    let told = format!("nothing is at {}: /api/v1/openapi.json lists what there is", request.uri().path());
    Problem::new(StatusCode::NOT_FOUND, "not_found", told)
}

async fn not_that_way(request: Request) -> Problem {
    let told = format!("{} does not take {}", request.uri().path(), request.method());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", told)
}

async fn within_time(request: Request, next: Next) -> Response {
    let Ok(mut response) = tokio::time::timeout(ANSWER_MAX, next.run(request)).await else {
        let told = format!("no answer within {} s: try again later", ANSWER_MAX.as_secs());
        return Problem::new(StatusCode::GATEWAY_TIMEOUT, "timed_out", told).into_response();
    };
    let headers = response.headers_mut();
    headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    let content_type = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    if content_type.starts_with(b"text/event-stream") {
        // nginx would keep events back until they fill its buffer.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    }
    response
}
