//! A fleet at an earlier moment, moved on report by report. It knows no store: what it folds is handed in.
//!
//! It may hold several [`World`]s: the same reports under different policies. Each is evaluated when the engine would
//! have: a little after a report, and where time alone changes a verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::evaluate::Evaluator;
use quorate_core::fleet::Fleet;
use quorate_core::fold::Folded;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};

use super::base::Declared;
use super::walk::{Entry, Heard, Page};
use crate::engine::intake::{self, Places};
use crate::engine::{Effort, LastReport, LedgerView, Snapshot};
use crate::inventory::Inventory;
use crate::store::StoredPlan;

/// The same reports under one policy.
#[derive(Debug, Clone)]
pub struct World {
    /// The policy in force.
    pub policy: Arc<Policy>,
    /// The folded state.
    pub ledger: Ledger,
    evaluator: Evaluator,
    evaluate_at: Moment,
}

/// A fleet at an earlier moment.
#[derive(Debug, Clone)]
pub struct Past {
    /// Everything up to here is in it.
    at: Moment,
    /// How long after a report it is evaluated.
    settle: Duration,
    inventory_version: u64,
    inventory: Arc<Inventory>,
    fleet: Arc<Fleet>,
    worlds: Vec<World>,
    places: Places,
    /// The last report folded, by its number in the archive.
    through: u64,
    /// Of each server, if they are kept.
    last_reports: Option<Vec<Option<Arc<LastReport>>>>,
    /// The plan that each server's last round followed, by server index.
    followed: Vec<u64>,
    plans: Arc<BTreeMap<u64, StoredPlan>>,
    /// In the first world: each server's status, and since when as far as was seen.
    since: BTreeMap<String, (Status, Moment)>,
    reports: u64,
}

impl World {
    /// What the last evaluation said.
    pub fn verdicts(&self) -> &Verdicts {
        self.evaluator.verdicts()
    }

    /// Evaluates at `now`; whether anything differs from what was said before.
    fn evaluate(&mut self, fleet: &Fleet, now: Moment) -> bool {
        let differs = self.evaluator.evaluate(fleet, &self.policy, &mut self.ledger, now);
        self.evaluate_at = self.evaluator.next_change(&self.policy, &self.ledger);
        differs
    }
}

/// Who wants to know what evaluations say: the number of the world, the fleet, and what was said.
pub type Evaluated<'a> = &'a mut dyn FnMut(usize, &Fleet, &Verdicts);

impl Past {
    /// Begins at `at` with a ledger over a fleet, the same for each policy.
    pub fn new(declared: Declared, ledger: &Ledger, at: Moment, through: u64, settle: Duration) -> Self {
        let world = |policy| World {
            policy: Arc::new(policy),
            ledger: ledger.clone(),
            evaluator: Evaluator::default(),
            evaluate_at: at,
        };
        let servers = declared.fleet.servers().len();
        Self {
            at,
            settle,
            inventory_version: declared.version,
            inventory: declared.inventory,
            worlds: declared.policies.into_iter().map(world).collect(),
            fleet: Arc::new(declared.fleet),
            places: Places::default(),
            through,
            last_reports: None,
            followed: vec![0; servers],
            plans: Arc::default(),
            since: BTreeMap::new(),
            reports: 0,
        }
    }

    /// Keeps the last report of each server from here on.
    #[must_use]
    pub fn with_last_reports(mut self) -> Self {
        self.last_reports = Some(vec![None; self.fleet.servers().len()]);
        self
    }

    /// When.
    pub fn at(&self) -> Moment {
        self.at
    }

    /// The last report folded, by its number in the archive.
    pub fn through(&self) -> u64 {
        self.through
    }

    /// Version of the inventory of that time.
    pub fn inventory_version(&self) -> u64 {
        self.inventory_version
    }

    /// The fleet of that time.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// Reports folded since it began.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// The worlds, in the order of the policies.
    pub fn worlds(&self) -> &[World] {
        &self.worlds
    }

    /// What it takes in memory, in pairs and outcomes: each some 16 to 64 bytes.
    pub fn weight(&self) -> usize {
        let pairs = self
            .worlds
            .iter()
            .map(|world| self.fleet.server_ixs().map(|ix| world.ledger.row(ix).count()).sum::<usize>());
        let outcomes = self.last_reports.iter().flatten().flatten().map(|report| report.outcomes.len());
        pairs.sum::<usize>() + outcomes.sum::<usize>()
    }

    /// Folds a page, evaluating as time passes.
    pub fn take(&mut self, page: Page, evaluated: Evaluated<'_>) {
        self.plans = page.plans;
        for entry in page.entries {
            match entry {
                Entry::Heard(heard) => self.hear(heard, evaluated),
                Entry::Away(absence) => {
                    self.pass(absence.since, evaluated);
                    self.at = self.at.max(absence.until);
                    for world in &mut self.worlds {
                        world.ledger.resume(absence.until);
                        world.evaluate_at = absence.until;
                    }
                }
                Entry::Changed { at, declared } => {
                    self.pass(at, evaluated);
                    self.change(*declared, at);
                }
            }
        }
    }

    /// Lets time pass up to `to`, and evaluates then.
    pub fn arrive(&mut self, to: Moment, evaluated: Evaluated<'_>) {
        self.pass(to, evaluated);
        let at = self.at;
        self.evaluate(at, evaluated);
    }

    /// Lets time pass up to `to`, evaluating when it is due.
    fn pass(&mut self, to: Moment, evaluated: Evaluated<'_>) {
        while let Some(due) = self.worlds.iter().map(|world| world.evaluate_at).min().filter(|due| *due < to) {
            let now = due.max(self.at);
            self.evaluate(now, evaluated);
        }
        self.at = self.at.max(to);
    }

    fn evaluate(&mut self, now: Moment, evaluated: Evaluated<'_>) {
        self.at = now;
        for (number, world) in self.worlds.iter_mut().enumerate() {
            if !world.evaluate(&self.fleet, now) {
                continue;
            }
            let verdicts = world.evaluator.verdicts();
            evaluated(number, &self.fleet, verdicts);
            if number == 0 {
                for (server, verdict) in self.fleet.servers().iter().zip(&verdicts.servers) {
                    match self.since.get_mut(&server.id) {
                        Some((status, _)) if *status == verdict.status => {}
                        Some(known) => *known = (verdict.status, now),
                        None => drop(self.since.insert(server.id.clone(), (verdict.status, now))),
                    }
                }
            }
        }
    }

    fn hear(&mut self, heard: Heard, evaluated: Evaluated<'_>) {
        let Heard { id, server, received_at, observed_at, report } = heard;
        let is_new = id > self.through;
        if is_new {
            self.pass(received_at, evaluated);
            self.through = id;
            self.reports += 1;
        }
        let Some(witness) = self.fleet.find_server(&server) else { return };
        let last = self.worlds.first().and_then(|world| world.ledger.server(witness).last_report_at);
        let observed_at = if is_new { intake::in_order(observed_at, received_at, last) } else { observed_at };
        let taken = intake::take(&self.fleet, &mut self.places, witness, &self.plans, observed_at, &report);
        let mut counted = !is_new;
        if is_new {
            for world in &mut self.worlds {
                let folded = if taken.is_round {
                    world.ledger.fold(&self.fleet, &world.policy, &taken.report)
                } else {
                    world.ledger.fold_heartbeat(&taken.report)
                };
                counted |= folded == Folded::Counted;
                world.evaluate_at = world.evaluate_at.min(received_at.after(self.settle));
            }
        }
        if counted && taken.is_round {
            self.followed[witness.at()] = report.plan_version;
        }
        if let (Some(kept), true) = (&mut self.last_reports, counted) {
            let before = kept[witness.at()].take().filter(|_| !taken.is_round);
            let outcomes = before.map_or_else(
                || intake::named(&server, &self.plans, report.plan_version, taken.outcomes),
                |before| before.outcomes.clone(),
            );
            let self_check = report.self_check.unwrap_or_default();
            kept[witness.at()] = Some(Arc::new(LastReport { received_at, observed_at, outcomes, self_check }));
        }
    }

    fn change(&mut self, declared: Declared, at: Moment) {
        let fleet = Arc::new(declared.fleet);
        for (world, policy) in self.worlds.iter_mut().zip(declared.policies) {
            world.ledger = world.ledger.over(&self.fleet, &fleet, at);
            world.policy = Arc::new(policy);
            world.evaluator = Evaluator::default();
            world.evaluate_at = at;
        }
        let mut last_reports = vec![None; fleet.servers().len()];
        let mut followed = vec![0; fleet.servers().len()];
        for (old, server) in self.fleet.servers().iter().enumerate() {
            let Some(new) = fleet.find_server(&server.id) else { continue };
            followed[new.at()] = self.followed[old];
            if let Some(kept) = &mut self.last_reports {
                last_reports[new.at()] = kept[old].take();
            }
        }
        self.followed = followed;
        self.last_reports = self.last_reports.is_some().then_some(last_reports);
        self.since.retain(|server, _| fleet.find_server(server).is_some());
        self.inventory_version = declared.version;
        self.inventory = declared.inventory;
        self.fleet = fleet;
        self.places = Places::default();
    }

    /// The first world beside its ledger, as readers of the engine have it.
    pub fn view(&self) -> LedgerView<'_> {
        let world = &self.worlds[0];
        LedgerView {
            fleet: &self.fleet,
            now: self.at,
            policy: &world.policy,
            ledger: &world.ledger,
            verdicts: world.verdicts(),
        }
    }

    /// The first world as the engine's readers have it. `said` tells since when each server has its status, where that is
    /// the one known here.
    pub fn snapshot(&self, said: &BTreeMap<String, (Status, Moment)>) -> Snapshot {
        let world = &self.worlds[0];
        let verdicts = world.verdicts();
        let since = self.fleet.servers().iter().zip(&verdicts.servers).map(|(server, verdict)| {
            let same = |(status, since): &(Status, Moment)| (*status == verdict.status).then_some(*since);
            let seen = || self.since.get(&server.id).and_then(same);
            said.get(&server.id).and_then(same).or_else(seen).unwrap_or(self.at)
        });
        Snapshot {
            generation: 0,
            at: self.at,
            through: self.through,
            evaluation_started_at: world.ledger.evaluation_started_at(),
            inventory_version: self.inventory_version,
            inventory: self.inventory.clone(),
            fleet: self.fleet.clone(),
            policy: world.policy.clone(),
            verdicts: Arc::new(verdicts.clone()),
            since: Arc::new(since.collect()),
            last_reports: Arc::new(self.last_reports.clone().unwrap_or_default()),
            refusals: Arc::default(),
            pattern: Arc::default(),
            effort: Effort::default(),
        }
    }

    /// What the last round of a server was to knock on; none if it is not known.
    pub fn planned(&self, server: &str) -> Option<Vec<&str>> {
        let witness = self.fleet.find_server(server)?;
        let plan = self.plans.get(&self.followed[witness.at()])?;
        Some(plan.by_server.get(server)?.iter().map(|target| target.entry_point.as_str()).collect())
    }
}
