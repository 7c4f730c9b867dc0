//! Starting the engine: where the last run stopped, plus the reports that came after its last checkpoint.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;
use tokio::sync::{broadcast, mpsc, watch};

use super::changes::Told;
use super::intake::Places;
use super::issued::Issued;
use super::record::{Record, TOLD};
use super::refusals::Refusals;
use super::task::{Framed, Task};
use super::{Effort, EngineHandle, Plans, Snapshot, checkpoint, standing};
use crate::clock::{Clock, Mark};
use crate::inventory::InventoryError;
use crate::store::{Checkpoint, Retention, Store, StoreError, StoredInventory};

/// Commands that wait for the engine at most; beyond that senders wait.
const COMMANDS_WAITING_MAX: usize = 1_024;
/// Where the mark of the last start is kept.
const MARK: &str = "clock";
/// Events that a slow reader may fall behind.
const EVENTS_BEHIND_MAX: usize = 4_096;

/// What the engine is told by its operator.
#[derive(Debug, Clone, Copy)]
pub struct EngineConfig {
    /// How long and how large the archive of reports may grow.
    pub retention: Retention,
}

/// Why the engine cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored inventory is not one that this version accepts.
    #[error("the stored inventory is refused: {0}")]
    Inventory(#[from] InventoryError),
}

/// The engine, before it is started.
pub struct Engine;

impl Engine {
    /// Reads what is stored, folds what came after the last checkpoint, evaluates once and begins to listen. Must be called
    /// within a tokio runtime.
    pub async fn start(store: Store, clock: Clock, config: EngineConfig) -> Result<EngineHandle, StartError> {
        let now = clock.now();
        let silent_since = last_sign(&store).await?;
        let newest = store.inventory().await?.unwrap_or_default();
        // It is taken up below, and there is nobody to be told of a refusal there.
        super::declared(&newest.inventory)?;
        let checkpoint = store.checkpoint().await?;
        let is_first = checkpoint.is_none();
        let Restored { inventory, fleet, policy, ledger, through } = restored(&store, checkpoint, newest, now).await?;
        let StoredInventory { version: inventory_version, inventory, .. } = inventory;
        let standing = store.standing().await?;
        let statuses = store.status_since().await?;
        let last_event = store.last_event_id().await?;

        let (commands_in, commands) = mpsc::channel(COMMANDS_WAITING_MAX);
        let (events, _) = broadcast::channel(EVENTS_BEHIND_MAX);
        let (plans_out, plans_in) = watch::channel(Arc::new(Plans::default()));
        let issued = Issued::resume(&store, plans_out).await?;
        let (fleet, policy, inventory) = (Arc::new(fleet), Arc::new(policy), Arc::new(inventory));
        let (snapshots, snapshots_in) = watch::channel(Arc::new(Snapshot {
            generation: 0,
            at: now,
            through,
            evaluation_started_at: now,
            inventory_version,
            inventory: inventory.clone(),
            fleet: fleet.clone(),
            policy: policy.clone(),
            verdicts: Arc::new(Verdicts::default()),
            since: Arc::default(),
            last_reports: Arc::default(),
            refusals: Arc::default(),
            pattern: Arc::default(),
            effort: Effort::default(),
        }));
        let mut task = Task {
            store: store.clone(),
            clock,
            retention: config.retention,
            commands,
            snapshots,
            events: events.clone(),
            last_reports: vec![None; fleet.servers().len()],
            inventory,
            inventory_version,
            policy,
            ledger,
            evaluator: Evaluator::default(),
            through,
            told: told(&store).await?,
            record: Record::resume(standing.clone(), statuses, last_event),
            issued,
            refusals: Refusals::resume(&store).await?,
            generation: 0,
            effort: Effort::default(),
            places: Places::default(),
            framed: Framed::default(),
            lines: Arc::default(),
            fleet,
        };
        task.relive().await?;
        for (id, row) in &standing {
            standing::restore(&mut task.ledger, &task.fleet, id, &row.unreachable, &row.blocked);
        }
        task.ledger.resume(now);
        task.allow_for_a_moved_clock(now).await?;
        task.replan(now).await;
        task.evaluate(now).await;
        task.keyframe(now, silent_since).await;
        if is_first {
            // What comes from here on is folded over the fleet of this moment, also after a restart.
            task.checkpoint(now).await;
        }
        let lines = task.lines.clone();
        tokio::spawn(task.run());
        Ok(EngineHandle { commands: commands_in, snapshots: snapshots_in, plans: plans_in, events, lines })
    }
}

impl Task {
    /// A wall clock that was moved ahead between two runs makes no evidence old. What it comes to is stored before the mark
    /// that it was found by.
    async fn allow_for_a_moved_clock(&mut self, now: Moment) -> Result<(), StoreError> {
        let Some(mark) = Mark::of(&self.clock) else { return Ok(()) };
        let earlier = self.store.meta(MARK).await?.and_then(|json| serde_json::from_str::<Mark>(&json).ok());
        let moved = earlier.map_or(Duration::ZERO, |earlier| mark.moved_since(&earlier));
        if moved > Duration::ZERO {
            let ahead_s = moved.as_secs();
            tracing::warn!(
                ahead_s,
                "the wall clock was moved ahead since the last start: what was seen is no older for it"
            );
            self.ledger.put_off(moved);
            self.checkpoint(now).await;
        }
        match serde_json::to_string(&mark) {
            Ok(json) => self.store.set_meta(MARK, &json).await,
            Err(_) => Ok(()),
        }
    }
}

/// The last that is known of the run before: its last checkpoint, or the report that it took in after it.
async fn last_sign(store: &Store) -> Result<Option<Moment>, StoreError> {
    let checkpoint = store.checkpoint().await?.map(|checkpoint| checkpoint.at);
    Ok(checkpoint.max(store.last_report_at().await?))
}

/// Where the run before stood at its last checkpoint.
struct Restored {
    inventory: StoredInventory,
    fleet: Fleet,
    policy: Policy,
    ledger: Ledger,
    /// The last report in the ledger.
    through: u64,
}

/// The ledger of the last checkpoint over the fleet of its time; an empty one over the newest fleet where there is none.
async fn restored(
    store: &Store,
    checkpoint: Option<Checkpoint>,
    newest: StoredInventory,
    now: Moment,
) -> Result<Restored, StartError> {
    let earlier = match &checkpoint {
        Some(checkpoint) if checkpoint.inventory_version != newest.version => {
            store.inventory_version(checkpoint.inventory_version).await?
        }
        Some(_) | None => None,
    };
    let inventory = earlier.unwrap_or(newest);
    let (fleet, policy) = super::declared(&inventory.inventory)?;
    let Some(checkpoint) = checkpoint else {
        let ledger = Ledger::new(&fleet, now);
        return Ok(Restored { inventory, fleet, policy, ledger, through: 0 });
    };
    let ledger = checkpoint::decode(&checkpoint.ledger, &fleet, now).unwrap_or_else(|error| {
        tracing::error!("{error}; evidence is gathered anew, standing verdicts are kept");
        Ledger::new(&fleet, now)
    });
    Ok(Restored { inventory, fleet, policy, ledger, through: checkpoint.through })
}

/// What was told before this start is not told again.
async fn told(store: &Store) -> Result<Told, StoreError> {
    let stored = store.meta(TOLD).await?;
    Ok(stored.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
}
