#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::http::{HeaderMap, HeaderValue, header};

use super::{find, given, taken};
use crate::api::access::PublicUrl;

fn found(cookies: &[&'static str]) -> Option<String> {
    let mut headers = HeaderMap::new();
    for cookie in cookies {
        headers.append(header::COOKIE, HeaderValue::from_static(cookie));
    }
    find(&headers).map(str::to_owned)
}

#[test]
fn our_cookie_is_found_among_others() {
    assert_eq!(found(&["a=b; quorate_session=qs1.x; c=d"]).as_deref(), Some("qs1.x"));
    assert_eq!(found(&["a=b", "quorate_session=qs1.y"]).as_deref(), Some("qs1.y"));
    for nothing in [&[][..], &["a=b"], &["quorate_session="], &["quorate_sessions=x"], &["quorate_session"]] {
        assert_eq!(found(nothing), None, "{nothing:?}");
    }
}

#[test]
fn a_cookie_goes_to_our_path_alone_and_by_tls_where_there_is_tls() {
    let text = |public: &str| {
        let public: Option<PublicUrl> = (!public.is_empty()).then(|| public.parse().unwrap());
        given("qs1.x", public.as_ref()).unwrap().to_str().unwrap().to_owned()
    };
    assert_eq!(text(""), "quorate_session=qs1.x; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict");
    assert_eq!(
        text("https://example.org/quorate/"),
        "quorate_session=qs1.x; Path=/quorate; Max-Age=604800; HttpOnly; SameSite=Strict; Secure"
    );
    assert!(!text("http://10.0.0.1:8440").contains("Secure"), "a browser would drop it");
    assert!(taken(None).unwrap().to_str().unwrap().starts_with("quorate_session=; Path=/; Max-Age=0;"));
}
