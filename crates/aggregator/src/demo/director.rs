//! Leads through the script: raises a trouble, waits until the fleet has found it out, ends it, waits until it is healed.
//!
//! A machine without clock or sockets. Its driver calls [`Director::handle_scene`] with each scene of the fleet (and at
//! least once a round, with the last one) and does what the cues say, in order. Nothing is waited for by sleeping: a
//! trouble stands until its promise is kept, and only the deadline, many times what it needs, gives it up. A trouble is
//! raised while the one before it still heals, unless they touch the same servers.
//!
//! Led by hand, it raises and ends what [`Director::handle_order`] says, promises nothing and gives nothing up.

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::order::Order;
use super::scene::Scene;
use super::script::{Deed, Finding, Promise, Trouble};

/// What the driver must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cue {
    /// To sockets or agents.
    Do(Deed),
    /// To people.
    Say(String),
}

/// Rounds that the fleet may take to get well at start; it needs two or three.
const OPENING_ROUNDS: u32 = 40;
/// Rounds that a trouble may take to be found out, and to heal; three and one are the rule, but agents on a starved
/// machine skip most of their knocks, and rightly draw no conclusions.
const PATIENCE_ROUNDS: u32 = 40;
/// Rounds that a trouble stands after it was found out, for people to read.
const LINGER_ROUNDS: u32 = 3;
/// Rounds that one trouble has in the plan; whoever is later than planned does not linger.
const ACT_ROUNDS: u32 = 7;
/// Rounds in the plan until the fleet is well.
const START_ROUNDS: u32 = 4;
/// Rounds of calm between two passes.
const CALM_ROUNDS: u32 = 6;

/// Who says when a trouble begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// The script, in its order.
    Script,
    /// Somebody, in any order.
    Hand,
}

/// See the module.
#[derive(Debug)]
pub struct Director {
    lead: Lead,
    round: Duration,
    acts: Vec<Act>,
    /// When this pass began; the fleet was well by then, but in the first.
    began_at: Duration,
    opened: bool,
    /// When all of this pass was healed.
    ended_at: Option<Duration>,
    passes: u32,
    missed: Vec<String>,
}

#[derive(Debug)]
struct Act {
    trouble: Trouble,
    phase: Phase,
    seen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Waiting,
    /// Raised, and not found out yet.
    Raised {
        at: Duration,
    },
    /// Found out; it stands for a while.
    Found {
        at: Duration,
    },
    /// Ended; not healed yet.
    Healing {
        at: Duration,
    },
    Over,
}

impl Director {
    /// A director of `script`, where a round of the fleet takes `round`; moments count from its start.
    pub fn new(script: &[Trouble], round: Duration, lead: Lead) -> Self {
        let act = |trouble: &Trouble| Act { trouble: *trouble, phase: Phase::Waiting, seen: false };
        Self {
            lead,
            round,
            acts: script.iter().map(act).collect(),
            began_at: Duration::ZERO,
            opened: false,
            ended_at: None,
            passes: 0,
            missed: Vec::new(),
        }
    }

    /// What to do now that the fleet looks like this.
    pub fn handle_scene(&mut self, scene: &Scene, now: Duration) -> Vec<Cue> {
        let mut cues = Vec::new();
        if !self.opened {
            self.open(scene, now, &mut cues);
        }
        if !self.opened || self.ended_at.is_some() {
            return cues;
        }
        if self.lead == Lead::Hand {
            self.see_healed(scene);
            return cues;
        }
        for ix in 0..self.acts.len() {
            self.move_on(ix, scene, now, &mut cues);
        }
        if self.acts.iter().all(|act| act.phase == Phase::Over) {
            self.ended_at = Some(now);
            self.passes += 1;
        }
        cues
    }

    /// What to do now that somebody said so. What stands already is not raised, and what does not stand not ended.
    pub fn handle_order(&mut self, order: Order, now: Duration) -> Vec<Cue> {
        let (Order::Raise(named) | Order::End(named)) = order;
        let mut cues = Vec::new();
        let Some(act) = self.acts.iter_mut().find(|act| act.trouble == named) else { return cues };
        match (order, act.phase) {
            (Order::Raise(trouble), Phase::Waiting | Phase::Healing { .. } | Phase::Over) => {
                raise(trouble, &mut cues);
                act.phase = Phase::Raised { at: now };
            }
            (Order::End(trouble), Phase::Raised { .. } | Phase::Found { .. }) => {
                end(trouble, &mut cues);
                act.phase = Phase::Healing { at: now };
            }
            (Order::Raise(_), Phase::Raised { .. } | Phase::Found { .. })
            | (Order::End(_), Phase::Waiting | Phase::Healing { .. } | Phase::Over) => {}
        }
        cues
    }

    /// Begins the script anew after some calm; nothing happens before that, or while it runs.
    pub fn repeat(&mut self, now: Duration) {
        let Some(ended_at) = self.ended_at else { return };
        if now < ended_at + self.round * CALM_ROUNDS {
            return;
        }
        for act in &mut self.acts {
            act.phase = Phase::Waiting;
        }
        self.began_at = now;
        self.ended_at = None;
    }

    /// How long the last whole pass took, if one is over and no other has begun.
    pub fn last_pass(&self) -> Option<Duration> {
        self.ended_at.map(|ended_at| ended_at.saturating_sub(self.began_at))
    }

    /// Who leads.
    pub fn lead(&self) -> Lead {
        self.lead
    }

    /// Whole passes so far.
    #[cfg(test)]
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Troubles that stand or heal.
    pub fn troubles(&self) -> impl Iterator<Item = Trouble> {
        let current = |act: &&Act| !matches!(act.phase, Phase::Waiting | Phase::Over);
        self.acts.iter().filter(current).map(|act| act.trouble)
    }

    /// Promises that were not kept in time.
    pub fn missed(&self) -> &[String] {
        &self.missed
    }

    /// What of the first pass has not been reached yet; empty once it is over.
    pub fn not_reached(&self) -> Vec<String> {
        if self.passes > 0 || self.lead == Lead::Hand {
            return Vec::new();
        }
        let not_seen = self.acts.iter().filter(|act| !act.seen).map(|act| word(act.trouble.promise()));
        let not_healed = self.acts.iter().filter(|act| act.seen && act.phase != Phase::Over);
        not_seen.chain(not_healed.map(|act| format!("{}, healed", word(act.trouble.promise())))).collect()
    }

    fn open(&mut self, scene: &Scene, now: Duration, cues: &mut Vec<Cue>) {
        if scene.is_well() {
            cues.push(Cue::Say("the fleet watches itself, and all is well".to_owned()));
            self.opened = true;
        } else if now > self.round * OPENING_ROUNDS {
            let unwell: Vec<String> = scene.servers.iter().filter(|server| !server.is_well()).map(shown).collect();
            let unwell = if unwell.is_empty() { "too few knocks".to_owned() } else { unwell.join(", ") };
            self.missed.push(format!("all well within {OPENING_ROUNDS} rounds of the start ({unwell})"));
            self.opened = true;
        }
    }

    fn move_on(&mut self, ix: usize, scene: &Scene, now: Duration, cues: &mut Vec<Cue>) {
        let Act { trouble, phase, .. } = self.acts[ix];
        let promise = trouble.promise();
        let next = match phase {
            Phase::Waiting if self.may_begin(ix) => {
                raise(trouble, cues);
                Phase::Raised { at: now }
            }
            Phase::Raised { .. } if is_found(scene, promise) => {
                self.acts[ix].seen = true;
                Phase::Found { at: now }
            }
            Phase::Raised { at } if now > at + self.round * PATIENCE_ROUNDS => {
                let said = scene.server(promise.server).map_or_else(|| "nothing".to_owned(), shown);
                self.missed.push(format!("{} within {PATIENCE_ROUNDS} rounds (it is {said})", word(promise)));
                end(trouble, cues);
                Phase::Healing { at: now }
            }
            Phase::Found { at } if now >= at + self.round * LINGER_ROUNDS || now >= self.planned_end(ix) => {
                end(trouble, cues);
                Phase::Healing { at: now }
            }
            Phase::Healing { .. } if is_healed(scene, trouble) => Phase::Over,
            Phase::Healing { at } if now > at + self.round * PATIENCE_ROUNDS => {
                let unwell = scene.servers.iter().filter(|server| trouble.touches(&server.id) && !server.is_well());
                let unwell: Vec<String> = unwell.map(shown).collect();
                self.missed.push(format!(
                    "{} healed within {PATIENCE_ROUNDS} rounds ({})",
                    word(promise),
                    unwell.join(", ")
                ));
                Phase::Over
            }
            Phase::Waiting | Phase::Raised { .. } | Phase::Found { .. } | Phase::Healing { .. } | Phase::Over => phase,
        };
        self.acts[ix].phase = next;
    }

    /// Troubles that were ended by hand are over once nothing is said of their servers.
    fn see_healed(&mut self, scene: &Scene) {
        for act in &mut self.acts {
            if matches!(act.phase, Phase::Healing { .. }) && is_healed(scene, act.trouble) {
                act.phase = Phase::Over;
            }
        }
    }

    /// The one before has ended, and no other that touches the same servers is left.
    fn may_begin(&self, ix: usize) -> bool {
        let trouble = self.acts[ix].trouble;
        self.acts[..ix].iter().all(|earlier| match earlier.phase {
            Phase::Waiting | Phase::Raised { .. } | Phase::Found { .. } => false,
            Phase::Healing { .. } => !trouble.meets(earlier.trouble),
            Phase::Over => true,
        })
    }

    fn planned_end(&self, ix: usize) -> Duration {
        self.began_at + self.round * (START_ROUNDS + ACT_ROUNDS * (ix as u32 + 1))
    }
}

fn raise(trouble: Trouble, cues: &mut Vec<Cue>) {
    cues.push(Cue::Say(trouble.told()));
    cues.extend(trouble.raise().into_iter().map(Cue::Do));
}

fn end(trouble: Trouble, cues: &mut Vec<Cue>) {
    cues.push(Cue::Say(format!("healing: {}", trouble.ended())));
    cues.extend(trouble.heal().into_iter().map(Cue::Do));
}

fn is_found(scene: &Scene, promise: Promise) -> bool {
    scene.server(promise.server).is_some_and(|server| match promise.finding {
        Finding::Status(status) => server.status == status,
        Finding::HalfBlind => server.half_blind.is_some(),
    })
}

fn is_healed(scene: &Scene, trouble: Trouble) -> bool {
    scene.servers.iter().filter(|server| trouble.touches(&server.id)).all(super::scene::Seen::is_well)
}

fn word(promise: Promise) -> String {
    format!("{} {}", promise.server, promise.finding.as_str())
}

fn shown(server: &super::scene::Seen) -> String {
    let blind = if server.half_blind.is_some() { ", half-blind" } else { "" };
    format!("{} {}{blind}", server.id, server.status.as_str())
}
