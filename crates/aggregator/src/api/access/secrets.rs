//! New secrets: 256 random bits each, of which the store has the SHA-256 alone.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_core::time::Moment;
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::store::{NewToken, TokenScope, sha256};

/// A token of the widest of `scope` that includes the narrower ones, and its secret.
pub fn new_token(
    name: &str,
    scope: TokenScope,
    expires_at: Option<Moment>,
    now: Moment,
) -> Result<(NewToken, String), NoRandom> {
    let secret = random::<32>().map(|bytes| format!("qt1.{}", URL_SAFE_NO_PAD.encode(bytes)))?;
    let scopes = match scope {
        TokenScope::Feed => vec![TokenScope::Feed],
        TokenScope::Read => vec![TokenScope::Read, TokenScope::Feed],
        TokenScope::Admin => TokenScope::ALL.to_vec(),
    };
    let token = NewToken {
        id: URL_SAFE_NO_PAD.encode(random::<6>()?),
        name: name.to_owned(),
        scopes,
        hash: sha256(secret.as_bytes()),
        created_at: now,
        expires_at,
    };
    Ok((token, secret))
}

/// The secret of a cookie.
pub fn new_cookie() -> Result<String, NoRandom> {
    random::<32>().map(|bytes| format!("qs1.{}", URL_SAFE_NO_PAD.encode(bytes)))
}

/// So many random bytes.
pub fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

/// The system has no random numbers.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the system gives no random numbers for a secret")]
pub struct NoRandom;
