//! Signing in: a token is exchanged for a cookie, which says no more than the token does and ends with it.

use axum::Json;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::credential::{Credential, CredentialKind};
use super::doors::NoEntry;
use super::origin::Visitor;
use super::{cookie, same_origin, secrets};
use crate::api::Api;
use crate::api::extract::Body;
use crate::api::problem::Problem;
use crate::digest::sha256;
use crate::store::{NewSignIn, SignIn, Token, TokenScope};

/// A token to sign in with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// Its secret.
    pub token: String,
}

/// Who is signed in.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SignedIn {
    /// The token's name.
    pub name: String,
    /// What may be done.
    pub role: Role,
    /// When it ends if it is not used until then, Unix milliseconds.
    pub expires_at_ms: u64,
}

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// See everything.
    Read,
    /// Change things too.
    Admin,
}

impl Role {
    /// What a token lets a person do; a token for feeds alone is for no person.
    fn of(token: &Token) -> Option<Self> {
        if token.has(TokenScope::Admin) {
            return Some(Self::Admin);
        }
        token.has(TokenScope::Read).then_some(Self::Read)
    }
}

/// Exchanges a token for a cookie.
#[utoipa::path(post, path = "/session", tag = "access", request_body = SignInRequest, security(()),
    responses(
        (status = 200, body = SignedIn, description = "With a cookie"),
        (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 429, body = Problem, description = "Too many unknown tokens: try again after `Retry-After`"),
    ))]
pub async fn sign_in(
    State(api): State<Api>,
    parts: Parts,
    Body(request): Body<SignInRequest>,
) -> Result<Response, Problem> {
    let public = api.doors.public_url.as_ref();
    same_origin::check_origin(&parts.headers, public)?;
    let (now, visitor) = (api.clock.now(), Visitor::of(&parts, &api.doors.trusted_proxies));
    let shown = Credential::token(request.token.trim());
    let token = match api.doors.open(&api.store, shown, visitor.origin, now).await {
        Ok(token) => token,
        Err(NoEntry::Closed(closed)) => {
            tracing::info!(from = %visitor, ?closed, "nobody was signed in");
            return Err(closed.problem());
        }
        Err(NoEntry::Store(error)) => return Err(error.into()),
    };
    let Some(role) = Role::of(&token) else {
        let told = format!("'{}' is a token for feeds alone: sign in with one of scope read or admin", token.name);
        return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", told));
    };
    let secret = secrets::new_cookie().map_err(|error| Problem::internal(&error))?;
    let hash = sha256(secret.as_bytes());
    let new = NewSignIn { hash, token: token.id.clone(), from: visitor.to_string(), at: now };
    api.store.open_sign_in(&new).await?;
    end(&api, &parts.headers).await?;
    tracing::info!(by = token.name, from = %visitor, ?role, "signed in");
    let sign_in = SignIn { token, opened_at: now, used_at: now };
    let answer = signed_in(&sign_in, role);
    api.doors.made(hash, sign_in, now);
    Ok(with_cookie(Json(answer).into_response(), cookie::given(&secret, public)))
}

/// Who is signed in.
#[utoipa::path(get, path = "/session", tag = "access",
    responses((status = 200, body = SignedIn), (status = 401, body = Problem)))]
pub async fn get_session(State(api): State<Api>, parts: Parts) -> Result<Response, Problem> {
    let nobody = || Problem::unauthorized("nobody is signed in here");
    let shown = cookie::find(&parts.headers)
        .map(|secret| Credential { hash: sha256(secret.as_bytes()), kind: CredentialKind::Cookie });
    let shown = shown.ok_or_else(nobody)?;
    let (now, visitor) = (api.clock.now(), Visitor::of(&parts, &api.doors.trusted_proxies));
    match api.doors.open(&api.store, shown, visitor.origin, now).await {
        Ok(_) => {}
        Err(NoEntry::Closed(closed)) => return Err(closed.problem()),
        Err(NoEntry::Store(error)) => return Err(error.into()),
    }
    let sign_in = api.doors.sign_in_of(&api.store, &shown.hash, now).await?.ok_or_else(nobody)?;
    let role = Role::of(&sign_in.token).ok_or_else(nobody)?;
    Ok(with_cookie(Json(signed_in(&sign_in, role)).into_response(), None))
}

/// Signs out; there is nothing to it when nobody is signed in.
#[utoipa::path(delete, path = "/session", tag = "access",
    responses((status = 204), (status = 403, body = Problem)))]
pub async fn sign_out(State(api): State<Api>, parts: Parts) -> Result<Response, Problem> {
    let public = api.doors.public_url.as_ref();
    same_origin::check_change(&parts, public)?;
    end(&api, &parts.headers).await?;
    Ok(with_cookie(StatusCode::NO_CONTENT.into_response(), cookie::taken(public)))
}

/// Ends the sign-in of the cookie that a browser has.
async fn end(api: &Api, headers: &HeaderMap) -> Result<(), Problem> {
    if let Some(secret) = cookie::find(headers) {
        let hash = sha256(secret.as_bytes());
        api.store.close_sign_in(&hash).await?;
        api.doors.ended(&hash);
    }
    Ok(())
}

fn signed_in(sign_in: &SignIn, role: Role) -> SignedIn {
    SignedIn { name: sign_in.token.name.clone(), role, expires_at_ms: sign_in.expires_at().as_ms() }
}

/// An answer that nobody keeps.
fn with_cookie(mut response: Response, cookie: Option<HeaderValue>) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}
