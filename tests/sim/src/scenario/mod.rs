//! The scenarios of the scoreboard: a fleet, what befalls it, and what is then true.
//!
//! Each is drawn from its seed: who is hit, when exactly, and where everybody stands. What is the same in all seeds of one is
//! what it is about.

use crate::dice::Dice;
use crate::world::World;
use crate::world::blueprint::Blueprint;

mod fleets;
mod operators;
mod paths;
mod servers;
mod witnesses;

/// A kind of world, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Like `S1a`.
    pub id: &'static str,
    /// A few words.
    pub name: &'static str,
    /// What happens.
    pub about: &'static str,
    /// What is true of it, and why.
    pub truth: &'static str,
    draw: fn(&mut Dice) -> Blueprint,
}

impl Scenario {
    /// Its blueprint in the world of that seed.
    pub fn blueprint(&self, seed: u64) -> Blueprint {
        (self.draw)(&mut Dice::new(seed, self.id))
    }

    /// Its tape of that seed, to be played once.
    pub fn tape(&self, seed: u64) -> World {
        World::new(self.blueprint(seed), seed)
    }
}

/// All of the scoreboard, in the order of their numbers.
pub fn all() -> &'static [Scenario] {
    ALL
}

/// The one of that id; `S0` is a quiet month of 50 servers, which is no part of the scoreboard.
pub fn find(id: &str) -> Option<&'static Scenario> {
    const MONTH: &Scenario = &operators::MONTH;
    ALL.iter().chain([MONTH]).find(|scenario| scenario.id == id)
}

const ALL: &[Scenario] = &[
    servers::CRASHES[0],
    servers::CRASHES[1],
    paths::PAIRS[0],
    paths::PAIRS[1],
    witnesses::BLIND[0],
    witnesses::BLIND[1],
    servers::INGRESS_DEAD,
    servers::LOSSY,
    servers::FLIP_FLOP,
    paths::PROVIDER[0],
    paths::PROVIDER[1],
    paths::ISLANDS[0],
    paths::ISLANDS[1],
    witnesses::STOPPED,
    operators::ROLLING,
    paths::LANES[0],
    paths::LANES[1],
    paths::LANES[2],
    paths::IPV6[0],
    paths::IPV6[1],
    witnesses::LIARS[0],
    witnesses::LIARS[1],
    witnesses::LIARS[2],
    witnesses::LIARS[3],
    witnesses::LIARS[4],
    witnesses::LIARS[5],
    operators::AGGREGATOR[0],
    operators::AGGREGATOR[1],
    witnesses::CLOCKS,
    operators::SCALE_DOWN,
    operators::EVERYBODY[0],
    operators::EVERYBODY[1],
    operators::EVERYBODY[2],
    servers::CERTIFICATE,
    operators::QUIET[0],
    operators::QUIET[1],
    operators::QUIET[2],
    operators::QUIET[3],
    servers::FLAPPING,
    paths::BORDERS[0],
    paths::BORDERS[1],
];

#[cfg(test)]
mod tests;
