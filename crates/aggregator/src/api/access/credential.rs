//! What a request shows to be let in, and where it stands: a header, the address, or a cookie.

use axum::http::header;
use axum::http::request::Parts;

use super::cookie;
use crate::store::sha256;

/// A secret as it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credential {
    /// SHA-256 of it.
    pub hash: [u8; 32],
    /// What kind.
    pub kind: CredentialKind,
}

/// What a secret stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialKind {
    /// A token: whoever has it put it there himself.
    Token,
    /// A sign-in: a browser sends it whoever made it ask.
    Cookie,
}

impl Credential {
    /// A token.
    pub fn token(secret: &str) -> Self {
        Self { hash: sha256(secret.as_bytes()), kind: CredentialKind::Token }
    }

    /// What stands in the headers. A token goes before a cookie: it was put there on purpose.
    pub fn in_headers(parts: &Parts) -> Option<Self> {
        bearer(parts).map(Self::token).or_else(|| {
            let secret = cookie::find(&parts.headers)?;
            Some(Self { hash: sha256(secret.as_bytes()), kind: CredentialKind::Cookie })
        })
    }

    /// A token in the address, for an `<img>`.
    pub fn in_address(parts: &Parts) -> Option<Self> {
        parameter(parts, "token").map(Self::token)
    }
}

/// A parameter of the address as it stands there.
pub fn parameter<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    let pairs = parts.uri.query()?.split('&');
    pairs.filter_map(|pair| pair.split_once('=')).find(|(found, _)| *found == name).map(|(_, value)| value)
}

fn bearer(parts: &Parts) -> Option<&str> {
    let value = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
