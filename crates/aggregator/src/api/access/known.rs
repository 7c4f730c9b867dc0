//! Secrets that opened a door lately: a page of badges is one look-up, and readers are answered while the store is away.
//!
//! Like a porter who remembers faces for a few seconds, and for longer only while the office with the list is closed. What
//! is revoked through this aggregator is forgotten at once; through another one, within [`FRESH_FOR`].

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quorate_core::time::Moment;

use crate::store::StoreError;

/// How long a look-up counts: what another aggregator revokes holds no longer than this.
const FRESH_FOR: Duration = Duration::from_secs(5);
/// Most secrets remembered: panels and people of one fleet have a few dozen.
const KNOWN_MAX: usize = 1024;

/// What secrets stand for, by hash.
#[derive(Debug)]
pub struct Known<T>(Mutex<Memory<T>>);

#[derive(Debug)]
struct Memory<T> {
    seen: HashMap<[u8; 32], Seen<T>>,
    /// How often something was forgotten: what a look-up found that began before says what was.
    forgotten: u64,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Mutex::new(Memory { seen: HashMap::new(), forgotten: 0 }))
    }
}

#[derive(Debug, Clone)]
struct Seen<T> {
    what: T,
    at: Moment,
}

impl<T: Clone> Known<T> {
    /// What stands behind that hash, as remembered or as `look` finds it in the store.
    pub async fn find(
        &self,
        hash: &[u8; 32],
        now: Moment,
        look: impl Future<Output = Result<Option<T>, StoreError>>,
    ) -> Result<Option<T>, StoreError> {
        let (seen, forgotten) = {
            let memory = self.memory();
            (memory.seen.get(hash).cloned(), memory.forgotten)
        };
        if let Some(seen) = &seen
            && now.since(seen.at) < FRESH_FOR
        {
            return Ok(Some(seen.what.clone()));
        }
        let found = match look.await {
            Ok(found) => found,
            // Remembered anew, so that not every request waits for a store that is away.
            Err(error @ StoreError::Unavailable { .. }) => Some(seen.ok_or(error)?.what),
            Err(error) => return Err(error),
        };
        let mut memory = self.memory();
        match &found {
            Some(what) if memory.forgotten == forgotten => memory.remember(hash, what.clone(), now),
            Some(_) => {}
            None => drop(memory.seen.remove(hash)),
        }
        Ok(found)
    }

    /// What a hash stands for as of `now`.
    pub fn remember(&self, hash: &[u8; 32], what: T, now: Moment) {
        self.memory().remember(hash, what, now);
    }

    /// Forgets one; it is looked up anew.
    pub fn forget(&self, hash: &[u8; 32]) {
        let mut memory = self.memory();
        memory.seen.remove(hash);
        memory.forgotten += 1;
    }

    /// Forgets all.
    pub fn forget_all(&self) {
        let mut memory = self.memory();
        memory.seen.clear();
        memory.forgotten += 1;
    }

    fn memory(&self) -> MutexGuard<'_, Memory<T>> {
        // Every change is whole before anything could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Memory<T> {
    fn remember(&mut self, hash: &[u8; 32], what: T, at: Moment) {
        if self.seen.len() >= KNOWN_MAX && !self.seen.contains_key(hash) {
            self.seen.clear();
        }
        self.seen.insert(*hash, Seen { what, at });
    }
}
