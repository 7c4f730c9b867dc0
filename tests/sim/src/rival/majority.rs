//! Simple majority: an entry point is taken away while more than half of the witnesses that judge it have failed to reach it
//! often enough in a row.
//!
//! The baseline that everybody would write first. How often is often enough is Icinga's and Nagios's word for it:
//! `max_check_attempts`, 3 unless told otherwise, and one success ends a trouble
//! (<https://icinga.com/docs/icinga-2/latest/doc/09-object-types/#service>).

use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::frame::{Found, Rule};
use super::memory::{Changes, Checkers};
use super::mesh::{Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

/// `max_check_attempts`.
pub(super) const MAX_CHECK_ATTEMPTS: Rounds = 3;

/// The memory of Icinga's check: it fails when it failed often enough in a row, and one success ends that.
pub(super) fn checks(setting: &Setting, knob: Option<Rounds>) -> Checkers {
    let down_after = knob.unwrap_or(MAX_CHECK_ATTEMPTS);
    Checkers::new(setting, Changes { down_after, up_after: 1, first_is_state: false })
}

/// The rule.
pub(super) struct Majority(Checkers);

impl Majority {
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        Self(checks(setting, knob))
    }
}

impl Rule for Majority {
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
            *removed = 2 * count.down > count.all();
        }
    }
}
