//! Agents have their turns, and their reports come in: late, lost and sent again, twice, or in a burst; always in the order
//! of an outbox.

use std::time::Duration;

use quorate_core::report::{Report, Sequence};
use quorate_core::time::Moment;

use super::agent::Kept;
use super::blueprint::id;
use super::{Event, World};
use crate::tape::Step;

/// How long a message takes at least and at most.
pub(super) const TRANSIT: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(200));
/// How soon an agent finds that its session is broken, and has another.
pub(super) const RECONNECT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(15));
/// How long an agent takes to be there after its machine or process was started.
pub(super) const START: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));
/// How soon a message that got lost is sent again.
const RESEND: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(30));
/// From one report of a burst to the next.
const BURST_GAP: Duration = Duration::from_millis(5);

impl World {
    pub(super) fn agent_starts(&mut self, number: usize, now: Moment) {
        // It may have been stopped again since, or started twice.
        if !self.conditions.hosts[number].agent_runs() || self.agents[number].runs() {
            return;
        }
        let planned = self.roster.planned(&self.blueprint, number, self.plan_version);
        self.agents[number].start(planned, now);
        self.push(now, Event::Wakes(number));
    }

    pub(super) fn agent_wakes(&mut self, number: usize, now: Moment) {
        let host = &self.conditions.hosts[number];
        let (late_ms, delay_ms) = (host.late_ms, host.delay_ms);
        let agent = &mut self.agents[number];
        if agent.wakes_at != Some(now) || host.agent_stopped {
            return;
        }
        let has_reported = agent.turn(&self.conditions, &mut self.spells, now);
        if let Some(at) = agent.wakes_at {
            let late = if late_ms > 0 { agent.dice.below(late_ms) } else { 0 };
            let at = at.after(Duration::from_millis(late));
            agent.wakes_at = Some(at);
            self.push(at, Event::Wakes(number));
        }
        let agent = &mut self.agents[number];
        if has_reported && !agent.sending {
            agent.sending = true;
            let takes = agent.dice.span(TRANSIT.0, TRANSIT.1 + Duration::from_millis(delay_ms));
            self.push(now.after(takes), Event::Delivers(number));
        }
    }

    pub(super) fn agent_takes_plan(&mut self, number: usize, now: Moment) {
        if self.agents[number].plan_due && self.has_session(number) {
            let planned = self.roster.planned(&self.blueprint, number, self.plan_version);
            self.agents[number].take_plan(planned, now);
            self.push(now, Event::Wakes(number));
        }
    }

    fn has_session(&self, number: usize) -> bool {
        let host = &self.conditions.hosts[number];
        let there = self.agents[number].runs() && !host.agent_stopped && !host.uplink_dead;
        there && !self.conditions.aggregator_away
    }

    /// The oldest report of an outbox is sent.
    pub(super) fn agent_delivers(&mut self, number: usize, now: Moment) {
        if !self.has_session(number) {
            self.agents[number].sending = false;
            return;
        }
        self.agent_takes_plan(number, now);
        let host = &self.conditions.hosts[number];
        let agent = &mut self.agents[number];
        if agent.outbox.is_empty() {
            agent.sending = false;
            return;
        }
        let again = if agent.dice.happens(host.lost_ppm) {
            RESEND
        } else {
            let doubled = agent.dice.happens(host.doubled_ppm);
            self.deliver(number, now);
            let agent = &mut self.agents[number];
            if doubled {
                RECONNECT
            } else {
                agent.outbox.pop_front();
                (BURST_GAP, BURST_GAP)
            }
        };
        let agent = &mut self.agents[number];
        let at = now.after(agent.dice.span(again.0, again.1));
        self.push(at, Event::Delivers(number));
    }

    fn deliver(&mut self, number: usize, now: Moment) {
        let agent = &mut self.agents[number];
        let Some(kept) = agent.outbox.front() else { return };
        // It says how long ago the round ended; the way here is not told apart from that.
        let transit = agent.dice.span(Duration::ZERO, TRANSIT.1);
        let observed_at = kept.ended_at.after(transit).min(now).max(self.observed[number]);
        let sequence = Sequence { outbox: format!("{}-{}", id(number), agent.outbox_name), number: kept.number };
        // One of a server that is gone is nobody's evidence.
        let Some(witness) = self.roster.server(number) else { return };
        let Kept { health, outcomes, .. } = kept;
        let counted = outcomes.iter().filter_map(|(place, saw)| Some((self.roster.entry_point(place)?, *saw)));
        let report =
            Report { witness, observed_at, health: *health, outcomes: counted.collect(), sequence: Some(sequence) };
        self.observed[number] = observed_at;
        self.tell(now, Step::Report(report));
    }
}
