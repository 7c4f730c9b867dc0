//! A world: from a blueprint and a seed to a tape, and to the truth beside it.
//!
//! Time jumps from event to event: a trouble begins or ends, an agent has its turn, a report is delivered, detectors are
//! asked. Agents walk their rounds with the real pacing; who knocks on whom is the real assignment. What is simulated is what
//! lies between them: machines, paths, processes, messages ([`operation`]).
//!
//! Always true: the same blueprint and seed give the same tape on every machine; each agent, path and server has dice of its
//! own, so that a trouble that is left out changes nothing of the luck of those whom it did not touch.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use quorate_core::fleet::Intent;
use quorate_core::time::Moment;

use self::agent::Agent;
use self::blueprint::{Blueprint, Entry, Judging};
use self::calm::Calm;
use self::condition::Conditions;
use self::noise::{Paths, Spells};
use self::operation::{Operation, Trouble};
use self::roster::Roster;
use crate::dice::Dice;
use crate::tape::{Setting, Step, Tape, Timed};
use crate::truth::{self, Plight, Truth};

mod agent;
pub mod blueprint;
mod calm;
mod condition;
mod messages;
pub mod noise;
pub mod operation;
mod plight;
mod roster;
mod troubles;

#[cfg(test)]
mod tests;

/// A world that runs, step by step.
#[derive(Debug)]
pub struct World {
    blueprint: Blueprint,
    setting: Setting,
    truth: Truth,
    /// By entry point of the setting: its last turn's plight.
    plights: Vec<Plight>,
    roster: Roster,
    conditions: Conditions,
    /// By operation: whether it is on.
    on: Vec<bool>,
    spells: Spells,
    agents: Vec<Agent>,
    /// Instead of agents, where nothing befalls anybody.
    calm: Vec<Calm>,
    /// When the last report of each was observed.
    observed: Vec<Moment>,
    plan_version: u64,
    /// Until when detectors are asked finely, and when they are asked next.
    fine_until: Moment,
    judges_at: Option<Moment>,
    queue: BinaryHeap<Reverse<(Moment, u64, Event)>>,
    queued: u64,
    /// What has happened and was not handed out yet.
    told: VecDeque<Timed>,
}

/// What is due at a moment; of two at the same, the one that was known first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Begins(usize),
    Turns(usize),
    Ends(usize),
    Wakes(usize),
    Starts(usize),
    Delivers(usize),
    TakesPlan(usize),
    Calm(usize),
    Judge,
}

impl World {
    /// The world of that blueprint and seed, at its beginning.
    pub fn new(blueprint: Blueprint, seed: u64) -> Self {
        let policy = blueprint.policy();
        let interval_ms = policy.interval.as_millis() as u64;
        let count = blueprint.hosts.len();
        let here = Entry { intent: Some(Intent::Active), address: 0 };
        let roster = Roster::new(&blueprint, vec![here; count]);
        let named = |what: &str, server: usize| Dice::new(seed, &format!("{what} {server}"));
        let spells = Spells::new(blueprint.noise.hosts, interval_ms, (0..count).map(|n| named("spells", n)));
        let paths = |n: usize| Paths::new(blueprint.noise.paths, named("paths", n));
        let calm = blueprint.operations.is_empty();
        let calm: Vec<Calm> = (0..count)
            .filter(|_| calm)
            .map(|n| {
                let places = roster.planned(&blueprint, n, 1).places;
                Calm::new(&roster, n, places, paths(n), named("agent", n), policy.interval)
            })
            .collect();
        let agents = (0..count).filter(|_| calm.is_empty()).map(|n| Agent::new(n, named("agent", n), paths(n)));
        let setting = Setting {
            fleet: roster.fleet.clone(),
            interval: policy.interval,
            policy,
            ends_at: Moment::from_ms(blueprint.ends_ms),
        };
        let mut world = Self {
            truth: Truth { turns: Vec::new(), troubles: blueprint.operations.iter().filter_map(in_trouble).collect() },
            plights: vec![Plight::Well; roster.fleet.entry_points().len()],
            conditions: Conditions::of(&blueprint, [].into_iter(), Moment::ZERO),
            on: vec![false; blueprint.operations.len()],
            spells,
            agents: agents.collect(),
            calm,
            observed: vec![Moment::ZERO; count],
            plan_version: 1,
            fine_until: Moment::ZERO,
            judges_at: None,
            queue: BinaryHeap::new(),
            queued: 0,
            told: VecDeque::new(),
            setting,
            roster,
            blueprint,
        };
        world.begin();
        world
    }

    fn begin(&mut self) {
        for nth in 0..self.blueprint.operations.len() {
            let at = self.blueprint.operations[nth].begins_at();
            self.push(at, Event::Begins(nth));
        }
        for number in 0..self.agents.len() {
            self.push(Moment::ZERO, Event::Starts(number));
        }
        for number in 0..self.calm.len() {
            self.push(Moment::ZERO, Event::Calm(number));
        }
        self.judge_by(Moment::from_ms(self.blueprint.judging.coarse_ms));
    }

    fn push(&mut self, at: Moment, event: Event) {
        self.queued += 1;
        self.queue.push(Reverse((at, self.queued, event)));
    }

    fn tell(&mut self, at: Moment, step: Step) {
        self.told.push_back(Timed { at, step });
    }

    /// Detectors are asked at that moment at the latest.
    fn judge_by(&mut self, at: Moment) {
        if self.judges_at.is_none_or(|next| at < next) {
            self.judges_at = Some(at);
            self.push(at, Event::Judge);
        }
    }

    /// Nobody is asked while the aggregator is away.
    fn judge(&mut self, now: Moment) {
        if self.judges_at != Some(now) {
            return;
        }
        self.judges_at = None;
        if !self.conditions.aggregator_away {
            self.tell(now, Step::Judge);
        }
        let Judging { fine_ms, coarse_ms, .. } = self.blueprint.judging;
        let wait = if now < self.fine_until { fine_ms } else { coarse_ms };
        self.judge_by(now.after(Duration::from_millis(wait)));
    }

    fn happen(&mut self, now: Moment, event: Event) {
        match event {
            Event::Begins(nth) => self.trouble_begins(nth, now),
            Event::Turns(nth) => self.trouble_turns(nth, now),
            Event::Ends(nth) => self.trouble_ends(nth, now),
            Event::Wakes(number) => self.agent_wakes(number, now),
            Event::Starts(number) => self.agent_starts(number, now),
            Event::Delivers(number) => self.agent_delivers(number, now),
            Event::TakesPlan(number) => self.agent_takes_plan(number, now),
            Event::Calm(number) => {
                if let Some(report) = self.calm[number].turn(&mut self.spells) {
                    self.tell(now, Step::Report(report));
                }
                if let Some(at) = self.calm[number].due_at() {
                    self.push(at, Event::Calm(number));
                }
            }
            Event::Judge => self.judge(now),
        }
    }
}

/// While an operation was on, unless it is its operator's own doing, or done at once.
fn in_trouble(operation: &Operation) -> Option<truth::Trouble> {
    let is_ordered = match operation.trouble {
        Trouble::Drained(_) | Trouble::Disabled(_) | Trouble::Gone(_) | Trouble::NewAddress(_) => true,
        Trouble::HostDead(_)
        | Trouble::ServiceStopped(_)
        | Trouble::ServiceRestarts(_)
        | Trouble::CertificateExpired(_)
        | Trouble::IngressDead(..)
        | Trouble::EgressDead(..)
        | Trouble::NoAddress(..)
        | Trouble::Lossy(..)
        | Trouble::Flaps { .. }
        | Trouble::Wall { .. }
        | Trouble::AgentStopped(_)
        | Trouble::AgentSlow { .. }
        | Trouble::AgentAway { .. }
        | Trouble::UplinkDead(_)
        | Trouble::BadMessages { .. }
        | Trouble::AggregatorAway
        | Trouble::ClockOff(..)
        | Trouble::Lies { .. } => false,
    };
    let on = truth::Trouble { from: operation.begins_at(), until: operation.ends_at() };
    (!is_ordered && on.from < on.until).then_some(on)
}

impl Iterator for World {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        while self.told.is_empty() {
            let Reverse((now, _, event)) = self.queue.pop()?;
            if now > self.setting.ends_at {
                return None;
            }
            self.happen(now, event);
        }
        self.told.pop_front()
    }
}

impl Tape for World {
    fn setting(&self) -> &Setting {
        &self.setting
    }

    fn truth(&self) -> &Truth {
        &self.truth
    }
}
