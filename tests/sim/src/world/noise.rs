//! Losses that are nobody's fault: single knocks here and there, and paths and servers that are bad for a while.
//!
//! Both bursts are Gilbert's and Elliott's (1960, 1963): a good and a bad state, each with its own chance of a loss. What is
//! lost is a knock, not a packet: TCP and QUIC send a lost packet again, so that a knock is lost much more seldom than a
//! packet, and a loss of knocks is the harder world.

use serde::{Deserialize, Serialize};

use crate::dice::{Dice, Gap, MILLION};

/// How noisy the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Noise {
    /// Of each single path.
    pub paths: Burst,
    /// Of all knocks on a server, and of its own.
    pub hosts: Burst,
}

/// A good and a bad state. Chances are in parts of a million.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Burst {
    /// That a knock is lost in the good state.
    pub lost_ppm: u32,
    /// That a round is the last one of the good state.
    pub worsens_ppm: u32,
    /// That a knock is lost in the bad state.
    pub bad_lost_ppm: u32,
    /// That a round is the last one of the bad state.
    pub recovers_ppm: u32,
}

impl Burst {
    /// The share of all knocks that is lost in the long run, in parts of a million.
    pub fn mean_ppm(&self) -> u32 {
        let (worsens, recovers) = (u64::from(self.worsens_ppm), u64::from(self.recovers_ppm));
        let whole = (worsens + recovers).max(1);
        ((u64::from(self.lost_ppm) * (whole - worsens) + u64::from(self.bad_lost_ppm) * worsens) / whole) as u32
    }
}

/// The paths of one witness to its targets, by their place in its plan.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    burst: Burst,
    gap: Gap,
    dice: Dice,
    /// Knocks until something happens in the good state.
    left: u64,
    /// Targets whose path is bad.
    bad: Vec<usize>,
}

impl Paths {
    pub fn new(burst: Burst, mut dice: Dice) -> Self {
        // One gap for both events of the good state; which of the two it is, is drawn when it comes.
        let gap = Gap::new((burst.lost_ppm + burst.worsens_ppm).min(MILLION));
        let left = gap.draw(&mut dice);
        Self { burst, gap, dice, left, bad: Vec::new() }
    }

    /// Whether a knock on that target is lost.
    pub fn loses(&mut self, target: usize) -> bool {
        if let Some(at) = self.bad.iter().position(|bad| *bad == target) {
            let lost = self.dice.happens(self.burst.bad_lost_ppm);
            if self.dice.happens(self.burst.recovers_ppm) {
                self.bad.swap_remove(at);
            }
            return lost;
        }
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.left = self.gap.draw(&mut self.dice);
        let all = u64::from(self.burst.lost_ppm + self.burst.worsens_ppm).max(1);
        let lost = self.dice.below(all) < u64::from(self.burst.lost_ppm);
        if !lost {
            self.bad.push(target);
        }
        lost
    }

    /// The targets of a whole round whose knocks are lost, into `lost`: what [`Self::loses`] says of each in turn, without
    /// asking of each.
    pub fn lose(&mut self, targets: usize, lost: &mut Vec<usize>) {
        if !self.bad.is_empty() {
            lost.extend((0..targets).filter(|target| self.loses(*target)));
            return;
        }
        let mut next = 0;
        while self.bad.is_empty() && self.left < (targets - next) as u64 {
            let target = next + self.left as usize;
            self.left = 0;
            if self.loses(target) {
                lost.push(target);
            }
            next = target + 1;
        }
        if self.bad.is_empty() {
            self.left -= (targets - next) as u64;
        } else {
            lost.extend((next..targets).filter(|target| self.loses(*target)));
        }
    }

    /// The plan has changed: places mean other targets.
    pub fn forget(&mut self) {
        self.bad.clear();
    }
}

/// The bad times of all servers.
#[derive(Debug, Clone)]
pub(super) struct Spells {
    burst: Burst,
    interval_ms: u64,
    /// By server: its dice, and from when until when its next bad time is.
    bad_times: Vec<(Dice, u64, u64)>,
    /// Nobody's begins before.
    quiet_until: u64,
}

impl Spells {
    pub fn new(burst: Burst, interval_ms: u64, dice: impl Iterator<Item = Dice>) -> Self {
        let mut spells =
            Self { burst, interval_ms, bad_times: dice.map(|dice| (dice, 0, 0)).collect(), quiet_until: 0 };
        for (dice, begins, ends) in &mut spells.bad_times {
            (*begins, *ends) = next(burst, interval_ms, dice, 0);
        }
        spells.settle();
        spells
    }

    /// Whether nobody has a bad time before `until`.
    pub fn are_none_before(&self, until: u64) -> bool {
        until < self.quiet_until
    }

    /// The chance in a million that a knock on that server or by it is lost. Moments never go back by more than a round.
    pub fn loss_ppm(&mut self, server: usize, at: u64) -> u32 {
        let (dice, begins, ends) = &mut self.bad_times[server];
        let over = at >= ends.saturating_add(self.interval_ms);
        while at >= ends.saturating_add(self.interval_ms) {
            (*begins, *ends) = next(self.burst, self.interval_ms, dice, *ends);
        }
        let bad = (*begins..*ends).contains(&at);
        if over {
            self.settle();
        }
        if bad { self.burst.bad_lost_ppm } else { self.burst.lost_ppm }
    }

    fn settle(&mut self) {
        let begins = self.bad_times.iter().map(|(_, begins, _)| *begins).min().unwrap_or(u64::MAX);
        self.quiet_until = if self.burst.lost_ppm > 0 { 0 } else { begins };
    }
}

/// The next bad time after a moment, drawn to the millisecond within its first and last round.
fn next(burst: Burst, interval_ms: u64, dice: &mut Dice, after: u64) -> (u64, u64) {
    let rounds = |ppm: u32, dice: &mut Dice| {
        let rounds = Gap::new(ppm).draw(dice);
        rounds.saturating_mul(interval_ms).saturating_add(dice.below(interval_ms))
    };
    let begins = after.saturating_add(rounds(burst.worsens_ppm, dice));
    let ends = begins.saturating_add(rounds(burst.recovers_ppm, dice).max(1));
    (begins, ends)
}
