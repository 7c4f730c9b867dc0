use ring::hmac;

use super::{Seal, Subject};

fn key(secret: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes())
}

fn server(id: &str) -> Subject {
    Subject::Server(id.to_owned())
}

fn route(id: &str, subscriber: Option<&str>, country: Option<&str>, count: Option<usize>) -> Subject {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Subject::Route { route: id.to_owned(), subscriber: owned(subscriber), country: owned(country), count }
}

#[test]
fn a_seal_is_of_what_it_was_made_for_and_of_nothing_else() {
    let key = key("k");
    let all = [
        server("a"),
        server("b"),
        route("a", None, None, None),
        route("a", Some("u42"), None, None),
        route("a", Some("u43"), None, None),
        route("a", None, Some("RU"), None),
        route("a", Some("RU"), None, None),
        route("a", None, None, Some(3)),
        route("a", Some("u42"), None, Some(3)),
        route("a", Some("3"), None, None),
        route("a", Some(""), None, None),
        // What would read like another field, if lengths did not tell.
        route("a", Some("u42\ncount 1 3"), None, None),
        route("a\nsubscriber 3 u42", None, None, None),
    ];
    for made_for in &all {
        let seal = Seal::new(&key, made_for, 1_796_000_000);
        for shown in &all {
            assert_eq!(seal.is_of(&key, shown), made_for == shown, "{made_for:?} as {shown:?}");
        }
    }
}

#[test]
fn a_seal_cannot_be_lengthened_nor_made_with_another_key() {
    let seal = Seal::new(&key("k"), &server("a"), 1000);
    assert!(seal.is_of(&key("k"), &server("a")));
    assert!(!Seal { until_s: 1001, ..seal.clone() }.is_of(&key("k"), &server("a")));
    assert!(!seal.is_of(&key("other"), &server("a")));
    for sig in ["", "!", "AAAA", &seal.sig[1..], &format!("{}A", seal.sig), &format!("{}=", seal.sig)] {
        assert!(!Seal { sig: sig.to_owned(), ..seal.clone() }.is_of(&key("k"), &server("a")), "{sig}");
    }
}

/// Made by hand: `printf 'quorate badge 1\nserver 4 nl-1\nuntil 10 1796000000\n' | openssl dgst -sha256 -hmac secret -binary`.
#[test]
fn links_that_were_given_away_keep_their_meaning() {
    let seal = Seal::new(&key("secret"), &server("nl-1"), 1_796_000_000);
    assert_eq!(seal.query(), "until=1796000000&sig=erHF2uXu75yp3hNbZ7ghGEjgI18m8ZDwWzdJ3HeLhy0");
}
