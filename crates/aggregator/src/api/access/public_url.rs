//! What people type to get here: the address of the reverse proxy before the aggregator, with the path that it is under.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// An address like `https://watch.example.org/quorate`, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    path: String,
}

/// Why it is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{url}': {problem}; give it like https://watch.example.org or https://example.org/quorate")]
pub struct PublicUrlError {
    url: String,
    problem: &'static str,
}

impl PublicUrl {
    /// Scheme, host and port: what browsers send as `Origin`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The path that a cookie is for.
    pub fn cookie_path(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// Whether browsers come by TLS.
    pub fn is_https(&self) -> bool {
        self.origin.starts_with("https:")
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(written: &str) -> Result<Self, PublicUrlError> {
        let refused = |problem| PublicUrlError { url: written.to_owned(), problem };
        let url = Url::parse(written.trim()).map_err(|_| refused("this is no URL"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused("it begins with neither http:// nor https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("it has a user in it"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("it has a query or a fragment"));
        }
        let path = url.path().trim_end_matches('/');
        // A semicolon would end the path of a cookie.
        if path.contains(';') || path.contains("//") {
            return Err(refused("its path has a semicolon or two slashes in a row"));
        }
        Ok(Self { origin: url.origin().ascii_serialization(), path: path.to_owned() })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

#[cfg(test)]
mod tests;
