//! What pages of other origins may read: what a signed link or a token in the address opened, and nothing else.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::entry::is_for_any_page;

/// How long a browser may remember that it may ask.
const REMEMBERED_FOR_S: &str = "86400";

/// Where badges are.
const PATHS: [&str; 2] = ["/badge/", "/api/v1/badges/"];

/// Answers a browser that asks first whether a page may ask, and says of each answer who may read it.
pub async fn allow(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_badge = PATHS.iter().any(|path| parts.uri.path().starts_with(path));
    if !is_badge || !is_for_any_page(&parts) {
        return next.run(Request::from_parts(parts, body)).await;
    }
    let asks_first =
        parts.method == Method::OPTIONS && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if asks_first {
        let mut response = StatusCode::NO_CONTENT.into_response();
        let headers = response.headers_mut();
        set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, "GET");
        set(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, "accept, cache-control, if-none-match, last-event-id");
        set(headers, header::ACCESS_CONTROL_MAX_AGE, REMEMBERED_FOR_S);
        response
    } else {
        next.run(Request::from_parts(parts, body)).await
    };
    let headers = response.headers_mut();
    set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, "etag, retry-after");
    // An image in a page that takes nothing from elsewhere unless it is said to be for that.
    set(headers, header::HeaderName::from_static("cross-origin-resource-policy"), "cross-origin");
    response
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &'static str) {
    headers.insert(name, HeaderValue::from_static(value));
}
