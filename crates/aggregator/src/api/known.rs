//! Tokens that opened a door lately: a page of badges is one look-up, and readers are answered while the store is away.
//!
//! Like a porter who remembers faces for a few seconds, and for longer only while the office with the list is closed. What
//! is revoked through this aggregator is forgotten at once; through another one, within [`FRESH_FOR`].

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_core::time::Moment;

use crate::store::{Store, StoreError, Token};

/// How long a look-up counts: what another aggregator revokes holds no longer than this.
const FRESH_FOR: Duration = Duration::from_secs(5);
/// Most tokens remembered: panels and people of one fleet have a few dozen.
const KNOWN_MAX: usize = 1024;

/// The tokens, by hash.
#[derive(Debug, Default)]
pub struct Known(Mutex<HashMap<[u8; 32], Seen>>);

#[derive(Debug, Clone)]
struct Seen {
    token: Token,
    at: Moment,
}

impl Known {
    /// The token of that hash, as remembered or as the store has it.
    pub async fn find(&self, store: &Store, hash: &[u8; 32], now: Moment) -> Result<Option<Token>, StoreError> {
        let seen = self.seen().get(hash).cloned();
        if let Some(seen) = &seen
            && now.since(seen.at) < FRESH_FOR
        {
            return Ok(Some(seen.token.clone()));
        }
        let found = match store.find_token(hash).await {
            Ok(found) => found,
            // Remembered anew, so that not every request waits for a store that is away.
            Err(error @ StoreError::Unavailable { .. }) => Some(seen.ok_or(error)?.token),
            Err(error) => return Err(error),
        };
        let mut known = self.seen();
        match &found {
            Some(token) => {
                if known.len() >= KNOWN_MAX {
                    known.clear();
                }
                known.insert(*hash, Seen { token: token.clone(), at: now });
            }
            None => drop(known.remove(hash)),
        }
        Ok(found)
    }

    /// Forgets all; they are looked up anew.
    pub fn forget(&self) {
        self.seen().clear();
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<[u8; 32], Seen>> {
        // Every change is whole before anything could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
