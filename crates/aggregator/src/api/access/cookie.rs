//! The cookie of a person who signed in: scripts cannot read it, other sites' pages do not send it, and it goes nowhere but
//! to the aggregator's own path.

use axum::http::{HeaderMap, HeaderValue, header};

use super::public_url::PublicUrl;
use crate::limits::SIGN_IN_MAX;

/// Its name.
pub const NAME: &str = "quorate_session";

/// The secret in the cookie, if a request has one.
pub fn find(headers: &HeaderMap) -> Option<&str> {
    let texts = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == NAME).map(|(_, secret)| secret).find(|secret| !secret.is_empty())
}

/// The header that gives a browser the cookie. The store ends it earlier if it is not used.
pub fn given(secret: &str, public: Option<&PublicUrl>) -> Option<HeaderValue> {
    written(secret, SIGN_IN_MAX.as_secs(), public)
}

/// The header that takes it away.
pub fn taken(public: Option<&PublicUrl>) -> Option<HeaderValue> {
    written("", 0, public)
}

fn written(secret: &str, age_s: u64, public: Option<&PublicUrl>) -> Option<HeaderValue> {
    let path = public.map_or("/", PublicUrl::cookie_path);
    // Over plain HTTP a browser would drop a cookie that is for HTTPS alone.
    let secure = if public.is_some_and(PublicUrl::is_https) { "; Secure" } else { "" };
    let text = format!("{NAME}={secret}; Path={path}; Max-Age={age_s}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).ok()
}

#[cfg(test)]
mod tests;
