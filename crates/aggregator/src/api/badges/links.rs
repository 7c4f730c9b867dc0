//! Making signed links, and ending them all.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::link::{Seal, Subject};
use crate::api::Api;
use crate::api::access::Admin;
use crate::api::audit::{self, Act};
use crate::api::extract::Body;
use crate::api::problem::Problem;

/// A link that is wanted: to a server, or to a route.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BadgeLinkRequest {
    /// The server whose badge it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The route whose servers' badges it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// With a route: whose servers (R17).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscriber: Option<String>,
    /// With a route: the reader's country (R18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// With a route: how many entry points the reader gets; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// For how long it holds.
    pub valid_for_s: u64,
}

/// A link that was made.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BadgeLink {
    /// The end of the addresses: what is shown, until when, and the signature.
    pub query: String,
    /// The image; of a server alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
    /// For shields.io's endpoint badge; of a server alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shield: Option<String>,
    /// JSON, and with `Accept: text/event-stream` a stream of it.
    pub api: String,
    /// The HTML to paste into a page.
    pub element: String,
    /// When it ends, Unix seconds.
    pub until_s: u64,
}

/// Longest that a link may hold: nobody will remember it after ten years.
const VALID_FOR_S_MAX: u64 = 3660 * 86_400;

/// Makes a signed link, which shows what it names to whoever has it.
#[utoipa::path(post, path = "/badge-links", tag = "badges", request_body = BadgeLinkRequest,
    responses((status = 201, body = BadgeLink), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn create_link(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Body(request): Body<BadgeLinkRequest>,
) -> Result<(StatusCode, Json<BadgeLink>), Problem> {
    let subject = subject(&api, &request)?;
    if !(1..=VALID_FOR_S_MAX).contains(&request.valid_for_s) {
        let told = format!("valid_for_s is {}: use 1 to {VALID_FOR_S_MAX}", request.valid_for_s);
        return Err(Problem::unprocessable(told).about("link", "valid_for_s"));
    }
    let until_s = api.clock.now().as_ms() / 1000 + request.valid_for_s;
    let seal = Seal::new(&api.link_key.get(&api.store).await?, &subject, until_s);
    let made = subject.shown_at(&base(&api, &headers), &seal);
    let act = Act {
        act: "badge_link.create",
        subject: request.server.as_deref().or(request.route.as_deref()).unwrap_or_default(),
        after: Some(json!({"shows": request, "until_s": until_s, "key": api.link_key.mark(&api.store).await?})),
        ..Act::default()
    };
    audit::record(&api, &caller, act).await;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Ends every link that was ever made.
#[utoipa::path(delete, path = "/badge-links", tag = "badges", responses((status = 204)))]
pub async fn delete_links(State(api): State<Api>, Admin(caller): Admin) -> Result<StatusCode, Problem> {
    let before = Some(json!({"key": api.link_key.mark(&api.store).await?}));
    api.link_key.change(&api.store).await?;
    let after = Some(json!({"key": api.link_key.mark(&api.store).await?}));
    let detail = "every link is void".to_owned();
    audit::record(&api, &caller, Act { act: "badge_link.end_all", subject: "links", detail, before, after }).await;
    Ok(StatusCode::NO_CONTENT)
}

fn subject(api: &Api, request: &BadgeLinkRequest) -> Result<Subject, Problem> {
    let snapshot = api.engine.snapshot();
    match (&request.server, &request.route) {
        (Some(server), None) => {
            if request.subscriber.is_some() || request.country.is_some() || request.count.is_some() {
                let told = "subscriber, country and count are of a route: leave them out, or name a route";
                return Err(Problem::unprocessable(told).about("link", "server"));
            }
            snapshot.fleet.find_server(server).ok_or_else(|| Problem::not_found("server", server))?;
            Ok(Subject::Server(server.clone()))
        }
        (None, Some(route)) => {
            let ix = snapshot.fleet.find_route(route).ok_or_else(|| Problem::not_found("route", route))?;
            let subject = Subject::Route {
                route: route.clone(),
                subscriber: request.subscriber.clone(),
                country: request.country.clone(),
                count: request.count,
            };
            // What could not be shown is refused here, and not to whoever opens the link.
            super::of_route::servers(&snapshot, ix, &subject.query())?;
            Ok(subject)
        }
        (Some(_), Some(_)) | (None, None) => {
            Err(Problem::unprocessable("name a server or a route, one of them").about("link", "server"))
        }
    }
}

/// What stands before the paths: the public URL, or else the name by which the asker came.
fn base(api: &Api, headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    api.doors.public_url.as_ref().map_or_else(|| format!("http://{host}"), ToString::to_string)
}
