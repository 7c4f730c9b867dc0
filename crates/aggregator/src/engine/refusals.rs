//! Which agents refuse their plan, and why, until a report follows that plan or a later one.
//!
//! An agent tells of it once and goes on with the plan before, so to everybody else it looks well: what is told is kept in
//! the store, and stands beside the server's status.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_core::fleet::Fleet;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError};

/// Where the store keeps them.
const REFUSALS: &str = "plan_refusals";

/// A plan that an agent does not take up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The plan's version.
    pub plan_version: u64,
    /// When the agent said so, Unix milliseconds.
    pub since_ms: u64,
    /// The agent's words: what in the plan is beyond its own limits.
    pub reason: String,
}

/// Refusals by server; at most one of each.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    known: Arc<BTreeMap<String, Refusal>>,
    unsaved: bool,
}

impl Refusals {
    /// Goes on from what the store has.
    pub async fn resume(store: &Store) -> Result<Self, StoreError> {
        let stored = store.meta(REFUSALS).await?;
        let known = stored.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
        Ok(Self { known: Arc::new(known), unsaved: false })
    }

    /// As they stand.
    pub fn all(&self) -> Arc<BTreeMap<String, Refusal>> {
        self.known.clone()
    }

    /// An agent refuses the plans of a version.
    pub fn note(&mut self, server: &str, plan_version: u64, reason: String, now: Moment) {
        let refusal = Refusal { plan_version, since_ms: now.as_ms(), reason };
        Arc::make_mut(&mut self.known).insert(server.to_owned(), refusal);
        self.unsaved = true;
    }

    /// A round that was observed at that moment follows a plan. Returns whether that ends a refusal: what was observed
    /// before it, and waited in the outbox, does not.
    pub fn followed(&mut self, server: &str, plan_version: u64, observed_at: Moment) -> bool {
        let ends = self
            .known
            .get(server)
            .is_some_and(|refusal| plan_version >= refusal.plan_version && observed_at.as_ms() >= refusal.since_ms);
        if ends {
            Arc::make_mut(&mut self.known).remove(server);
            self.unsaved = true;
        }
        ends
    }

    /// Forgets servers that are gone.
    pub fn keep_to(&mut self, fleet: &Fleet) {
        if self.known.keys().any(|server| fleet.find_server(server).is_none()) {
            Arc::make_mut(&mut self.known).retain(|server, _| fleet.find_server(server).is_some());
            self.unsaved = true;
        }
    }

    /// Writes them down if they changed. What fails is tried again at the next call.
    pub async fn save(&mut self, store: &Store) {
        if !self.unsaved {
            return;
        }
        // Strings and numbers can be written as JSON.
        let json = serde_json::to_string(&*self.known).unwrap_or_default();
        match store.set_meta(REFUSALS, &json).await {
            Ok(()) => self.unsaved = false,
            Err(error) => tracing::warn!("refused plans wait for the database: {error}"),
        }
    }
}
