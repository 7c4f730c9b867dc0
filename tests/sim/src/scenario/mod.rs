//! The scenarios of the scoreboard: a fleet, what befalls it, and what is then true.
//!
//! Each is drawn from its seed: who is hit, when exactly, and where everybody stands. What is the same in all seeds of one is
//! what it is about.

use crate::dice::Dice;
use crate::world::World;
use crate::world::blueprint::Blueprint;

mod crashes;
mod fleets;

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

/// All of them, in the order of their numbers.
pub fn all() -> &'static [Scenario] {
    ALL
}

/// The one of that id.
pub fn find(id: &str) -> Option<&'static Scenario> {
    ALL.iter().find(|scenario| scenario.id == id)
}

const ALL: &[Scenario] = &[crashes::ONE_OF_A_HUNDRED, crashes::ONE_OF_TEN];

#[cfg(test)]
mod tests;
