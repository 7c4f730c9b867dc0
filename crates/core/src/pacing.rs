//! When an agent knocks on which target: one round after another, gently.
//!
//! A postman with one bag, who walks a street in another order each day, rings one bell at a time, waits for the door, and
//! never hurries; what he does not reach by the end of the day he says so of, and begins with on the next.
//!
//! **Two probes never run at once, and no two start within `min_spacing` of each other, whatever a plan, a stall or a
//! driver's delay does.** That is a safety limit: mesh probing must not look like a scan, nor load what stands behind a
//! target.
//!
//! # The order of calls
//!
//! ```text
//! loop {
//!     handle_tick(now) | handle_outcome(outcome, now) | handle_plan(plan, now)   whichever happened
//!     poll_round()   → a finished round, to be reported
//!     poll_probe()   → a target, to be probed at once; exactly one handle_outcome must follow
//!     wait until poll_timeout(), or until the running probe has ended
//! }
//! ```
//!
//! After each `handle_*` poll `poll_round` first and then `poll_probe`. `now` comes from a clock that goes on while the
//! machine is suspended and never jumps (Linux: `CLOCK_BOOTTIME`).
//!
//! # A round
//!
//! The first begins at a random moment within `interval`; every other when the one before has had its `interval`. TCP
//! targets come first, then UDP ones; each kind has its share of the round, so that neither starves the other. Within
//! its part every target has a slot of equal length and starts somewhere in the slot's first 30 %: gaps vary by ±30 % and
//! the round keeps its length (where slots are as short as `min_spacing`, gaps vary less: they never fall below it). The
//! order is drawn anew each round, with the targets of one SNI spread evenly ([`order`]).
//! Whatever got no turn in the round before comes first. A target whose probe failed rests for a quarter of the interval.
//!
//! A probe that runs past its slot delays the rest; what then does not fit before the end of its part is `not_run`. A
//! probe that runs when its round ends is waited for. A round is done when every target has its outcome; it ends at
//! the moment of the last, and one that nothing was due in ends when its time is over.
//!
//! # Stalls
//!
//! The driver is asked back at least every half [`Pacing::stall_bound`]. If it comes later than the bound, the process was
//! stopped, suspended or starved: the probe that was running and the one that was due are `stalled`, which is evidence for
//! nobody (R1), and so is all the rest of a round that ended meanwhile. That round ends, at the latest, when its time
//! was over: what was seen before a stall is never passed off as seen after it.
//!
//! A failure that comes later than its budget and the bound allow is `stalled` too.
//!
//! Rejected: a second probe of a failed target to make sure. Three rounds are what makes sure (R5).

use alloc::vec::Vec;
use core::time::Duration;

use crate::dice::Dice;
use crate::outcome::{Outcome, Reason};
use crate::plan::{ProbePlan, Target};
use crate::time::Moment;

use self::memory::Memory;
use self::walk::Walk;

mod memory;
mod order;
#[cfg(test)]
mod tests;
mod walk;

/// Longest pause between two calls that is no stall, at speed 1: under half of the shortest budget (connect, 5 s), so
/// that a pause that is not noticed cannot use up a budget by itself.
const STALL: Duration = Duration::from_secs(2);

/// It shrinks with `speed`, but a busy machine with a demo on it pauses for this long without being stopped.
const STALL_LEAST: Duration = Duration::from_millis(200);

/// A new plan waits at most this long for the end of the round: a server that joined is watched within two minutes,
/// also where a round takes hours.
const ADOPT_WITHIN: Duration = Duration::from_mins(1);

/// What the dice are thrown for: "pacing".
const GAME: u64 = 0x7061_6369_6e67;

/// A round that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The plan that the outcomes follow.
    pub plan_version: u64,
    /// When it was observed (R2), on the driver's clock.
    pub ended_at: Moment,
    /// One for each target of the plan, in its order.
    pub outcomes: Vec<Outcome>,
}

impl Round {
    /// Makes all failures inconclusive, for a reason that only the driver knows, like neutral endpoints that did not
    /// answer either.
    pub fn discount_failures(&mut self, reason: Reason) {
        for outcome in &mut self.outcomes {
            if matches!(outcome, Outcome::Failed(_)) {
                *outcome = Outcome::Inconclusive(reason);
            }
        }
    }
}

/// Hands out one due probe at a time and collects rounds. See the module's text for the order of calls.
#[derive(Debug)]
pub struct Pacing {
    plan: ProbePlan,
    /// Takes the plan's place when the round is over.
    next_plan: Option<ProbePlan>,
    /// What is known of each target of `plan` from earlier rounds.
    memories: Vec<Memory>,
    dice: Dice,
    round_number: u64,
    stage: Stage,
    running: Option<Running>,
    last_start: Option<Moment>,
    last_call: Moment,
    finished: Option<Round>,
}

#[derive(Debug)]
enum Stage {
    /// Between rounds.
    Waiting { begins_at: Moment },
    /// In a round.
    Walking(Walk),
}

#[derive(Debug)]
struct Running {
    target: usize,
    started_at: Moment,
    stalled: bool,
}

impl Pacing {
    /// Begins with a plan; the first round starts within its interval. Two agents with different seeds walk differently,
    /// the same seed and the same calls always give the same walk.
    pub fn new(plan: ProbePlan, seed: u64, now: Moment) -> Self {
        let mut dice = Dice::new(seed, GAME);
        let begins_at = now.after(Duration::from_millis(dice.below(ms(plan.interval))));
        let memories = memory::fresh(&plan, &mut dice);
        Self {
            plan,
            next_plan: None,
            memories,
            dice,
            round_number: 0,
            stage: Stage::Waiting { begins_at },
            running: None,
            last_start: None,
            last_call: now,
            finished: None,
        }
    }

    /// The plan that is walked.
    pub fn plan(&self) -> &ProbePlan {
        &self.plan
    }

    /// The longest pause between two calls that is no stall.
    pub fn stall_bound(&self) -> Duration {
        (STALL / self.plan.speed.max(1)).max(STALL_LEAST)
    }

    /// Time has passed.
    pub fn handle_tick(&mut self, now: Moment) {
        self.note_stall(now);
        self.walk(now);
    }

    /// The running probe has ended. Without one this is a tick.
    pub fn handle_outcome(&mut self, outcome: Outcome, now: Moment) {
        self.note_stall(now);
        if let Some(running) = self.running.take() {
            self.record(&running, outcome, now);
        }
        self.walk(now);
    }

    /// A new plan. It takes effect when the round under way is over, which is at most a minute away; a round that is cut
    /// short by that has the rest of its targets not run. The last plan handed in wins.
    pub fn handle_plan(&mut self, plan: ProbePlan, now: Moment) {
        self.note_stall(now);
        let by = now.after(ADOPT_WITHIN);
        match &mut self.stage {
            Stage::Waiting { begins_at } => *begins_at = (*begins_at).min(by),
            Stage::Walking(walk) => {
                walk.ends_at = walk.ends_at.min(by);
                for part in &mut walk.parts {
                    part.ends_at = part.ends_at.min(by);
                }
            }
        }
        self.next_plan = Some(plan);
        self.walk(now);
    }

    /// The round that has ended, once. At most one ends with each call.
    pub fn poll_round(&mut self) -> Option<Round> {
        self.finished.take()
    }

    /// The target that is due, once; it counts as started at the `now` of the last call.
    pub fn poll_probe(&mut self) -> Option<&Target> {
        let now = self.last_call;
        if self.running.is_some() || now < self.next_start()? {
            return None;
        }
        let Stage::Walking(walk) = &mut self.stage else { return None };
        let part = walk.parts.front_mut()?;
        let rested = |target: &usize| self.memories[*target].rests_until(self.plan.interval) <= now;
        let at = part.queue.iter().position(rested)?;
        let target = part.queue.remove(at)?;
        part.slots.pop_front();
        self.running = Some(Running { target, started_at: now, stalled: false });
        self.last_start = Some(now);
        Some(&self.plan.targets[target])
    }

    /// When to call `handle_tick` at the latest.
    pub fn poll_timeout(&self) -> Moment {
        let soon = self.last_call.after(self.stall_bound() / 2);
        let event = match &self.stage {
            Stage::Waiting { begins_at } => Some(*begins_at),
            Stage::Walking(_) if self.running.is_some() => None,
            Stage::Walking(walk) => {
                let ends_at = walk.parts.front().map_or(walk.ends_at, |part| part.ends_at);
                Some(self.next_start().map_or(ends_at, |start| start.min(ends_at)))
            }
        };
        // One ms is the least that a moment can tell apart; less would be a busy loop.
        event.map_or(soon, |event| event.min(soon)).max(self.last_call.after(Duration::from_millis(1)))
    }

    /// When the next probe may start, if the round has one left and nothing runs.
    fn next_start(&self) -> Option<Moment> {
        let Stage::Walking(walk) = &self.stage else { return None };
        let part = walk.parts.front()?;
        let rested_at = part.queue.iter().map(|target| self.memories[*target].rests_until(self.plan.interval)).min()?;
        let spaced_at = self.last_start.map_or(Moment::ZERO, |last| last.after(self.plan.min_spacing));
        Some((*part.slots.front()?).max(rested_at).max(spaced_at))
    }

    /// If the driver was away for too long, what ran or was due meanwhile says nothing.
    fn note_stall(&mut self, now: Moment) {
        let stalled = now.since(self.last_call) > self.stall_bound();
        let due = self.running.is_none() && self.next_start().is_some_and(|start| start <= now);
        self.last_call = self.last_call.max(now);
        if !stalled {
            return;
        }
        if let Some(running) = &mut self.running {
            running.stalled = true;
        }
        let Stage::Walking(walk) = &mut self.stage else { return };
        if now >= walk.ends_at {
            while !walk.parts.is_empty() {
                walk.end_part(Reason::Stalled, &mut self.memories);
            }
        } else if due {
            walk.skip(Reason::Stalled, &mut self.memories);
        }
    }

    /// Puts down how the running probe ended.
    fn record(&mut self, running: &Running, outcome: Outcome, now: Moment) {
        let late = self.stall_bound();
        let Stage::Walking(walk) = &mut self.stage else { return };
        let probe = &self.plan.targets[running.target].probe;
        let overdue = running.started_at.after(probe.kind.budget() / self.plan.speed.max(1) + late);
        let starved = running.stalled || (now > overdue && matches!(outcome, Outcome::Failed(_)));
        let outcome = if starved { Outcome::Inconclusive(Reason::Stalled) } else { outcome };
        self.memories[running.target].note(outcome, running.started_at);
        if !starved {
            walk.seen_at = Some(now);
        }
        walk.outcomes[running.target] = Some(outcome);
    }

    /// Moves on whatever time has moved on: from part to part, from round to round.
    fn walk(&mut self, now: Moment) {
        if let Stage::Walking(walk) = &mut self.stage {
            while let Some(part) = walk.parts.front() {
                if !part.queue.is_empty() && now < part.ends_at {
                    break;
                }
                walk.end_part(Reason::NotRun, &mut self.memories);
            }
            if walk.parts.is_empty() && self.running.is_none() {
                self.finish(now);
            }
        }
        if let Stage::Waiting { begins_at } = self.stage
            && now >= begins_at
        {
            self.begin(begins_at, now);
        }
    }

    /// Ends the round if it is done.
    fn finish(&mut self, now: Moment) {
        let Stage::Walking(walk) = &mut self.stage else { return };
        let ran_out = now >= walk.ends_at;
        if !ran_out && walk.seen_at.is_none() {
            return;
        }
        let over_at = now.min(walk.ends_at);
        let ended_at = match walk.seen_at {
            Some(seen_at) if !ran_out => seen_at,
            Some(seen_at) => seen_at.max(over_at),
            None => over_at,
        };
        let outcomes = core::mem::take(&mut walk.outcomes);
        let not_due = Outcome::Inconclusive(Reason::NotRun);
        self.finished = Some(Round {
            plan_version: self.plan.version,
            ended_at,
            outcomes: outcomes.into_iter().map(|outcome| outcome.unwrap_or(not_due)).collect(),
        });
        self.stage = Stage::Waiting { begins_at: walk.ends_at };
    }

    /// Begins a round that was to begin at `planned`.
    fn begin(&mut self, planned: Moment, now: Moment) {
        if let Some(plan) = self.next_plan.take() {
            self.adopt(plan);
        }
        let interval = self.plan.interval;
        // After a long delay the rounds go on from here; after a short one, like a probe that overran, they keep step.
        let began_at = if now.since(planned) < interval / 2 { planned } else { now };
        let number = self.round_number;
        self.round_number += 1;
        self.stage = Stage::Walking(Walk::begin(&self.plan, &self.memories, &mut self.dice, number, began_at));
    }

    /// Takes a plan up.
    fn adopt(&mut self, plan: ProbePlan) {
        let memories = core::mem::take(&mut self.memories);
        let old = core::mem::replace(&mut self.plan, plan);
        self.memories = memory::carried_over(old, memories, &self.plan, &mut self.dice);
    }
}

/// Whole milliseconds, at least one.
fn ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX).max(1)
}
