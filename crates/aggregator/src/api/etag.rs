//! Conditional answers: a reader that names what it has is told "not modified" when it would get the same again.
//!
//! The tag is a hash of the content without the moment of evaluation, so an evaluation that found the same again makes no
//! new tag; tags are weak for that reason.

use std::io::Write as _;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::problem::Problem;
use crate::digest;

/// `body` as JSON, or 304 if the reader has what `content` says already.
pub fn answer(headers: &HeaderMap, content: &impl Serialize, body: &impl Serialize) -> Result<Response, Problem> {
    let tag = tag_of(content)?;
    let mut response = if has(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let body = serde_json::to_vec(body).map_err(|error| Problem::internal(&error))?;
        ([(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    tagged(&mut response, &tag);
    Ok(response)
}

/// A body of any type, or 304 if the reader has it already.
pub fn answer_text(headers: &HeaderMap, content_type: &'static str, body: String) -> Response {
    let tag = format!("W/\"{}\"", hex(body.as_bytes()));
    let mut response = if has(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, content_type)], body).into_response()
    };
    tagged(&mut response, &tag);
    response
}

/// Bytes of a type of their own, compressed for who reads gzip, or 304 if the reader has what `content` says already.
pub fn answer_bytes(
    headers: &HeaderMap,
    content: &[u8],
    content_type: &'static str,
    body: impl FnOnce() -> Vec<u8>,
) -> Result<Response, Problem> {
    let tag = format!("W/\"{}\"", hex(content));
    let mut response = if has(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if reads_gzip(headers) {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        let written = gzip.write_all(&body()).and_then(|()| gzip.finish());
        let body = written.map_err(|error| Problem::internal(&error))?;
        ([(header::CONTENT_TYPE, content_type), (header::CONTENT_ENCODING, "gzip")], body).into_response()
    } else {
        ([(header::CONTENT_TYPE, content_type)], body()).into_response()
    };
    tagged(&mut response, &tag);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

/// Whether the reader names gzip, and not to refuse it (`gzip;q=0`).
fn reads_gzip(headers: &HeaderMap) -> bool {
    let refused = |weight: &str| weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0_f32));
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|coding| match coding.split_once(';') {
            Some((name, weight)) => name.trim() == "gzip" && !refused(weight),
            None => coding.trim() == "gzip",
        })
}

/// The tag of a version of the inventory; strong, because the version is the content.
pub fn of_inventory(version: u64) -> String {
    format!("\"inventory-{version}\"")
}

/// The first 64 bits of the SHA-256 of `bytes`, in hex.
pub fn hex(bytes: &[u8]) -> String {
    digest::hex(&digest::sha256(bytes)[..8])
}

fn tag_of(content: &impl Serialize) -> Result<String, Problem> {
    let content = serde_json::to_vec(content).map_err(|error| Problem::internal(&error))?;
    Ok(format!("W/\"{}\"", hex(&content)))
}

fn tagged(response: &mut Response, tag: &str) {
    if let Ok(tag) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
}

/// Whether a reader names `tag` as one that it has.
pub fn has(headers: &HeaderMap, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim() == "*" || bare(known) == bare(tag))
}
