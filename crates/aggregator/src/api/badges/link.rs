//! Signed links: what is shown, until when, and a signature over both.
//!
//! Like a ticket for one seat: it opens what stands on it, until the date on it, and a change of either makes it void. The
//! signature is HMAC-SHA256 over [`Subject`] and the end, written so that no two of them read the same; it is compared in
//! constant time.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

/// What a link shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The badge of one server.
    Server(String),
    /// The badges of the servers that a route has for one reader: as the feed's parameters say.
    Route {
        /// The route.
        route: String,
        /// Who reads; nobody in particular when absent.
        subscriber: Option<String>,
        /// The reader's country.
        country: Option<String>,
        /// How many servers.
        count: Option<usize>,
    },
}

/// The part of a link that signs it: `until=…&sig=…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    /// The end, Unix seconds.
    pub until_s: u64,
    /// The signature, base64url.
    pub sig: String,
}

impl Seal {
    /// A subject, sealed until then.
    pub fn new(key: &hmac::Key, subject: &Subject, until_s: u64) -> Self {
        let tag = hmac::sign(key, canonical(subject, until_s).as_bytes());
        Self { until_s, sig: URL_SAFE_NO_PAD.encode(tag) }
    }

    /// Whether it was made with that key for that subject. Says nothing of its end.
    pub fn is_of(&self, key: &hmac::Key, subject: &Subject) -> bool {
        let Ok(tag) = URL_SAFE_NO_PAD.decode(&self.sig) else { return false };
        hmac::verify(key, canonical(subject, self.until_s).as_bytes(), &tag).is_ok()
    }

    /// As it stands in an address.
    pub fn query(&self) -> String {
        format!("until={}&sig={}", self.until_s, self.sig)
    }
}

/// One line a field, with the length of what somebody else chose: no value can be read as another field.
fn canonical(subject: &Subject, until_s: u64) -> String {
    let mut text = String::from("quorate badge 1\n");
    let mut field = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "{name} {} {value}", value.len());
        }
    };
    match subject {
        Subject::Server(server) => field("server", Some(server)),
        Subject::Route { route, subscriber, country, count } => {
            field("route", Some(route));
            field("subscriber", subscriber.as_deref());
            field("country", country.as_deref());
            field("count", count.map(|count| count.to_string()).as_deref());
        }
    }
    field("until", Some(&until_s.to_string()));
    text
}

#[cfg(test)]
mod tests;
