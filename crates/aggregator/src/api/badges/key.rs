//! The key of signed links: made when the first link is, kept in the store, and thrown away to end all links at once.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

use crate::api::access::random;
use crate::api::problem::Problem;
use crate::digest;
use crate::store::Store;

/// Where the store has it.
const NAME: &str = "badge_link_key";

/// The key, once it was needed.
#[derive(Debug, Default)]
pub struct LinkKey(Mutex<Option<Known>>);

#[derive(Debug, Clone)]
struct Known {
    key: hmac::Key,
    mark: String,
}

impl LinkKey {
    /// The key that links are signed with.
    pub async fn get(&self, store: &Store) -> Result<hmac::Key, Problem> {
        Ok(self.known(store).await?.key)
    }

    /// What tells one key from another, for the audit: 64 bits of its hash.
    pub async fn mark(&self, store: &Store) -> Result<String, Problem> {
        Ok(self.known(store).await?.mark)
    }

    /// Takes another key: every link that was ever made is void.
    pub async fn change(&self, store: &Store) -> Result<(), Problem> {
        let secret = new_secret()?;
        store.set_meta(NAME, &secret).await?;
        self.remember(&secret);
        Ok(())
    }

    async fn known(&self, store: &Store) -> Result<Known, Problem> {
        if let Some(known) = self.remembered() {
            return Ok(known);
        }
        // Of two that make the first one at once, both get the one that was stored.
        let secret = store.meta_or(NAME, &new_secret()?).await?;
        Ok(self.remember(&secret))
    }

    fn remembered(&self) -> Option<Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remember(&self, secret: &str) -> Known {
        let mark = digest::hex(&digest::sha256(secret.as_bytes())[..8]);
        let known = Known { key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), mark };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        known
    }
}

/// 256 random bits, as the store keeps them.
fn new_secret() -> Result<String, Problem> {
    random::<32>().map(|bytes| URL_SAFE_NO_PAD.encode(bytes)).map_err(|error| Problem::internal(&error))
}
