#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::http::Request;

use super::{check_change, check_origin};
use crate::api::access::PublicUrl;

/// Whether a change with these headers is made, at an aggregator that is known by `public`.
fn made(method: &str, headers: &[(&str, &str)], public: &str) -> bool {
    let mut request = Request::builder().method(method).uri("/api/v1/policy").header("host", "127.0.0.1:8440");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let public: Option<PublicUrl> = (!public.is_empty()).then(|| public.parse().unwrap());
    check_change(&request.body(()).unwrap().into_parts().0, public.as_ref()).is_ok()
}

const OWN: (&str, &str) = ("x-quorate-request", "1");
const PUBLIC: &str = "https://watch.example.org/quorate";

#[test]
fn a_change_needs_the_header_that_a_form_cannot_send() {
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert!(!made(method, &[], ""), "{method}");
        assert!(!made(method, &[("x-quorate-request", "0")], ""), "{method}");
        assert!(made(method, &[OWN], ""), "{method}");
    }
    assert!(made("GET", &[], "") && made("HEAD", &[], ""), "who only reads changes nothing");
}

#[test]
fn what_the_browser_says_was_made_elsewhere_is_refused_with_the_header_too() {
    for (site, is_made) in
        [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false), ("?", false)]
    {
        assert_eq!(made("PUT", &[OWN, ("sec-fetch-site", site)], PUBLIC), is_made, "{site}");
    }
    assert!(!made("PUT", &[OWN, ("sec-fetch-site", "cross-site"), ("origin", "https://watch.example.org")], PUBLIC));
}

#[test]
fn the_origin_is_the_public_one_or_the_host_that_was_asked() {
    for (origin, is_made) in [
        ("https://watch.example.org", true),
        ("http://127.0.0.1:8440", true),
        ("http://watch.example.org", false),
        ("https://watch.example.org.evil.example", false),
        ("http://127.0.0.1:8441", false),
        ("null", false),
        ("", false),
    ] {
        assert_eq!(made("PUT", &[OWN, ("origin", origin)], PUBLIC), is_made, "{origin}");
    }
    assert!(!made("PUT", &[OWN, ("origin", "https://watch.example.org")], ""), "nobody said that this is us");
    assert!(
        made("PUT", &[OWN, ("origin", "https://watch.example.org"), ("sec-fetch-site", "same-origin")], ""),
        "a browser compares what it sees itself, however a proxy names us"
    );
}

#[test]
fn signing_in_from_another_site_is_refused_without_any_cookie() {
    let request = Request::builder().header("host", "a").header("origin", "https://evil.example").body(()).unwrap();
    assert_eq!(check_origin(request.headers(), None).unwrap_err().status, 403);
}
