//! One agent: the real pacing, driven by simulated time, and an outbox whose reports wait until they are delivered.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_core::pacing::{Pacing, Round};
use quorate_core::report::Health;
use quorate_core::time::Moment;

use super::condition::{Conditions, Fate, lost};
use super::noise::{Paths, Spells};
use super::roster::{Place, Planned};
use crate::dice::Dice;

/// A report that was not acknowledged yet.
#[derive(Debug)]
pub(super) struct Kept {
    pub number: u64,
    pub ended_at: Moment,
    pub health: Health,
    pub outcomes: Vec<(Place, Outcome)>,
}

/// Reports that an agent keeps at most; the oldest are shed.
const OUTBOX_MAX: usize = 1_000;

/// The agent of one server.
#[derive(Debug)]
pub(super) struct Agent {
    pub number: usize,
    pub dice: Dice,
    paths: Paths,
    /// None: no such process.
    pacing: Option<Pacing>,
    running: Option<Running>,
    /// By version: those that a round under way may still follow.
    plans: BTreeMap<u64, Arc<Planned>>,
    /// When it is to have its turn: a turn at any other moment is of an earlier process, or was put off.
    pub wakes_at: Option<Moment>,
    pub outbox: VecDeque<Kept>,
    /// Grows when the outbox begins anew.
    pub outbox_name: u32,
    next_number: u64,
    /// Whether a delivery is due.
    pub sending: bool,
    /// A plan that it could not be given.
    pub plan_due: bool,
}

#[derive(Debug)]
struct Running {
    ends_at: Moment,
    outcome: Outcome,
}

impl Agent {
    pub fn new(number: usize, dice: Dice, paths: Paths) -> Self {
        Self {
            number,
            dice,
            paths,
            pacing: None,
            running: None,
            plans: BTreeMap::new(),
            wakes_at: None,
            outbox: VecDeque::new(),
            outbox_name: 0,
            next_number: 1,
            sending: false,
            plan_due: false,
        }
    }

    /// The process begins, with the plan that it is given.
    pub fn start(&mut self, planned: Planned, now: Moment) {
        let seed = self.dice.throw();
        self.pacing = Some(Pacing::new(planned.plan.clone(), seed, now));
        self.plans = BTreeMap::from([(planned.plan.version, Arc::new(planned))]);
        self.running = None;
        self.plan_due = false;
        self.paths.forget();
        self.wakes_at = Some(now);
    }

    /// The process is gone; what is on its disk stays.
    pub fn stop(&mut self, wiped: bool) {
        self.pacing = None;
        self.running = None;
        self.wakes_at = None;
        if wiped {
            self.outbox.clear();
            self.outbox_name += 1;
            self.next_number = 1;
        }
    }

    pub fn runs(&self) -> bool {
        self.pacing.is_some()
    }

    /// It is handed a plan.
    pub fn take_plan(&mut self, planned: Planned, now: Moment) {
        let Some(pacing) = &mut self.pacing else { return };
        self.plan_due = false;
        pacing.handle_plan(planned.plan.clone(), now);
        self.plans.insert(planned.plan.version, Arc::new(planned));
        self.paths.forget();
        self.wakes_at = Some(now);
    }

    /// Its turn: what was due is done. Returns whether a report has come of it.
    pub fn turn(&mut self, conditions: &Conditions, spells: &mut Spells, now: Moment) -> bool {
        let Some(pacing) = &mut self.pacing else { return false };
        match self.running.take_if(|running| running.ends_at <= now) {
            Some(ended) => pacing.handle_outcome(ended.outcome, now),
            None => pacing.handle_tick(now),
        }
        let round = pacing.poll_round();
        let due = pacing.poll_probe().map(|target| target.entry_point.clone());
        if let Some(entry_point) = due {
            let planned = self.plans[&pacing.plan().version].clone();
            let at = planned.plan.targets.binary_search_by(|target| target.entry_point.cmp(&entry_point));
            let at = at.expect("the pacing knocks on what its plan names");
            self.running = Some(self.knock(conditions, spells, &planned.places[at], at, now));
        }
        let pacing = self.pacing.as_ref().expect("it was there a moment ago");
        let next = self.running.as_ref().map_or(Moment::MAX, |running| running.ends_at).min(pacing.poll_timeout());
        self.wakes_at = Some(next.max(now.after(Duration::from_millis(1))));
        let in_force = pacing.plan().version;
        let has_reported = round.map(|round| self.keep(conditions, round)).is_some();
        self.plans.retain(|version, _| *version >= in_force);
        has_reported
    }

    fn knock(
        &mut self,
        conditions: &Conditions,
        spells: &mut Spells,
        place: &Place,
        at: usize,
        now: Moment,
    ) -> Running {
        let fate = conditions.fate(self.number, place.server, place.kind, place.lane);
        let of_hosts = [self.number, place.server]
            .map(|server| spells.loss_ppm(server, now.as_ms()).max(conditions.hosts[server].lossy_ppm));
        let unlucky = self.paths.loses(at) | self.dice.happens(of_hosts[0]) | self.dice.happens(of_hosts[1]);
        let outcome = match fate {
            Fate::Answered if unlucky => lost(place.kind),
            Fate::Answered => Outcome::Reached { latency: latency(self.number, place.server) },
            Fate::Ends(outcome) => outcome,
        };
        let takes = match outcome {
            Outcome::Reached { latency } => latency,
            Outcome::Failed(failure) => failure.after,
            Outcome::Inconclusive(_) => Duration::from_millis(1),
        };
        Running { ends_at: now.after(takes), outcome }
    }

    /// Puts a round into the outbox.
    fn keep(&mut self, conditions: &Conditions, round: Round) {
        let planned = &self.plans[&round.plan_version];
        let own = &conditions.hosts[self.number];
        let told = |(place, saw): (&Place, Outcome)| (*place, own.told(place.server, place.kind, saw));
        let outcomes = planned.places.iter().zip(round.outcomes).map(told).collect();
        let health = if own.says_down() { Health::Down } else { Health::Ok };
        self.outbox.push_back(Kept { number: self.next_number, ended_at: round.ended_at, health, outcomes });
        self.next_number += 1;
        if self.outbox.len() > OUTBOX_MAX {
            self.outbox.pop_front();
        }
    }
}

/// From one server to another and back: 5 to 204 ms, the same at all times.
pub(super) fn latency(from: usize, to: usize) -> Duration {
    let mixed = (from as u64 * 1_000_003 + to as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Duration::from_millis(5 + (mixed >> 40) % 200)
}
