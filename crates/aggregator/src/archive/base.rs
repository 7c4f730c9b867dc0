//! Where folding begins: a keyframe, or else an empty ledger long enough before.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;

use crate::engine::keyframe::{self, KeyframeError};
use crate::inventory::{Inventory, InventoryError};
use crate::store::{Keyframe, Store, StoreError, StoredInventory};

/// Why the archive could not be folded.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An inventory of that time is not one that this version accepts.
    #[error("inventory {version} is refused: {problem}")]
    Inventory {
        /// Which.
        version: u64,
        /// Why.
        problem: InventoryError,
    },
}

/// A fleet with the policies that it is to be folded under.
pub struct Declared {
    /// Version of the inventory.
    pub version: u64,
    /// The inventory as written.
    pub inventory: Arc<Inventory>,
    /// The same, checked.
    pub fleet: Fleet,
    /// One for each world.
    pub policies: Vec<Policy>,
}

/// Under which policies the reports that follow an inventory are folded.
pub type Policies = Arc<dyn Fn(StoredInventory) -> Result<Declared, ArchiveError> + Send + Sync>;

/// One world: the policy as it was in force.
pub fn as_in_force() -> Policies {
    Arc::new(|StoredInventory { version, inventory, .. }| {
        let refused = |problem| ArchiveError::Inventory { version, problem };
        let (fleet, policy) = crate::engine::declared(&inventory).map_err(refused)?;
        Ok(Declared { version, inventory: Arc::new(inventory), fleet, policies: vec![policy] })
    })
}

/// What a folded moment rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Footing {
    /// A keyframe.
    Exact,
    /// Reports alone, from longer ago than a verdict outlives its evidence.
    WarmedUp,
    /// Fewer reports than that: the archive has no earlier ones.
    Short,
}

/// Where folding begins.
pub struct Base {
    /// When.
    pub at: Moment,
    /// What it rests on.
    pub footing: Footing,
    /// Reports behind this one are read.
    pub read_after: u64,
    /// Reports up to this one are in the ledger.
    pub through: u64,
    /// The fleet of that moment.
    pub declared: Declared,
    /// The folded state.
    pub ledger: Ledger,
}

impl Base {
    /// The best place from which to fold up to `at`; none if nothing is archived of so long ago.
    pub async fn before(store: &Store, at: Moment, policies: &Policies) -> Result<Option<Self>, ArchiveError> {
        if let Some(keyframe) = store.keyframe_before(at).await?
            && let Some(base) = Self::of_keyframe(store, &keyframe, policies).await?
        {
            return Ok(Some(base));
        }
        Self::of_reports(store, at, policies).await
    }

    /// None if it cannot be read.
    async fn of_keyframe(
        store: &Store,
        keyframe: &Keyframe,
        policies: &Policies,
    ) -> Result<Option<Self>, ArchiveError> {
        let stored = match keyframe.inventory_version {
            // Before the first version there is the empty inventory.
            0 => StoredInventory::default(),
            version => match store.inventory_version(version).await? {
                Some(stored) => stored,
                None => return Ok(None),
            },
        };
        let declared = policies(stored)?;
        let ledger = match keyframe::decode(keyframe, &declared.fleet) {
            Ok(ledger) => ledger,
            Err(error @ (KeyframeError::Unpack(_) | KeyframeError::Decode(_) | KeyframeError::Ledger(_))) => {
                tracing::error!("{error}; that time is folded from reports alone");
                return Ok(None);
            }
        };
        // The last reports of that moment are not in a keyframe: they are read once more, and not folded.
        let fresh = declared.policies.first().map_or(Duration::ZERO, |policy| policy.stale_after);
        let read_after = store.report_id_before(keyframe.at.before(fresh)).await?.min(keyframe.through);
        Ok(Some(Self {
            at: keyframe.at,
            footing: Footing::Exact,
            read_after,
            through: keyframe.through,
            declared,
            ledger,
        }))
    }

    async fn of_reports(store: &Store, at: Moment, policies: &Policies) -> Result<Option<Self>, ArchiveError> {
        let Some(first) = store.first_report_at().await?.filter(|first| *first <= at) else { return Ok(None) };
        let Some(stored) = store.inventory_at(at).await? else { return Ok(None) };
        let span = policies(stored)?.policies.first().map_or(Duration::ZERO, warm_up);
        let (begin, footing) = match at.before(span) {
            wanted if wanted >= first => (wanted, Footing::WarmedUp),
            _ => (first, Footing::Short),
        };
        // The clock that dated the first inventory may have been behind that of the first report.
        let in_force = store.inventories_between(begin, at).await?.into_iter().next();
        let Some(stored) = in_force else { return Ok(None) };
        let declared = policies(stored)?;
        let ledger = Ledger::new(&declared.fleet, begin);
        let through = store.report_id_before(begin).await?;
        Ok(Some(Self { at: begin, footing, read_after: through, through, declared, ledger }))
    }
}

/// How long reports are folded before an answer rests on them alone: a series must have had time to become full (R5), the
/// verdict that it made to be held (R14), and both by witnesses that were late.
pub fn warm_up(policy: &Policy) -> Duration {
    let series = policy.sustain_for.max(policy.interval * u32::from(policy.sustain_rounds));
    policy.hold_for + series + policy.stale_after + policy.interval
}
