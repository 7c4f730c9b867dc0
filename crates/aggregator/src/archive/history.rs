//! Earlier moments for whoever asks: folded one after the other, a few kept.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quorate_core::time::Moment;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{JoinError, spawn_blocking};

use super::base::{ArchiveError, Base, Policies, as_in_force};
use super::cache::Cache;
use super::found::Found;
use super::past::Past;
use super::walk::{From, Walk};
use crate::store::Store;

/// Who may wait for a fold at a time; it takes well under a second each.
const WAITING_MAX: usize = 16;
/// The engine evaluates so long after a report.
const SETTLE: Duration = Duration::from_millis(100);
/// Rounds that are quickly folded: from a kept moment as long ago as this it goes on, and on the way to an answer one is
/// kept as long before it, for a slider that goes back.
const ROUNDS_NEAR: u32 = 10;

/// Why there is no answer about an earlier moment.
#[derive(Debug, thiserror::Error)]
pub enum FoldError {
    /// Too many are waiting for one.
    #[error("{WAITING_MAX} questions about the past are waiting already: ask again in a moment")]
    Busy,
    /// The archive does not reach back so far.
    #[error("nothing is archived of that moment or before it")]
    TooEarly,
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A bug of ours.
    #[error("folding ended in disorder: {0}")]
    Ended(#[from] JoinError),
}

/// Answers about earlier moments.
pub struct History {
    store: Store,
    policies: Policies,
    cache: Mutex<Cache>,
    waiting: Semaphore,
    turn: Semaphore,
}

impl History {
    /// Over the archive of a store.
    pub fn new(store: Store) -> Self {
        Self {
            store,
            policies: as_in_force(),
            cache: Mutex::default(),
            waiting: Semaphore::new(WAITING_MAX),
            // One at a time: the other core is the engine's.
            turn: Semaphore::new(1),
        }
    }

    /// A place among those who read the archive; whoever reads much of it holds one.
    pub fn place(&self) -> Result<SemaphorePermit<'_>, FoldError> {
        self.waiting.try_acquire().map_err(|_| FoldError::Busy)
    }

    /// What was known at `at`, which must not lie ahead.
    pub async fn at(&self, at: Moment) -> Result<Arc<Found>, FoldError> {
        if let Some(found) = self.cached(|cache| cache.get(at)) {
            return Ok(found);
        }
        let _place = self.place()?;
        // Neither semaphore is ever closed.
        let _turn = self.turn.acquire().await.map_err(|_| FoldError::Busy)?;
        // Who waited may find that another one asked for the same.
        if let Some(found) = self.cached(|cache| cache.get(at)) {
            return Ok(found);
        }
        let absence = self.store.absences(at, at).await.map_err(ArchiveError::Store)?.into_iter().next();
        let stopped_since = absence.map(|absence| absence.since).filter(|since| *since < at);
        let found = self.found(stopped_since.unwrap_or(at)).await?;
        let found = Arc::new(Found { asked: Some(at), stopped_since, ..found });
        self.cached(|cache| cache.keep(found.clone()));
        Ok(found)
    }

    async fn found(&self, at: Moment) -> Result<Found, FoldError> {
        let near = |past: &Past| past.worlds()[0].policy.interval * ROUNDS_NEAR;
        let newest = self.cached(|cache| cache.before(at, Duration::MAX));
        if let Some(kept) = newest.filter(|kept| at.since(kept.past.at()) <= near(&kept.past)) {
            let past = self.folded(kept.past.clone(), kept.past.through(), at).await?;
            return Ok(Found { asked: None, past, footing: kept.footing, from: kept.from, stopped_since: None });
        }
        let base = Base::before(&self.store, at, &self.policies).await?.ok_or(FoldError::TooEarly)?;
        let Base { at: from, footing, read_after, through, declared, ledger } = base;
        let mut past = Past::new(declared, &ledger, from, through, SETTLE).with_last_reports();
        let mut read_after = read_after;
        let waypoint = at.before(near(&past) / 2);
        if waypoint > from {
            past = self.folded(past, read_after, waypoint).await?;
            read_after = past.through();
            let passed = Found { asked: None, past: past.clone(), footing, from, stopped_since: None };
            self.cached(|cache| cache.keep(Arc::new(passed)));
        }
        let past = self.folded(past, read_after, at).await?;
        Ok(Found { asked: None, past, footing, from, stopped_since: None })
    }

    /// Moves it on to `to`, page by page, on a thread that serves nobody.
    async fn folded(&self, mut past: Past, read_after: u64, to: Moment) -> Result<Past, FoldError> {
        let from = From { at: past.at(), inventory_version: past.inventory_version(), read_after };
        let mut walk = Walk::open(&self.store, from, to, self.policies.clone()).await?;
        while let Some(page) = walk.next().await? {
            past = spawn_blocking(move || {
                past.take(page, &mut |_, _, _| {});
                past
            })
            .await?;
        }
        let arrived = spawn_blocking(move || {
            past.arrive(to, &mut |_, _, _| {});
            past
        });
        Ok(arrived.await?)
    }

    /// Nothing in there can panic halfway: a poisoned lock holds a sound cache.
    fn cached<T>(&self, with: impl FnOnce(&mut Cache) -> T) -> T {
        with(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
