//! The engine's loop: one task that owns the ledger, folds what comes and evaluates when it is time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::fold::Folded;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::MissedTickBehavior;

use super::changes::Told;
use super::pause::{Attention, Tick};
use super::record::Record;
use super::{Admitted, Command, Event, LastReport, LedgerView, Plans, Snapshot, checkpoint, intake, plan};
use crate::clock::Clock;
use crate::inventory::Inventory;
use crate::store::{Checkpoint, Retention, Store, StoreError, StoredPlan};

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
/// Plans kept in memory; older ones are read from the store.
const PLANS_KEPT: usize = 16;

/// Where the store keeps the digest of the newest plans.
pub(super) const PLAN_DIGEST: &str = "plan_digest";

pub(super) struct Task {
    pub store: Store,
    pub clock: Clock,
    pub retention: Retention,
    pub commands: mpsc::Receiver<Command>,
    pub snapshots: watch::Sender<Arc<Snapshot>>,
    pub plans_out: watch::Sender<Arc<Plans>>,
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
    pub plans: BTreeMap<u64, StoredPlan>,
    pub plan_version: u64,
    /// Of the plans of that version.
    pub plan_digest: Option<String>,
    pub planned_at: Option<Moment>,
    pub plan_due_at: Option<Moment>,
    pub generation: u64,
}

/// When the loop does what next.
struct Due {
    evaluate: Moment,
    checkpoint: Moment,
    prune: Moment,
    ping: Moment,
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
        let mut ticks = tokio::time::interval(Attention::period(&self.policy));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
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
                    self.resume(now);
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
            if away {
                continue;
            }
            if now >= due.evaluate {
                self.evaluate(now).await;
                let next = self.evaluator.next_change(&self.policy, &self.ledger);
                due.evaluate = next.min(now.after(AT_LEAST_EVERY.min(self.policy.interval)));
            }
            if self.plan_due_at.is_some_and(|at| now >= at) {
                self.replan(now).await;
                ticks = tokio::time::interval(Attention::period(&self.policy));
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            }
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
            Command::Tell(event) => {
                self.tell(VecDeque::from([*event]), now).await;
                false
            }
            Command::Stop(_) => unreachable!("the loop takes Stop itself"),
        }
    }

    fn resume(&mut self, now: Moment) {
        tracing::warn!("this aggregator was stopped, starved or cut off from its database; it listens anew");
        self.ledger.resume(now);
    }

    /// Folds a report that the gateway hands on, after those stored before it that never got here: a database that stored
    /// one and died before it said so.
    async fn admit_in_order(&mut self, admitted: Admitted) {
        if admitted.id > self.through + 1
            && let Err(error) = self.catch_up().await
        {
            // The next report finds the gap again; this one waits in the archive with the others.
            return tracing::warn!("stored reports wait to be folded: {error}");
        }
        if admitted.id > self.through {
            self.admit(admitted).await;
        }
    }

    /// Folds a stored report. One of a server that is gone is nobody's evidence.
    pub async fn admit(&mut self, admitted: Admitted) {
        self.through = self.through.max(admitted.id);
        let Some(witness) = self.fleet.find_server(&admitted.server) else { return };
        self.learn_plan(admitted.report.plan_version).await;
        let last = self.ledger.server(witness).last_report_at;
        let observed_at = intake::in_order(admitted.observed_at, admitted.received_at, last);
        let taken = intake::take(&self.fleet, witness, &self.plans, observed_at, &admitted.report);
        if let Some(flaw) = &taken.flaw {
            tracing::warn!(
                server = admitted.server,
                sequence = admitted.report.sequence,
                "a report says nothing about others: {flaw}"
            );
        }
        let folded = if taken.is_round {
            self.ledger.fold(&self.fleet, &self.policy, &taken.report)
        } else {
            self.ledger.fold_heartbeat(&taken.report)
        };
        if folded == Folded::Counted {
            let before = self.last_reports[witness.at()].take();
            let last_round = before.filter(|_| !taken.is_round).map(|report| report.outcomes.clone());
            self.last_reports[witness.at()] = Some(Arc::new(LastReport {
                received_at: admitted.received_at,
                observed_at,
                outcomes: last_round.unwrap_or(taken.outcomes),
                self_check: admitted.report.self_check.unwrap_or_default(),
            }));
        }
    }

    async fn learn_plan(&mut self, version: u64) {
        if version == 0 || self.plans.contains_key(&version) {
            return;
        }
        match self.store.plan(version).await {
            Ok(Some(stored)) => {
                self.plans.insert(version, stored);
                while self.plans.len() > PLANS_KEPT {
                    let oldest =
                        self.plans.keys().find(|kept| **kept != version && **kept != self.plan_version).copied();
                    let Some(oldest) = oldest else { break };
                    self.plans.remove(&oldest);
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!("plan {version} cannot be read: {error}"),
        }
    }

    async fn replace_inventory(&mut self, version: u64, inventory: Inventory, now: Moment) {
        let (fleet, policy) = match plan::declared(&inventory) {
            Ok(declared) => declared,
            Err(error) => {
                tracing::error!("inventory {version} is refused, the one before stays in force: {error}");
                return;
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
        self.checkpoint(now).await;
        let earliest = self.planned_at.map_or(now, |at| at.after(self.policy.interval));
        if earliest > now {
            self.plan_due_at = Some(earliest);
        } else {
            self.replan(now).await;
        }
    }

    /// Makes the plan anew; a new version only if it differs.
    pub async fn replan(&mut self, now: Moment) {
        self.plan_due_at = None;
        let declared = match self.inventory.policy() {
            Ok(policy) => policy,
            Err(error) => return tracing::error!("the policy is refused: {error}"),
        };
        let assigned = match plan::assign(&self.fleet, &declared, &self.inventory.policy) {
            Ok(assigned) => assigned,
            Err(error) => return tracing::error!("no new plan, the one before stays in force: {error}"),
        };
        let mut plans = plan::plans(&self.fleet, &assigned, &self.inventory.policy, self.plan_version);
        let digest = plan::digest(&plans);
        if self.plan_digest.as_ref() != Some(&digest) {
            let (version, stored) = (self.plan_version + 1, plan::stored(&self.fleet, &assigned));
            if let Err(error) = self.save_plan(version, &stored, &digest, now).await {
                tracing::warn!("the plan waits for the database: {error}");
                self.plan_due_at = Some(now.after(PING_EVERY));
                return;
            }
            self.plans.insert(version, stored);
            self.plan_version = version;
            self.plan_digest = Some(digest);
            self.planned_at = Some(now);
            plans = plan::plans(&self.fleet, &assigned, &self.inventory.policy, version);
        }
        self.policy = Arc::new(assigned.policy);
        self.plans_out.send_replace(Arc::new(plans));
    }

    async fn save_plan(&self, version: u64, stored: &StoredPlan, digest: &str, now: Moment) -> Result<(), StoreError> {
        self.store.save_plan(version, now, stored).await?;
        self.store.set_meta(PLAN_DIGEST, digest).await
    }

    pub async fn evaluate(&mut self, now: Moment) {
        let moved = self.evaluator.evaluate(&self.fleet, &self.policy, &mut self.ledger, now);
        if moved {
            let events = self.told.tell(&self.fleet, &self.policy, self.evaluator.verdicts());
            self.record.note(&self.fleet, &self.ledger, self.evaluator.verdicts(), now);
            if !events.is_empty() {
                self.record.told = serde_json::to_string(&self.told).ok();
                self.tell(events.into(), now).await;
            }
        }
        self.record.save(&self.store, now).await;
        self.publish(now);
    }

    async fn tell(&mut self, events: VecDeque<Event>, now: Moment) {
        for event in self.record.number(events, now) {
            // Nobody listening is no fault: the store has it.
            let _ = self.events.send(event);
        }
        self.record.save(&self.store, now).await;
    }

    fn publish(&mut self, now: Moment) {
        self.generation += 1;
        self.snapshots.send_replace(Arc::new(Snapshot {
            generation: self.generation,
            at: now,
            evaluation_started_at: self.ledger.evaluation_started_at(),
            inventory_version: self.inventory_version,
            inventory: self.inventory.clone(),
            fleet: self.fleet.clone(),
            policy: self.policy.clone(),
            verdicts: Arc::new(self.evaluator.verdicts().clone()),
            since: Arc::new(self.record.since(&self.fleet, now)),
            last_reports: Arc::new(self.last_reports.clone()),
        }));
    }

    async fn checkpoint(&mut self, now: Moment) {
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
        self.record.save(&self.store, now).await;
        self.checkpoint(now).await;
    }
}
