//! The pages, embedded: nothing is read from disk, and nothing may load from elsewhere.
//!
//! A shop window that is dressed when the program is built. `build.rs` puts in what `cargo xtask web` made; where that was
//! not made, one page says what is missing and how to get it. Every address in the pages is relative, so they work below
//! any prefix of a reverse proxy. What lies below `assets/` has a hash of its content in its name and is kept for good; all
//! else is asked for anew each time, and answered with 304 while it is the same.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};

use super::etag;
use super::problem::Problem;

/// Scripts and styles from this origin alone, none inline; nothing is framed, posted or loaded from elsewhere.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The name of what lies below has a hash of its content in it.
const HASHED: &str = "assets/";
/// The one script that pages of other origins load.
const BADGE: &str = "badge.js";
/// A year, the longest that anybody keeps anything.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// One file of the pages, as it was built.
#[derive(Debug)]
struct File {
    /// From the pages' root, with slashes.
    path: &'static str,
    plain: &'static [u8],
    /// The same, where that is worth it.
    gzip: Option<&'static [u8]>,
}

/// By path; empty where the pages were not built.
static BUILT: &[File] = include!(concat!(env!("OUT_DIR"), "/web.rs"));
/// What is shown then.
static MISSING: File = File { path: "index.html", plain: include_bytes!("web/missing.html"), gzip: None };

/// All pages.
pub fn pages<S: Clone + Send + Sync + 'static>() -> Router<S> {
    of(BUILT)
}

fn of<S: Clone + Send + Sync + 'static>(files: &'static [File]) -> Router<S> {
    if !files.iter().any(|file| file.path == MISSING.path) {
        return Router::new().route("/", served(&MISSING)).route("/badge.js", get(no_badge));
    }
    files.iter().fold(Router::new(), |router, file| match file.path {
        "index.html" => router.route("/", served(file)).route("/index.html", served(file)),
        path => router.route(&format!("/{path}"), served(file)),
    })
}

async fn no_badge() -> Problem {
    let told =
        "this program was built without its pages, and so without badge.js: `cargo xtask web`, then build it anew";
    Problem::new(StatusCode::NOT_FOUND, "not_found", told)
}

fn served<S: Clone + Send + Sync + 'static>(file: &'static File) -> MethodRouter<S> {
    let served = Arc::new(Served::new(file));
    get(move |headers: HeaderMap| async move { served.answer(&headers) })
}

/// A file, and all that is told with it.
struct Served {
    plain: Encoded,
    gzip: Option<Encoded>,
    headers: Vec<(header::HeaderName, HeaderValue)>,
}

/// One way to send it. Tags are strong: one for the same bytes, so one for each encoding.
struct Encoded {
    bytes: &'static [u8],
    tag: String,
}

impl Encoded {
    fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, tag: format!("\"{}\"", etag::hex(bytes)) }
    }
}

impl Served {
    fn new(file: &File) -> Self {
        let content_type = content_type(file.path);
        let cache = if file.path.starts_with(HASHED) { FOR_GOOD } else { "no-cache" };
        let mut headers = vec![
            (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
            (header::CACHE_CONTROL, HeaderValue::from_static(cache)),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        ];
        let mut also = |name, value| headers.push((name, HeaderValue::from_static(value)));
        let resource_policy = header::HeaderName::from_static("cross-origin-resource-policy");
        if file.path == BADGE {
            also(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
            also(resource_policy, "cross-origin");
        } else {
            also(resource_policy, "same-origin");
        }
        if content_type.starts_with("text/html") {
            also(header::CONTENT_SECURITY_POLICY, CSP);
            also(header::REFERRER_POLICY, "no-referrer");
        }
        Self { plain: Encoded::new(file.plain), gzip: file.gzip.map(Encoded::new), headers }
    }

    fn answer(&self, asked: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(asked));
        let chosen = gzip.unwrap_or(&self.plain);
        let mut response = if etag::has(asked, &chosen.tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            chosen.bytes.into_response()
        };
        let headers = response.headers_mut();
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        if gzip.is_some() {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        // A tag is hex in quotes.
        headers.extend(HeaderValue::from_str(&chosen.tag).ok().map(|tag| (header::ETAG, tag)));
        response
    }
}

/// Whether a reader takes gzip: it names it, or anything, and not with a weight of zero.
fn takes_gzip(asked: &HeaderMap) -> bool {
    let weight_of = |coding: &str| {
        let values = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).find_map(|entry| {
            let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
            let weight = parameters.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>);
            name.trim().eq_ignore_ascii_case(coding).then_some(weight.unwrap_or(0.0))
        })
    };
    weight_of("gzip").or_else(|| weight_of("*")).is_some_and(|weight| weight > 0.0)
}

/// By the name's ending; the build makes no other kinds.
fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
