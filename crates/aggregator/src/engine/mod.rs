//! The engine: folds what the gateway admits, evaluates, and hands every reader one immutable [`Snapshot`].
//!
//! One task owns the ledger; everybody else holds an [`EngineHandle`]. Reports reach it after the store has them, so that
//! nothing acknowledged is lost.

mod changes;
mod checkpoint;
mod fold;
mod follow;
mod framing;
pub mod intake;
mod issued;
pub(crate) mod keyframe;
mod pattern;
mod pause;
pub(crate) mod plan;
mod record;
mod refusals;
mod standing;
mod start;
mod task;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use quorate_core::fleet::{Fleet, ServerIx};
use quorate_core::outcome::Outcome;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::Verdicts;
use quorate_proto::v1;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::inventory::Inventory;
use crate::lines::Lines;

pub use self::pattern::Pattern;
pub(crate) use self::plan::{can_be_planned, declared};
pub use self::refusals::Refusal;
pub use self::start::{Engine, EngineConfig, StartError};
pub use crate::event::Event;

/// A report that passed the gateway and is stored.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// Its number in the archive: the order in which everybody folds.
    pub id: u64,
    /// Who sent it, by its certificate.
    pub server: String,
    /// When its last byte came.
    pub received_at: Moment,
    /// When the round ended: `received_at` less the age that the report names.
    pub observed_at: Moment,
    /// The message.
    pub report: v1::Report,
    /// The same as it came over the wire.
    pub payload: Bytes,
}

/// Everything a reader may want, as of one evaluation. Immutable; cheap to clone.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Grows with each evaluation that changed anything a reader can see.
    pub generation: u64,
    /// When it was evaluated.
    pub at: Moment,
    /// The last report folded, by its number in the archive: those before it are in this too, and none behind it.
    pub through: u64,
    /// When this aggregator began to listen, or resumed after a pause of its own (R6).
    pub evaluation_started_at: Moment,
    /// Version of the inventory.
    pub inventory_version: u64,
    /// The inventory as written.
    pub inventory: Arc<Inventory>,
    /// The same, checked and indexed.
    pub fleet: Arc<Fleet>,
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// What was found.
    pub verdicts: Arc<Verdicts>,
    /// Since when each server has its status, by server index.
    pub since: Arc<Vec<Moment>>,
    /// The last report of each server, by server index.
    pub last_reports: Arc<Vec<Option<Arc<LastReport>>>>,
    /// Agents that refuse their plan, by server.
    pub refusals: Arc<BTreeMap<String, Refusal>>,
    /// Its islands and captions, once somebody asked for them.
    pub pattern: Arc<Pattern>,
    /// What evaluating costs.
    pub effort: Effort,
}

/// How long the evaluations of this run took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// How many there were.
    pub count: u64,
    /// All together.
    pub total: Duration,
    /// The last one.
    pub last: Duration,
    /// The longest one.
    pub max: Duration,
}

impl Effort {
    fn add(&mut self, took: Duration) {
        self.count += 1;
        self.total += took;
        self.last = took;
        self.max = self.max.max(took);
    }
}

/// The last report of a server, decoded.
#[derive(Debug, Clone)]
pub struct LastReport {
    /// When it came.
    pub received_at: Moment,
    /// When its round ended.
    pub observed_at: Moment,
    /// Outcomes of its last round by entry point id, in plan order.
    pub outcomes: Vec<(String, Outcome)>,
    /// What the server said about itself.
    pub self_check: v1::SelfCheck,
}

/// The plans of one version, by server.
#[derive(Debug, Clone, Default)]
pub struct Plans {
    /// Grows with each change of membership.
    pub version: u64,
    /// What each server probes.
    pub by_server: BTreeMap<String, v1::Plan>,
}

/// What the engine's task is asked to do.
pub(crate) enum Command {
    /// Fold it.
    Admit(Box<Admitted>),
    /// The inventory has a new version in the store.
    Inventory { version: u64, inventory: Box<Inventory>, done: oneshot::Sender<()> },
    /// Look at the ledger.
    Read(Box<dyn FnOnce(&LedgerView<'_>) + Send>),
    /// An agent refuses its plan, for this reason.
    PlanRefused { server: String, reason: String },
    /// Tell of something that happened elsewhere.
    Tell(Box<Event>),
    /// Write the checkpoint and end.
    Stop(oneshot::Sender<()>),
}

/// What a reader of the ledger sees.
pub struct LedgerView<'a> {
    /// The fleet that the indices belong to.
    pub fleet: &'a Fleet,
    /// When.
    pub now: Moment,
    /// The policy in force.
    pub policy: &'a Policy,
    /// The folded state.
    pub ledger: &'a quorate_core::ledger::Ledger,
    /// The last evaluation.
    pub verdicts: &'a Verdicts,
}

/// The engine's front door.
#[derive(Clone)]
pub struct EngineHandle {
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) snapshots: watch::Receiver<Arc<Snapshot>>,
    pub(crate) plans: watch::Receiver<Arc<Plans>>,
    pub(crate) events: broadcast::Sender<Arc<Event>>,
    pub(crate) lines: Arc<Mutex<Lines>>,
}

/// The engine's task has ended: the process is shutting down.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the engine has stopped")]
pub struct Stopped;

impl EngineHandle {
    /// Hands on a stored report. Waits while the engine is busy.
    pub async fn admit(&self, admitted: Admitted) -> Result<(), Stopped> {
        self.commands.send(Command::Admit(Box::new(admitted))).await.map_err(|_| Stopped)
    }

    /// Takes over an inventory that the store has as `version`; returns when it is in force.
    pub async fn replace_inventory(&self, version: u64, inventory: Inventory) -> Result<(), Stopped> {
        let (done, in_force) = oneshot::channel();
        let command = Command::Inventory { version, inventory: Box::new(inventory), done };
        self.commands.send(command).await.map_err(|_| Stopped)?;
        in_force.await.map_err(|_| Stopped)
    }

    /// Runs `look` beside the ledger and returns what it found.
    pub async fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&LedgerView<'_>) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (done, found) = oneshot::channel();
        let look = Box::new(move |view: &LedgerView<'_>| {
            // The asker may have given up; its answer is then nobody's.
            let _ = done.send(look(view));
        });
        self.commands.send(Command::Read(look)).await.map_err(|_| Stopped)?;
        found.await.map_err(|_| Stopped)
    }

    /// Records an event that did not come from an evaluation (`id` is given by the engine).
    pub async fn tell(&self, event: Event) -> Result<(), Stopped> {
        self.commands.send(Command::Tell(Box::new(event))).await.map_err(|_| Stopped)
    }

    /// An agent refuses the plan in force, and goes on with an older one or none.
    pub async fn plan_refused(&self, server: &str, reason: &str) -> Result<(), Stopped> {
        let command = Command::PlanRefused { server: server.to_owned(), reason: reason.to_owned() };
        self.commands.send(command).await.map_err(|_| Stopped)
    }

    /// The newest snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.borrow().clone()
    }

    /// Wakes at each new snapshot.
    pub fn watch(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.snapshots.clone()
    }

    /// Wakes at each new plan version.
    pub fn plans(&self) -> watch::Receiver<Arc<Plans>> {
        self.plans.clone()
    }

    /// Events from here on; a reader that is too slow is told how many it missed.
    pub fn events(&self) -> broadcast::Receiver<Arc<Event>> {
        self.events.subscribe()
    }

    /// Looks at the last hour of all servers, in small. Others wait meanwhile, the engine among them: be quick.
    pub fn lines<T>(&self, look: impl FnOnce(&Lines) -> T) -> T {
        look(&self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Brings lines that were gathered before under those of this run.
    pub fn put_lines_under(&self, older: Lines) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).put_under(older);
    }

    /// Writes the checkpoint and ends the engine.
    pub async fn stop(&self) -> Result<(), Stopped> {
        let (done, stopped) = oneshot::channel();
        self.commands.send(Command::Stop(done)).await.map_err(|_| Stopped)?;
        stopped.await.map_err(|_| Stopped)
    }
}

impl Snapshot {
    /// The id of a server.
    pub fn name(&self, ix: ServerIx) -> &str {
        &self.fleet.server(ix).id
    }

    /// Why a server's agent refuses its plan, if it does.
    pub fn refusal(&self, ix: ServerIx) -> Option<&Refusal> {
        self.refusals.get(self.name(ix))
    }
}

#[cfg(test)]
pub(crate) mod tests;
