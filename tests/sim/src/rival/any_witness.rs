//! Any witness: an entry point is taken away while at least one witness has failed to reach it often enough in a row.
//!
//! The baseline of who watches from one place, and of who puts an alert on each checker by itself: `max_check_attempts` as in
//! [`super::majority`], and no vote.

use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::frame::{Found, Rule};
use super::majority;
use super::memory::Checkers;
use super::mesh::{Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

/// The rule.
pub(super) struct AnyWitness(Checkers);

impl AnyWitness {
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        Self(majority::checks(setting, knob))
    }
}

impl Rule for AnyWitness {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        self.0.hear(mesh, report);
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, _at: Moment) {
        self.0.follow(new, moves);
    }

    fn is_settled(&self, mesh: &Mesh, at: Moment) -> bool {
        self.0.are_settled(mesh, at)
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        self.0.settle(mesh, at);
        for (count, removed) in self.0.count(mesh, at).iter().zip(&mut found.removed) {
            *removed = count.down > 0;
        }
    }
}
