//! Amazon Route 53's health checks: an endpoint is healthy while more than 18 % of the health checkers say so.
//!
//! Built to keep a DNS answer that some networks cannot use out of nobody's answers but theirs: one region that sees an
//! endpoint is enough to keep it. Source: "How Amazon Route 53 determines whether a health check is healthy"
//! (<https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/dns-failover-determining-health-of-endpoints.html>) and "How
//! Amazon Route 53 chooses records when health checking is configured"
//! (<https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/health-checks-how-route-53-chooses-records.html>).
//!
//! - A checker changes its mind after `FailureThreshold` contrary results in a row, in both directions; 3 unless told
//!   otherwise, 1 to 10.
//! - A new health check counts as healthy until there is enough to go by.
//! - If no record of a name is healthy, all are taken for healthy: that is its floor, here for each route.
//!
//! A witness is a health checker and a round is its check.

use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::frame::{Floor, Found, Rule};
use super::memory::{Changes, Checkers};
use super::mesh::{Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

const FAILURE_THRESHOLD: Rounds = 3;
/// An endpoint that at most so many percent of its checkers call healthy is unhealthy.
const HEALTHY_PERCENT: u32 = 18;

/// The rule.
pub(super) struct Route53 {
    checkers: Checkers,
    /// By entry point: what held when it was last asked about.
    unhealthy: Vec<bool>,
}

impl Route53 {
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        let threshold = knob.unwrap_or(FAILURE_THRESHOLD);
        let changes = Changes { down_after: threshold, up_after: threshold, first_is_state: false };
        Self { checkers: Checkers::new(setting, changes), unhealthy: vec![false; setting.fleet.entry_points().len()] }
    }
}

impl Rule for Route53 {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        self.checkers.hear(mesh, report);
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, _at: Moment) {
        self.checkers.follow(new, moves);
        self.unhealthy = moves.move_column(&self.unhealthy, new.column(false));
    }

    fn is_settled(&self, mesh: &Mesh, at: Moment) -> bool {
        self.checkers.are_settled(mesh, at)
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        self.checkers.settle(mesh, at);
        let counts = self.checkers.count(mesh, at);
        for ix in mesh.judged() {
            let count = counts[ix.at()];
            if count.all() > 0 {
                self.unhealthy[ix.at()] = 100 * count.up <= HEALTHY_PERCENT * count.all();
            }
            found.removed[ix.at()] = self.unhealthy[ix.at()];
        }
    }

    fn floor(&self) -> Floor {
        Floor::AllOrNothing
    }
}
