//! The engine's loop: one task that owns the ledger, folds what comes and evaluates when it is time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::{Interval, MissedTickBehavior};

use super::changes::Told;
use super::intake::Places;
use super::issued::Issued;
use super::pause::{Attention, Tick};
use super::record::Record;
use super::refusals::Refusals;
use super::{Command, Effort, Event, LastReport, LedgerView, Snapshot, checkpoint, plan};
use crate::clock::{Clock, Stopwatch};
use crate::event::Kind;
use crate::inventory::Inventory;
use crate::lines::Lines;
use crate::store::{Checkpoint, Retention, Store};

/// Evaluation follows a report by this much, so that a burst of reports is one evaluation and nobody waits over 250 ms.
const AFTER_A_REPORT: Duration = Duration::from_millis(100);
/// Evaluation runs at least this often.
const AT_LEAST_EVERY: Duration = Duration::from_secs(5);
/// A restart folds at most about this much anew.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);
/// The archive is pruned this often.
const PRUNE_EVERY: Duration = Duration::from_secs(600);
/// How often the store is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(1);

pub(super) struct Task {
    pub store: Store,
    pub clock: Clock,
    pub retention: Retention,
    pub commands: mpsc::Receiver<Command>,
    pub snapshots: watch::Sender<Arc<Snapshot>>,
    pub events: broadcast::Sender<Arc<Event>>,

    pub inventory: Arc<Inventory>,
    pub inventory_version: u64,
    pub fleet: Arc<Fleet>,
    pub policy: Arc<Policy>,
    pub ledger: Ledger,
    pub evaluator: Evaluator,
    /// The last report folded, by its number in the archive.
    pub through: u64,
    pub last_reports: Vec<Option<Arc<LastReport>>>,
    pub told: Told,
    pub record: Record,
    pub issued: Issued,
    pub refusals: Refusals,
    pub generation: u64,
    pub effort: Effort,
    pub places: Places,
    pub framed: Framed,
    pub lines: Arc<Mutex<Lines>>,
}

/// Ticks that are late put off those behind them.
fn regular(period: Duration) -> Interval {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// When the loop does what next.
struct Due {
    evaluate: Moment,
    checkpoint: Moment,
    prune: Moment,
    ping: Moment,
}

/// The keyframes of this run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Framed {
    /// When the next one is due.
    pub due: Moment,
    /// The last report in the last one.
    pub through: u64,
    /// An absence that no keyframe tells of yet.
    pub owed: Option<Moment>,
}

impl Task {
    /// Runs until it is told to stop, or nobody holds a handle.
    pub async fn run(mut self) {
        let now = self.clock.now();
        let mut attention = Attention::new(now);
        let mut store_answers = true;
        let mut due = Due {
            evaluate: now,
            checkpoint: now.after(CHECKPOINT_EVERY),
            prune: now.after(PRUNE_EVERY),
            ping: now.after(PING_EVERY),
        };
        let mut ticks = regular(Attention::period(&self.policy));
        let mut away = false;
        loop {
            let command = tokio::select! {
                biased;
                _ = ticks.tick() => None,
                command = self.commands.recv() => Some(command),
                () = tokio::time::sleep(due.evaluate.since(self.clock.now())), if !away => None,
            };
            // A pause is noticed before anything that waited through it is looked at.
            let now = self.clock.now();
            if now >= due.ping {
                store_answers = self.store.ping().await.is_ok();
                due.ping = self.clock.now().after(PING_EVERY);
            }
            let now = self.clock.now();
            match attention.handle_tick(&self.policy, now, store_answers) {
                Tick::Awake => away = false,
                Tick::Away => away = true,
                Tick::Resumed => {
                    away = false;
                    self.resume(now).await;
                }
            }
            match command {
                None => {}
                Some(None) => return self.stop().await,
                Some(Some(Command::Stop(done))) => {
                    self.stop().await;
                    // Whoever asked may be gone.
                    let _ = done.send(());
                    return;
                }
                Some(Some(command)) => {
                    let soon = if self.handle(command, now).await { AFTER_A_REPORT } else { AT_LEAST_EVERY };
                    due.evaluate = due.evaluate.min(now.after(soon));
                }
            }
            // A shorter round has less patience: to tick on as before would look like a pause at every tick.
            let period = Attention::period(&self.policy);
            if ticks.period() != period {
                ticks = regular(period);
            }
            if away {
                continue;
            }
            if now >= due.evaluate {
                self.evaluate(now).await;
                let next = self.evaluator.next_change(&self.policy, &self.ledger);
                due.evaluate = next.min(now.after(AT_LEAST_EVERY.min(self.policy.interval)));
            }
            if self.issued.is_due(now) {
                self.replan(now).await;
            }
            self.keyframe_if_due(now).await;
            if now >= due.checkpoint {
                self.checkpoint(now).await;
                due.checkpoint = now.after(CHECKPOINT_EVERY);
            }
            if now >= due.prune {
                self.prune(now).await;
                due.prune = now.after(PRUNE_EVERY);
            }
        }
    }

    /// Returns whether an evaluation is due soon.
    async fn handle(&mut self, command: Command, now: Moment) -> bool {
        match command {
            Command::Admit(admitted) => {
                self.admit_in_order(*admitted).await;
                true
            }
            Command::Inventory { version, inventory, done } => {
                self.replace_inventory(version, *inventory, now).await;
                self.evaluate(now).await;
                // Whoever asked may be gone.
                let _ = done.send(());
                true
            }
            Command::Read(look) => {
                look(&LedgerView {
                    fleet: &self.fleet,
                    now,
                    policy: &self.policy,
                    ledger: &self.ledger,
                    verdicts: self.evaluator.verdicts(),
                });
                false
            }
            Command::PlanRefused { server, reason } => {
                self.plan_refused(server, reason, now).await;
                true
            }
            Command::Tell(event) => {
                self.tell(VecDeque::from([*event]), now).await;
                false
            }
            Command::Stop(_) => unreachable!("the loop takes Stop itself"),
        }
    }

    async fn resume(&mut self, now: Moment) {
        let reason = "It was stopped, starved or cut off from its database, and listens anew.";
        tracing::warn!("{reason}");
        self.ledger.resume(now);
        let last_evaluated = self.snapshots.borrow().at;
        self.keyframe(now, Some(last_evaluated)).await;
        let event = Event {
            id: 0,
            at_ms: 0,
            kind: Kind::Aggregator.as_str().to_owned(),
            subject: "aggregator".to_owned(),
            from: None,
            to: Some("resumed".to_owned()),
            reason: reason.to_owned(),
        };
        self.tell(VecDeque::from([event]), now).await;
    }

    async fn replace_inventory(&mut self, version: u64, inventory: Inventory, now: Moment) {
        if !self.take_over(version, inventory, now) {
            return;
        }
        self.forget_lines();
        self.refusals.keep_to(&self.fleet);
        self.checkpoint(now).await;
        self.keyframe(now, None).await;
        self.issued.request(self.policy.interval, now);
        if self.issued.is_due(now) {
            self.replan(now).await;
        }
    }

    /// Puts an inventory in force as of `now`, with the evidence that is still evidence (R2); nothing if it is refused.
    pub(super) fn take_over(&mut self, version: u64, inventory: Inventory, now: Moment) -> bool {
        let (fleet, policy) = match plan::declared(&inventory) {
            Ok(declared) => declared,
            Err(error) => {
                tracing::error!("inventory {version} is refused, the one before stays in force: {error}");
                return false;
            }
        };
        self.ledger = self.ledger.over(&self.fleet, &fleet, now);
        let mut kept = vec![None; fleet.servers().len()];
        for (server, report) in self.fleet.servers().iter().zip(self.last_reports.drain(..)) {
            if let Some(ix) = fleet.find_server(&server.id) {
                kept[ix.at()] = report;
            }
        }
        self.last_reports = kept;
        self.fleet = Arc::new(fleet);
        self.policy = Arc::new(policy);
        self.inventory = Arc::new(inventory);
        self.inventory_version = version;
        self.evaluator = Evaluator::default();
        self.places = Places::default();
        true
    }

    /// Servers that are gone have no lines.
    fn forget_lines(&self) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.keep_to(|server| self.fleet.find_server(server).is_some());
    }

    /// Makes the plans anew, and takes over the policy that holds with them.
    pub async fn replan(&mut self, now: Moment) {
        if let Some(policy) = self.issued.issue(&self.store, &self.fleet, &self.inventory, now).await {
            self.policy = Arc::new(policy);
        }
    }

    pub async fn evaluate(&mut self, now: Moment) {
        let watch = Stopwatch::start();
        let moved = self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, now);
        self.effort.add(watch.elapsed());
        if moved {
            let events = self.told.tell(&self.fleet, &self.policy, self.evaluator.verdicts());
            self.record.note(&self.fleet, &self.ledger, self.evaluator.verdicts(), now);
            if !events.is_empty() {
                self.record.told = serde_json::to_string(&self.told).ok();
                self.tell(events.into(), now).await;
            }
        }
        self.save(now).await;
        self.refusals.save(&self.store).await;
        self.publish(now);
    }

    pub(super) async fn tell(&mut self, events: VecDeque<Event>, now: Moment) {
        self.record.number(events, now);
        self.save(now).await;
    }

    /// Writes down what waits to be, and then tells those who listen.
    async fn save(&mut self, now: Moment) {
        for event in self.record.save(&self.store, now).await {
            // Nobody listening is no fault: the store has it.
            let _ = self.events.send(event);
        }
    }

    fn publish(&mut self, now: Moment) {
        self.generation += 1;
        self.snapshots.send_replace(Arc::new(Snapshot {
            generation: self.generation,
            at: now,
            through: self.through,
            evaluation_started_at: self.ledger.evaluation_started_at(),
            inventory_version: self.inventory_version,
            inventory: self.inventory.clone(),
            fleet: self.fleet.clone(),
            policy: self.policy.clone(),
            verdicts: Arc::new(self.evaluator.verdicts().clone()),
            since: Arc::new(self.record.since(&self.fleet, now)),
            last_reports: Arc::new(self.last_reports.clone()),
            refusals: self.refusals.all(),
            pattern: Arc::default(),
            effort: self.effort,
        }));
    }

    pub(super) async fn checkpoint(&mut self, now: Moment) {
        let checkpoint = Checkpoint {
            through: self.through,
            at: now,
            inventory_version: self.inventory_version,
            ledger: checkpoint::encode(&self.fleet, &self.ledger),
        };
        if let Err(error) = self.store.save_checkpoint(&checkpoint).await {
            tracing::warn!("the folded state waits for the database: {error}");
        }
    }

    async fn prune(&mut self, now: Moment) {
        match self.store.prune(self.retention, now, self.through).await {
            Ok(pruned) if pruned.reports > 0 => tracing::info!("pruned {} reports from the archive", pruned.reports),
            Ok(_) => {}
            Err(error) => tracing::warn!("the archive cannot be pruned: {error}"),
        }
    }

    async fn stop(&mut self) {
        let now = self.clock.now();
        self.save(now).await;
        self.checkpoint(now).await;
    }
}
