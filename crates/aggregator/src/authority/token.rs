//! Enrolment tokens: `q1.<id>.<secret>.<pin>`, each part but the first in base64url without padding.
//!
//! The id finds the token in the store, the secret (32 random bytes) proves that the holder was given it, the pin
//! (SHA-256 of the authority's public key) lets the holder check the gateway before it trusts anything.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom as _;

use crate::digest::sha256;

/// How long a token can be used: time to log in to a server and paste a command.
pub const TOKEN_VALID_FOR: Duration = Duration::from_hours(1);

const VERSION: &str = "q1";

/// Eight random bytes name a token: among 10,000 open ones, two share a name with a chance of 3 in 10¹².
const ID_BYTES: usize = 8;

/// A token in the clear. Shown once, to the person who asked for it; the store has its hash.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    id: String,
    secret: [u8; 32],
    pin: [u8; 32],
}

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no enrolment token (q1.…): copy the whole command that 'quorate-aggregator enroll' printed")]
pub struct TokenError;

impl Token {
    /// A fresh token for an authority with this pin.
    pub fn mint(pin: [u8; 32]) -> Result<Self, ring::error::Unspecified> {
        let random = ring::rand::SystemRandom::new();
        let (mut id, mut secret) = ([0; ID_BYTES], [0; 32]);
        random.fill(&mut id)?;
        random.fill(&mut secret)?;
        Ok(Self { id: URL_SAFE_NO_PAD.encode(id), secret, pin })
    }

    /// Reads a token; strict, so that each token has one spelling.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        let mut parts = text.trim().split('.');
        let (Some(VERSION), Some(id), Some(secret), Some(pin), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(TokenError);
        };
        if URL_SAFE_NO_PAD.decode(id).map_or(0, |bytes| bytes.len()) != ID_BYTES {
            return Err(TokenError);
        }
        let bytes = |part: &str| URL_SAFE_NO_PAD.decode(part).ok()?.try_into().ok();
        Ok(Self { id: id.to_owned(), secret: bytes(secret).ok_or(TokenError)?, pin: bytes(pin).ok_or(TokenError)? })
    }

    /// What the store knows it by.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What the store keeps in place of the secret. A plain hash will do: 256 random bits cannot be guessed.
    pub fn hash(&self) -> [u8; 32] {
        sha256(&self.secret)
    }

    /// SHA-256 of the public key of the authority that the token belongs to.
    pub fn pin(&self) -> [u8; 32] {
        self.pin
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secret, pin) = (URL_SAFE_NO_PAD.encode(self.secret), URL_SAFE_NO_PAD.encode(self.pin));
        write!(f, "{VERSION}.{}.{secret}.{pin}", self.id)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({})", self.id)
    }
}
