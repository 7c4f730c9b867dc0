//! Starting the engine: where the last run stopped, plus the reports that came after its last checkpoint.

use std::sync::Arc;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
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
use crate::clock::Clock;
use crate::inventory::InventoryError;
use crate::store::{Retention, Store, StoreError, StoredInventory};

/// Commands that wait for the engine at most; beyond that senders wait.
const COMMANDS_WAITING_MAX: usize = 1_024;
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
        let StoredInventory { version: inventory_version, inventory, .. } =
            store.inventory().await?.unwrap_or_default();
        let (fleet, policy) = super::declared(&inventory)?;
        let (ledger, through) = restored(&store, &fleet, inventory_version, now).await?;
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
        task.catch_up().await?;
        for (id, row) in &standing {
            standing::restore(&mut task.ledger, &task.fleet, id, &row.unreachable, &row.blocked);
        }
        task.ledger.resume(now);
        task.replan(now).await;
        task.evaluate(now).await;
        task.keyframe(now, silent_since).await;
        let lines = task.lines.clone();
        tokio::spawn(task.run());
        Ok(EngineHandle { commands: commands_in, snapshots: snapshots_in, plans: plans_in, events, lines })
    }
}

/// The last that is known of the run before: its last checkpoint, or the report that it took in after it.
async fn last_sign(store: &Store) -> Result<Option<Moment>, StoreError> {
    let checkpoint = store.checkpoint().await?.map(|checkpoint| checkpoint.at);
    Ok(checkpoint.max(store.last_report_at().await?))
}

/// The ledger of the last checkpoint over the fleet in force, and the last report in it.
async fn restored(store: &Store, fleet: &Fleet, version: u64, now: Moment) -> Result<(Ledger, u64), StartError> {
    let Some(stored) = store.checkpoint().await? else { return Ok((Ledger::new(fleet, now), 0)) };
    let earlier = match stored.inventory_version {
        same if same == version => None,
        earlier => match store.inventory_version(earlier).await? {
            Some(stored) => Some(stored.inventory.fleet()?),
            None => None,
        },
    };
    let written_over = earlier.as_ref().unwrap_or(fleet);
    match checkpoint::decode(&stored.ledger, written_over, now) {
        Ok(ledger) if earlier.is_some() => Ok((ledger.over(written_over, fleet, now), stored.through)),
        Ok(ledger) => Ok((ledger, stored.through)),
        Err(error) => {
            tracing::error!("{error}; evidence is gathered anew, standing verdicts are kept");
            Ok((Ledger::new(fleet, now), stored.through))
        }
    }
}

/// What was told before this start is not told again.
async fn told(store: &Store) -> Result<Told, StoreError> {
    let stored = store.meta(TOLD).await?;
    Ok(stored.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
}
