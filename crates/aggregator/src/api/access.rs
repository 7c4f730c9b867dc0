//! Who may ask what: bearer tokens with scopes.
//!
//! A token is 256 random bits; the store has their SHA-256 alone, so nobody can read a token out of a backup. A token is made
//! with the narrower scopes beside the wide one: `admin` may all, `read` may look at everything, `feed` gets the feeds and
//! nothing else.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_core::time::Moment;
use ring::rand::{SecureRandom as _, SystemRandom};

use super::Api;
use super::problem::Problem;
use crate::store::{NewToken, TokenScope, sha256};

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

/// The doors that a bearer token of a scope opens.
macro_rules! doors {
    ($($door:ident: $scope:ident),+) => {
        $(impl FromRequestParts<Api> for $door {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
                caller(api, parts, bearer(parts), TokenScope::$scope).await.map(Self)
            }
        })+
    };
}

doors! { Reader: Read, Feeder: Feed, Admin: Admin }

impl FromRequestParts<Api> for BadgeReader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
        let secret = bearer(parts).or_else(|| in_address(parts));
        caller(api, parts, secret, TokenScope::Read).await.map(Self)
    }
}

fn bearer(parts: &Parts) -> Option<String> {
    let value = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim().to_owned())
}

fn in_address(parts: &Parts) -> Option<String> {
    let pairs = parts.uri.query()?.split('&');
    pairs
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == "token")
        .map(|(_, secret)| secret.to_owned())
}

async fn caller(api: &Api, parts: &Parts, secret: Option<String>, needed: TokenScope) -> Result<Caller, Problem> {
    let unauthorized = |told: &str| Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", told);
    let secret = secret.ok_or_else(|| unauthorized("send a token as Authorization: Bearer ‹token›"))?;
    // The look-up compares hashes of 256 random bits, so the time it takes tells nothing about a token.
    let known = api.known.find(&api.store, &sha256(secret.as_bytes()), api.clock.now()).await?;
    let token =
        known.ok_or_else(|| unauthorized("the token is unknown or was revoked: make one with `token create`"))?;
    if !token.is_valid_at(api.clock.now()) {
        return Err(unauthorized("the token has expired: make one with `token create`"));
    }
    if !token.has(needed) {
        let has: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
        let told = format!("this needs a token of scope '{needed}'; '{}' has {}", token.name, has.join(", "));
        return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", told));
    }
    let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(from)| from.to_string());
    Ok(Caller { name: token.name, from: from.unwrap_or_default() })
}

/// A token of the widest of `scope` that includes the narrower ones, and its secret.
pub fn new_token(
    name: &str,
    scope: TokenScope,
    expires_at: Option<Moment>,
    now: Moment,
) -> Result<(NewToken, String), NoRandom> {
    let secret = random::<32>().map(|bytes| format!("qt1.{}", URL_SAFE_NO_PAD.encode(bytes)))?;
    let scopes = match scope {
        TokenScope::Feed => vec![TokenScope::Feed],
        TokenScope::Read => vec![TokenScope::Read, TokenScope::Feed],
        TokenScope::Admin => TokenScope::ALL.to_vec(),
    };
    let token = NewToken {
        id: URL_SAFE_NO_PAD.encode(random::<6>()?),
        name: name.to_owned(),
        scopes,
        hash: sha256(secret.as_bytes()),
        created_at: now,
        expires_at,
    };
    Ok((token, secret))
}

fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

/// The system has no random numbers.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system gives no random numbers for a token")]
pub struct NoRandom;
