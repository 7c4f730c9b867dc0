#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use tower::ServiceExt as _;

use super::*;

const FILES: &[File] = &[
    File { path: "assets/app-3fa.js", plain: b"let app;", gzip: Some(b"(app)") },
    File { path: "badge.js", plain: b"let badge;", gzip: None },
    File { path: "index.html", plain: b"<!doctype html>", gzip: None },
];

#[tokio::test]
async fn the_root_is_the_page_and_says_what_it_may_load() {
    let answer = asked("/", &[]).await;
    assert_eq!((answer.status, answer.body.as_slice()), (StatusCode::OK, FILES[2].plain));
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-cache");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(asked("/index.html", &[]).await.body, answer.body);
}

#[tokio::test]
async fn what_is_named_after_its_content_is_kept_for_good_and_comes_gzipped_to_who_takes_it() {
    let plain = asked("/assets/app-3fa.js", &[]).await;
    let gzipped = asked("/assets/app-3fa.js", &[("accept-encoding", "br, gzip")]).await;
    assert_eq!((plain.body.as_slice(), plain.header("content-encoding")), (FILES[0].plain, ""));
    assert_eq!((gzipped.body.as_slice(), gzipped.header("content-encoding")), (b"(app)".as_slice(), "gzip"));
    assert_ne!(plain.header("etag"), gzipped.header("etag"), "a strong tag is for the same bytes");
    for answer in [plain, gzipped] {
        assert!(answer.header("cache-control").ends_with("immutable"));
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
    }
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let tag = asked("/", &[]).await.header("etag").to_owned();
    let again = asked("/", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(again.header("etag"), tag);
    assert_eq!(asked("/", &[("if-none-match", "\"another\"")]).await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_badge_is_for_pages_of_any_origin() {
    let badge = asked("/badge.js", &[]).await;
    assert_eq!(badge.header("access-control-allow-origin"), "*");
    assert_eq!(badge.header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(badge.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn head_tells_the_length_and_sends_nothing() {
    let request = Request::builder().method(Method::HEAD).uri("/badge.js").body(Body::empty()).unwrap();
    let answer = answered(FILES, request).await;
    assert_eq!((answer.status, answer.body.len()), (StatusCode::OK, 0));
    assert_eq!(answer.header("content-length"), FILES[1].plain.len().to_string());
}

#[tokio::test]
async fn without_pages_one_page_says_how_to_get_them() {
    let request = |path: &str| Request::builder().uri(path).body(Body::empty()).unwrap();
    let page = answered(&[], request("/")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(String::from_utf8(page.body).unwrap().contains("cargo xtask web"));
    let badge = answered(&[], request("/badge.js")).await;
    assert_eq!(badge.status, StatusCode::NOT_FOUND);
    assert!(String::from_utf8(badge.body).unwrap().contains("cargo xtask web"));
}

#[test]
fn gzip_is_sent_to_who_wants_it_alone() {
    let asked = |value: &'static str| {
        let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]);
        takes_gzip(&headers)
    };
    for taken in ["gzip", "GZIP", "deflate, gzip;q=0.5", "*", "br, *;q=0.1"] {
        assert!(asked(taken), "{taken}");
    }
    for refused in ["", "br", "gzip;q=0", "gzip;q=0, *", "*;q=0", "gzip;q=much"] {
        assert!(!asked(refused), "{refused}");
    }
    assert!(!takes_gzip(&HeaderMap::new()));
}

struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn asked(path: &str, headers: &[(&str, &str)]) -> Answer {
    let request =
        headers.iter().fold(Request::builder().uri(path), |request, (name, value)| request.header(*name, *value));
    answered(FILES, request.body(Body::empty()).unwrap()).await
}

async fn answered(files: &'static [File], request: Request<Body>) -> Answer {
    let response = of::<()>(files).oneshot(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    Answer { status, headers, body: body.to_vec() }
}
