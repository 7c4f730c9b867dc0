//! The page, embedded: nothing is read from disk, and nothing may load from elsewhere.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::Api;

/// Scripts and styles from this origin alone, none inline.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page and its two files.
pub fn pages() -> Router<Api> {
    const HTML: &str = include_str!("../../../../web/page.html");
    const CSS: &str = include_str!("../../../../web/page.css");
    const JS: &str = include_str!("../../../../web/page.js");
    Router::new()
        .route("/", get(|| async { file("text/html; charset=utf-8", HTML) }))
        .route("/page.css", get(|| async { file("text/css; charset=utf-8", CSS) }))
        .route("/page.js", get(|| async { file("text/javascript; charset=utf-8", JS) }))
}

fn file(content_type: &'static str, content: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, content).into_response()
}
