//! Troubles begin, turn and end: everybody's condition is derived afresh, and what follows from the change is done.

use std::time::Duration;

use quorate_core::time::Moment;

use super::blueprint::Entry;
use super::condition::Conditions;
use super::messages::{RECONNECT, START, TRANSIT};
use super::operation::{Operation, Trouble};
use super::plight::plight;
use super::roster::Roster;
use super::{Event, World};
use crate::tape::Step;
use crate::truth::Turn;

impl World {
    pub(super) fn trouble_begins(&mut self, nth: usize, now: Moment) {
        let operation = self.blueprint.operations[nth].clone();
        let moves = if let Trouble::NewAddress(server) = operation.trouble { Some(usize::from(server)) } else { None };
        if moves.is_none() && operation.lasts_ms > 0 {
            self.on[nth] = true;
            self.push(operation.ends_at(), Event::Ends(nth));
            if let Some(turn) = operation.turns_at(now) {
                self.push(turn, Event::Turns(nth));
            }
        }
        self.change(now, moves);
    }

    pub(super) fn trouble_turns(&mut self, nth: usize, now: Moment) {
        if let Some(turn) = self.blueprint.operations[nth].turns_at(now) {
            self.push(turn, Event::Turns(nth));
        }
        self.change(now, None);
    }

    pub(super) fn trouble_ends(&mut self, nth: usize, now: Moment) {
        self.on[nth] = false;
        self.change(now, None);
    }

    /// From the troubles that are on to conditions, and from what is different to what follows. `moves` is a server that gets
    /// a new address.
    fn change(&mut self, now: Moment, moves: Option<usize>) {
        let on: Vec<&Operation> =
            self.blueprint.operations.iter().zip(&self.on).filter(|(_, on)| **on).map(|(o, _)| o).collect();
        let next = Conditions::of(&self.blueprint, on.iter().copied(), now);
        let plights = self.setting.fleet.entry_ixs().map(|ix| {
            let entry_point = self.setting.fleet.entry_point(ix);
            (ix, plight(&self.blueprint, &next, &on, entry_point.server.at(), entry_point.lane))
        });
        let plights: Vec<_> = plights.collect();
        for (entry_point, plight) in plights {
            if self.plights[entry_point.at()] != plight {
                self.plights[entry_point.at()] = plight.clone();
                self.truth.turns.push(Turn { at: now, entry_point, plight });
            }
        }
        let before = std::mem::replace(&mut self.conditions, next);
        for number in 0..self.agents.len() {
            self.agent_follows(number, &before, now);
        }
        if before.aggregator_away && !self.conditions.aggregator_away {
            self.tell(now, Step::Resumed);
            self.judge_by(now);
        }
        self.inventory_follows(now, moves);
        self.fine_until = now.after(Duration::from_millis(self.blueprint.judging.fine_for_ms));
        self.judge_by(now.after(Duration::from_millis(self.blueprint.judging.fine_ms)));
    }

    /// What a change does to an agent's process and session.
    fn agent_follows(&mut self, number: usize, before: &Conditions, now: Moment) {
        let (was, is) = (&before.hosts[number], &self.conditions.hosts[number]);
        let agent = &mut self.agents[number];
        if was.agent_runs() && !is.agent_runs() {
            agent.stop(is.wiped);
        } else if !was.agent_runs() && is.agent_runs() {
            let at = now.after(agent.dice.span(START.0, START.1));
            self.push(at, Event::Starts(number));
        } else if was.agent_stopped && !is.agent_stopped && agent.runs() {
            agent.wakes_at = Some(now);
            self.push(now, Event::Wakes(number));
        }
        let cut = |conditions: &Conditions| {
            let host = &conditions.hosts[number];
            host.uplink_dead || host.agent_stopped || conditions.aggregator_away || !host.agent_runs()
        };
        let agent = &mut self.agents[number];
        if cut(before) && !cut(&self.conditions) && !agent.sending {
            let at = now.after(agent.dice.span(RECONNECT.0, RECONNECT.1));
            agent.sending = true;
            self.push(at, Event::Delivers(number));
        }
    }

    /// What a change does to the inventory and, with it, to plans.
    fn inventory_follows(&mut self, now: Moment, moves: Option<usize>) {
        let entry = |(number, entry): (usize, &Entry)| Entry {
            intent: self.conditions.intent(number),
            address: entry.address + u32::from(moves == Some(number)),
        };
        let entries: Vec<Entry> = self.roster.entries.iter().enumerate().map(entry).collect();
        if entries == self.roster.entries {
            return;
        }
        self.roster = Roster::new(&self.blueprint, entries);
        self.plan_version += 1;
        self.tell(now, Step::Fleet(self.roster.fleet.clone()));
        for number in 0..self.agents.len() {
            let agent = &mut self.agents[number];
            agent.plan_due = true;
            let at = now.after(agent.dice.span(TRANSIT.0, TRANSIT.1));
            self.push(at, Event::TakesPlan(number));
        }
    }
}
