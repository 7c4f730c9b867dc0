//! What holds whatever somebody without a certificate sends to be enrolled: the request is read or refused, and a key that is
//! taken is one that signed for itself. Read by the fuzz target, and by the test of `quorate-aggregator` that replays its
//! corpus.
//!
//! An input is one `EnrollRequest`. Who may enrol is not asked: the certificate request is read by itself, too.

use prost::Message as _;
use quorate_aggregator::authority::{KeyRequest, RequestError, Token};
use quorate_proto::v1::EnrollRequest;

/// What an input was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// No request.
    Unreadable,
    /// A request whose token is none.
    NoToken,
    /// A request with a token whose key was refused.
    Key(Refused),
    /// A request that is looked up.
    Taken,
}

/// Why a key was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refused {
    /// No certificate request.
    Unreadable,
    /// Somebody else's key.
    NotSigned,
    /// Of another kind.
    OtherKey,
}

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) -> Answer {
    key(bytes).ok();
    let Ok(request) = EnrollRequest::decode(bytes) else { return Answer::Unreadable };
    let key = key(&request.csr_der);
    let Ok(token) = Token::parse(&request.token) else { return Answer::NoToken };
    assert_eq!(token.to_string(), request.token.trim(), "each token has one spelling");
    match key {
        Ok(()) => Answer::Taken,
        Err(refused) => Answer::Key(refused),
    }
}

fn key(der: &[u8]) -> Result<(), Refused> {
    let key = KeyRequest::from_der(der).map_err(|refusal| match refusal {
        RequestError::Unreadable => Refused::Unreadable,
        RequestError::NotSigned => Refused::NotSigned,
        RequestError::OtherKey => Refused::OtherKey,
    })?;
    let again = KeyRequest::from_der(der).expect("what was read once is read again");
    assert_eq!(key.fingerprint(), again.fingerprint());
    assert!(!key.is_of(der), "a request is no certificate");
    Ok(())
}
