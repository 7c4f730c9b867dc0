//! Which plans are in force, which older ones are remembered, and when new ones are made.
//!
//! Like a timetable that is printed: a change of the lines makes a new edition, at most once an interval and only if it
//! differs; passengers who still hold an older one are understood. An edition that could not be stored is not handed out,
//! because a report that follows it could not be read after a restart.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use tokio::sync::watch;

use super::{Plans, plan};
use crate::inventory::Inventory;
use crate::store::{Store, StoreError, StoredPlan};

/// Plans kept in memory; older ones are read from the store.
const KNOWN_MAX: usize = 16;
/// A plan that the store did not take is made again after this long.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Where the store keeps the digest of the newest plans, behind their version: a process may have died, or the store failed,
/// after it had stored a plan and before the digest, and that of other plans must not speak for it.
const DIGEST: &str = "plan_digest";

/// The plans of all versions, as far as they matter.
pub(super) struct Issued {
    out: watch::Sender<Arc<Plans>>,
    known: BTreeMap<u64, StoredPlan>,
    version: u64,
    /// Of the plans of that version.
    digest: Option<String>,
    /// When this run made that version, if it did.
    made_at: Option<Moment>,
    due_at: Option<Moment>,
}

impl Issued {
    /// Goes on from the newest version that the store has.
    pub async fn resume(store: &Store, out: watch::Sender<Arc<Plans>>) -> Result<Self, StoreError> {
        let latest = store.latest_plan().await?;
        let version = latest.as_ref().map_or(0, |(version, _)| *version);
        let stored = store.meta(DIGEST).await?;
        let of_latest = stored.as_deref().and_then(|stored| stored.strip_prefix(&format!("{version} ")));
        Ok(Self {
            out,
            version,
            known: latest.into_iter().collect(),
            digest: of_latest.map(str::to_owned),
            made_at: None,
            due_at: None,
        })
    }

    /// Of the plans in force.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// By version; [`Self::learn`] brings older ones in.
    pub fn known(&self) -> &BTreeMap<u64, StoredPlan> {
        &self.known
    }

    /// Reads a version that reports follow from the store, if it is not known yet.
    pub async fn learn(&mut self, store: &Store, version: u64) -> Result<(), StoreError> {
        if version == 0 || self.known.contains_key(&version) {
            return Ok(());
        }
        let Some(stored) = store.plan(version).await? else { return Ok(()) };
        self.known.insert(version, stored);
        while self.known.len() > KNOWN_MAX {
            let oldest = self.known.keys().find(|kept| **kept != version && **kept != self.version).copied();
            let Some(oldest) = oldest else { break };
            self.known.remove(&oldest);
        }
        Ok(())
    }

    /// The fleet has changed: new plans are due, an interval after the last ones.
    pub fn request(&mut self, interval: Duration, now: Moment) {
        self.due_at = Some(self.made_at.map_or(now, |at| at.after(interval)));
    }

    pub fn is_due(&self, now: Moment) -> bool {
        self.due_at.is_some_and(|at| now >= at)
    }

    /// Makes the plans anew and hands them out, under a new version only if they differ. Returns the policy that holds with
    /// them; none if the plans before stay in force.
    pub async fn issue(&mut self, store: &Store, fleet: &Fleet, inventory: &Inventory, now: Moment) -> Option<Policy> {
        self.due_at = None;
        let declared = match inventory.policy() {
            Ok(policy) => policy,
            Err(error) => {
                tracing::error!("the policy is refused: {error}");
                return None;
            }
        };
        let assigned = match plan::assign(fleet, &declared, &inventory.policy) {
            Ok(assigned) => assigned,
            Err(error) => {
                tracing::error!("no new plan, the one before stays in force: {error}");
                return None;
            }
        };
        let mut plans = plan::plans(fleet, &assigned, &inventory.policy, self.version);
        let digest = plan::digest(&plans);
        if self.digest.as_ref() != Some(&digest) {
            let (version, stored) = (self.version + 1, plan::stored(fleet, &assigned));
            if let Err(error) = save(store, version, &stored, &digest, now).await {
                tracing::warn!("the plan waits for the database: {error}");
                self.due_at = Some(now.after(AGAIN_AFTER));
                return None;
            }
            self.known.insert(version, stored);
            self.version = version;
            self.digest = Some(digest);
            self.made_at = Some(now);
            plans = plan::plans(fleet, &assigned, &inventory.policy, version);
        }
        self.out.send_replace(Arc::new(plans));
        Some(assigned.policy)
    }
}

async fn save(store: &Store, version: u64, stored: &StoredPlan, digest: &str, now: Moment) -> Result<(), StoreError> {
    store.save_plan(version, now, stored).await?;
    store.set_meta(DIGEST, &format!("{version} {digest}")).await
}
