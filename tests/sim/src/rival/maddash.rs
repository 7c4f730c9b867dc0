//! MaDDash with Madalert: a grid of checks from each row to each column, and a site that fails in 70 % of its row or its
//! column is reported.
//!
//! Built for perfSONAR meshes, to point an operator at the host behind a red stripe of the dashboard. Source: Madalert's
//! default rule and MaDDash's hardening of results
//! (<https://github.com/perfsonar/madalert/blob/master/service/service/src/main/java/net/es/maddash/madalert/Madalert.java>,
//! <https://github.com/perfsonar/maddash/blob/master/maddash-server/src/main/java/net/es/maddash/jobs/RunCheckJob.java>),
//! `retryAttempts` from the configuration that is shipped (`maddash-server/etc/maddash.yaml`).
//!
//! - A check has a new state after `retryAttempts` contrary results in a row, 3 as shipped; its first result is its state.
//! - A result is OK (weight 0), warning (0.5), critical (1) or unknown, which is left out. Critical is a failure here, unknown
//!   is a check without fresh news; there are no warnings.
//! - "Incoming test failures": at least 0.7 of a column. "Outgoing test failures": at least 0.7 of a row. "Site can't test":
//!   at least 0.7 of a row unknown, "Site can't be tested": of a column. "Site is down": both wholly unknown. "Grid is down":
//!   everything unknown, and then nothing else is said.
//!
//! A grid is made for each lane, as MaDDash has one for each kind of test; a row is a witness, a column an entry point, and where nobody looks there is no check. Incoming
//! failures say that an entry point cannot be reached: it is removed. All other problems of a site are told to its
//! operator and say nothing of the way to it: it is doubted.

use quorate_core::fleet::ServerIx;
use quorate_core::lane::Lane;
use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::frame::{Found, Rule};
use super::memory::{Changes, Checkers, Word};
use super::mesh::{Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

const RETRY_ATTEMPTS: Rounds = 3;

/// The rule.
pub(super) struct Maddash(Checkers);

impl Maddash {
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        let attempts = knob.unwrap_or(RETRY_ATTEMPTS);
        Self(Checkers::new(setting, Changes { down_after: attempts, up_after: attempts, first_is_state: true }))
    }
}

/// The checks of a row or column.
#[derive(Debug, Clone, Copy, Default)]
struct Stripe {
    ok: u32,
    critical: u32,
    unknown: u32,
}

impl Stripe {
    fn add(&mut self, word: Word) {
        match word {
            Word::Up => self.ok += 1,
            Word::Down => self.critical += 1,
            Word::None => self.unknown += 1,
        }
    }

    /// At least 0.7 of what is known.
    fn fails(self) -> bool {
        let known = self.ok + self.critical;
        known > 0 && 10 * self.critical >= 7 * known
    }

    /// At least 0.7 of all.
    fn is_unknown(self) -> bool {
        let all = self.ok + self.critical + self.unknown;
        all > 0 && 10 * self.unknown >= 7 * all
    }
}

impl Rule for Maddash {
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
        let mut columns = mesh.column(Stripe::default());
        let mut rows = vec![[Stripe::default(); Lane::COUNT]; mesh.fleet.servers().len()];
        let mut is_known = [false; Lane::COUNT];
        let witnesses: Vec<ServerIx> = mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)).collect();
        for witness in witnesses {
            for ix in mesh.judged().filter(|ix| mesh.owner(*ix) != witness && mesh.plan.looks(witness, *ix)) {
                let (word, lane) = (self.0.word(witness, ix, at), mesh.fleet.entry_point(ix).lane.index());
                columns[ix.at()].add(word);
                rows[witness.at()][lane].add(word);
                is_known[lane] |= word != Word::None;
            }
        }
        for ix in mesh.judged() {
            let lane = mesh.fleet.entry_point(ix).lane.index();
            if !is_known[lane] {
                continue;
            }
            let (column, row) = (columns[ix.at()], rows[mesh.owner(ix).at()][lane]);
            let is_removed = column.fails();
            found.removed[ix.at()] = is_removed;
            found.doubted[ix.at()] = !is_removed && (row.fails() || row.is_unknown() || column.is_unknown());
        }
    }
}
