//! Who may ask what: bearer tokens with scopes.
//!
//! A token is 256 random bits; the store has their SHA-256 alone, so nobody can read a token out of a backup. A wider scope
//! includes the narrower ones: `admin` may all, `read` may look at everything, `feed` gets the feeds and nothing else.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Api;
use super::problem::Problem;

/// What a token is good for, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The feeds of routes.
    Feed,
    /// All that is shown.
    Read,
    /// All that is shown and all changes.
    Admin,
}

impl Scope {
    /// The word used in requests and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// The scope of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Feed, Self::Read, Self::Admin].into_iter().find(|scope| scope.as_str() == word)
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The token's name.
    pub name: String,
    /// The other end of the connection.
    pub from: String,
}

/// A caller who may read everything.
pub struct Reader(pub Caller);
/// A caller who may read feeds.
pub struct Feeder(pub Caller);
/// A caller who may change things.
pub struct Admin(pub Caller);
/// A caller who may read everything and may say so in the address, for an `<img>`.
pub struct BadgeReader(pub Caller);

impl FromRequestParts<Api> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        caller(api, parts, bearer(parts), Scope::Read).await.map(Self)
    }
}

impl FromRequestParts<Api> for Feeder {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        caller(api, parts, bearer(parts), Scope::Feed).await.map(Self)
    }
}

impl FromRequestParts<Api> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        caller(api, parts, bearer(parts), Scope::Admin).await.map(Self)
    }
}

impl FromRequestParts<Api> for BadgeReader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let secret = bearer(parts).or_else(|| in_address(parts));
        caller(api, parts, secret, Scope::Read).await.map(Self)
    }
}

fn bearer(parts: &Parts) -> Option<String> {
    let value = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim().to_owned())
}

fn in_address(parts: &Parts) -> Option<String> {
    let pairs = parts.uri.query()?.split('&');
    pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == "token").map(|(_, secret)| secret.to_owned())
}

async fn caller(api: &Api, parts: &Parts, secret: Option<String>, needed: Scope) -> Result<Caller, Problem> {
    let unauthorized = |told: &str| Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", told);
    let secret = secret.ok_or_else(|| unauthorized("send a token as Authorization: Bearer ‹token›"))?;
    // The look-up compares hashes of 256 random bits, so the time it takes tells nothing about a token.
    let known = api.store.find_token(&hash(&secret)).await?;
    let token = known.ok_or_else(|| unauthorized("the token is unknown or was revoked: make one with `token create`"))?;
    let scope = token.scopes.iter().filter_map(|word| Scope::parse(word)).max();
    if scope.is_none_or(|scope| scope < needed) {
        let told = format!("this needs a token of scope '{}'; '{}' has {}", needed.as_str(), token.name, token.scopes.join(", "));
        return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", told));
    }
    let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(from)| from.to_string());
    Ok(Caller { name: token.name, from: from.unwrap_or_default() })
}

/// A new token: what is handed out, once.
pub fn new_secret() -> Result<String, ring::error::Unspecified> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes)?;
    Ok(format!("qt1.{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// What the store has of a token.
pub fn hash(secret: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    hash
}
