#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::PublicUrl;

#[test]
fn a_public_url_is_a_host_and_perhaps_a_path() {
    let parsed = |written: &str| written.parse::<PublicUrl>().unwrap();
    for (written, shown, origin, path) in [
        ("https://watch.example.org", "https://watch.example.org", "https://watch.example.org", "/"),
        ("https://Example.org/quorate/", "https://example.org/quorate", "https://example.org", "/quorate"),
        ("http://10.0.0.1:8440/", "http://10.0.0.1:8440", "http://10.0.0.1:8440", "/"),
        ("https://example.org:443/a/b", "https://example.org/a/b", "https://example.org", "/a/b"),
    ] {
        let url = parsed(written);
        assert_eq!((url.to_string().as_str(), url.origin(), url.cookie_path()), (shown, origin, path));
    }
    assert!(parsed("https://a.example").is_https() && !parsed("http://a.example").is_https());
}

#[test]
fn what_is_no_public_url_is_told_with_an_example() {
    for (written, why) in [
        ("watch.example.org", "this is no URL"),
        ("ftp://watch.example.org", "it begins with neither http:// nor https://"),
        ("https://ann:secret@watch.example.org", "it has a user in it"),
        ("https://watch.example.org/?a=b", "it has a query or a fragment"),
        ("https://watch.example.org/#/fleet", "it has a query or a fragment"),
        ("https://watch.example.org/a;b", "its path has a semicolon or two slashes in a row"),
    ] {
        let told = written.parse::<PublicUrl>().unwrap_err().to_string();
        assert!(
            told.contains(why) && told.ends_with("like https://watch.example.org or https://example.org/quorate"),
            "{told}"
        );
    }
}
