//! Whether a request that changes something was made by our own page: a cookie comes along whoever makes a browser ask.
//!
//! Three locks, each enough by itself in a browser that knows it: the cookie is `SameSite=Strict`; a header of our own, which
//! a form cannot send and a foreign script may not, as nothing here allows it to; and what the browser itself says of where
//! the request was made. A browser that says nothing of that is old, and has the other two.

use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};

use super::public_url::PublicUrl;
use crate::api::problem::Problem;

/// The header that our page sends with every request.
pub const OWN_HEADER: &str = "x-quorate-request";
const FETCH_SITE: &str = "sec-fetch-site";

/// Refuses a change by cookie that was not made by our own page.
pub fn check_change(parts: &Parts, public: Option<&PublicUrl>) -> Result<(), Problem> {
    if parts.method.is_safe() {
        return Ok(());
    }
    if parts.headers.get(OWN_HEADER).is_none_or(|value| value != "1") {
        return Err(refused(&format!("a change by cookie needs the header {OWN_HEADER}: 1")));
    }
    check_origin(&parts.headers, public)
}

/// Refuses what a browser says was made by another site's page.
pub fn check_origin(headers: &HeaderMap, public: Option<&PublicUrl>) -> Result<(), Problem> {
    // A browser's own word, which no page can change; it holds behind a proxy that renames the host, too.
    if let Some(site) = headers.get(FETCH_SITE) {
        return match site.to_str() {
            Ok("same-origin" | "none") => Ok(()),
            _ => Err(refused("the browser says that another site made this request")),
        };
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let is_public = public.is_some_and(|public| public.origin() == origin);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_host = host.is_some_and(|host| origin.split_once("://").is_some_and(|(_, authority)| authority == host));
    if is_public || is_host {
        return Ok(());
    }
    Err(refused(&format!(
        "this request was made at '{origin}', which is not this aggregator: behind a proxy, give serve --public-url"
    )))
}

fn refused(told: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "cross_site", told)
}

#[cfg(test)]
mod tests;
