//! Tokens: made, listed, revoked. A secret is in the answer that made it and nowhere else.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Api;
use super::access::{self, Admin};
use super::audit::{self, Act};
use super::extract::{Body, Named};
use super::page::Rows;
use super::problem::Problem;
use crate::store::{NewToken, Token, TokenScope};

/// A token that is wanted.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// What people call it.
    pub name: String,
    /// `feed`, `read` (feeds too) or `admin` (all).
    pub scope: String,
    /// For how long it holds; for ever when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_for_s: Option<u64>,
}

/// A token that was made.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MadeToken {
    /// Not secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The secret: it is shown this once.
    pub token: String,
}

/// A token in a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TokenView {
    /// Not secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was made, Unix milliseconds.
    pub created_at_ms: u64,
    /// Until when it holds; for ever when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<u64>,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        Self {
            id: token.id,
            name: token.name,
            scopes: token.scopes.iter().map(ToString::to_string).collect(),
            created_at_ms: token.created_at.as_ms(),
            expires_at_ms: token.expires_at.map(quorate_core::time::Moment::as_ms),
        }
    }
}

impl From<&NewToken> for TokenView {
    fn from(token: &NewToken) -> Self {
        let NewToken { id, name, scopes, hash: _, created_at, expires_at } = token.clone();
        Self::from(Token { id, name, scopes, created_at, expires_at })
    }
}

/// Longest name of a token: it stands in every line of the audit.
const NAME_CHARS_MAX: usize = 64;

/// All tokens, oldest first, without their secrets.
#[utoipa::path(get, path = "/tokens", tag = "access", responses((status = 200, body = Rows<TokenView>)))]
pub async fn list_tokens(State(api): State<Api>, _: Admin) -> Result<Json<Rows<TokenView>>, Problem> {
    let tokens = api.store.tokens().await?;
    Ok(Json(Rows { items: tokens.into_iter().map(TokenView::from).collect(), next: None }))
}

/// Makes a token.
#[utoipa::path(post, path = "/tokens", tag = "access", request_body = TokenRequest,
    responses((status = 201, body = MadeToken), (status = 422, body = Problem)))]
pub async fn create_token(
    State(api): State<Api>,
    Admin(caller): Admin,
    Body(request): Body<TokenRequest>,
) -> Result<(StatusCode, Json<MadeToken>), Problem> {
    let scope: TokenScope = request.scope.parse().map_err(|error| {
        Problem::unprocessable(format!("scope '{}': {error}", request.scope)).about("token", "scope")
    })?;
    let length = request.name.chars().count();
    if length == 0 || length > NAME_CHARS_MAX || request.name.chars().any(char::is_control) {
        let told = format!("name: use 1 to {NAME_CHARS_MAX} characters that can be printed");
        return Err(Problem::unprocessable(told).about("token", "name"));
    }
    let now = api.clock.now();
    let expires_at = request.valid_for_s.map(|valid_for_s| now.after(Duration::from_secs(valid_for_s)));
    let (token, secret) =
        access::new_token(&request.name, scope, expires_at, now).map_err(|error| Problem::internal(&error))?;
    api.store.create_token(&token).await?;
    let detail = format!("'{}' with scope {scope}", token.name);
    let after = audit::shown(&TokenView::from(&token));
    let act = Act { act: "token.create", subject: &token.id, detail, before: None, after };
    audit::record(&api, &caller, act).await;
    Ok((StatusCode::CREATED, Json(MadeToken { id: token.id, name: token.name, token: secret })))
}

/// Revokes a token.
#[utoipa::path(delete, path = "/tokens/{id}", tag = "access", params(("id" = String, Path, description = "The token's id")),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn revoke_token(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
) -> Result<StatusCode, Problem> {
    let gone = api.store.revoke_token(&id).await?.ok_or_else(|| Problem::not_found("token", &id))?;
    api.doors.revoked();
    let before = audit::shown(&TokenView::from(gone));
    let act = Act { act: "token.revoke", subject: &id, detail: "revoked".to_owned(), before, after: None };
    audit::record(&api, &caller, act).await;
    Ok(StatusCode::NO_CONTENT)
}
