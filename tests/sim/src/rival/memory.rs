//! What a health checker remembers of each of its targets: how often in a row it failed, or a state that only a row of
//! contrary results changes.
//!
//! A word that is older than the fleet's `stale_after` is nobody's word: its checker is off, or cut off from the aggregator,
//! and none of the sources counts a checker that does not check.

use std::time::Duration;

use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::outcome::Evidence;
use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::mesh::{Grid, Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

/// What one checker holds of one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It answers.
    Up,
    /// It does not.
    Down,
    /// Nothing that is fresh.
    None,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    at: Moment,
    state: State,
    /// Results in a row that contradict the state.
    contrary: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Up,
    Down,
}

/// Every checker's memory of every target.
pub(super) struct Checkers {
    cells: Grid<Cell>,
    changes: Changes,
    stale_after: Duration,
    /// Whether a word changed since they were last asked, and until when all that were fresh then are fresh.
    has_news: bool,
    fresh_until: Moment,
    /// The plan of which they were last asked.
    planned: u64,
}

/// How many contrary results in a row change a state.
#[derive(Debug, Clone, Copy)]
pub(super) struct Changes {
    /// From up to down.
    pub down_after: Rounds,
    /// From down to up.
    pub up_after: Rounds,
    /// Whether the first result of all is a state at once; else a target counts as up until it failed often enough.
    pub first_is_state: bool,
}

const UNKNOWN: Cell = Cell { at: Moment::ZERO, state: State::Unknown, contrary: 0 };

impl Checkers {
    pub fn new(setting: &Setting, changes: Changes) -> Self {
        let cells = Mesh::new(setting.fleet.clone()).grid(UNKNOWN);
        let stale_after = setting.policy.stale_after;
        Self { cells, changes, stale_after, has_news: true, fresh_until: Moment::ZERO, planned: 0 }
    }

    pub fn hear(&mut self, mesh: &Mesh, report: &Report) {
        let (changes, stale_after) = (self.changes, self.stale_after);
        let row = self.cells.row_mut(report.witness);
        for (ix, outcome) in &report.outcomes {
            let failed = match outcome.evidence() {
                Evidence::Reached => false,
                Evidence::Failed => true,
                Evidence::Inconclusive => continue,
            };
            if mesh.is_evidence(report.witness, *ix) {
                self.has_news |= row[ix.at()].take(report.observed_at, failed, changes, stale_after);
            }
        }
    }

    pub fn follow(&mut self, new: &Mesh, moves: &Moves) {
        self.cells = self.cells.over(new.size(), moves, UNKNOWN);
    }

    /// Whether nobody's word is another than when they were last asked.
    pub fn are_settled(&self, mesh: &Mesh, at: Moment) -> bool {
        !self.has_news && at <= self.fresh_until && self.planned == mesh.plan.version
    }

    /// They are asked at that moment.
    pub fn settle(&mut self, mesh: &Mesh, at: Moment) {
        let ends = self.cells.iter().map(|cell| cell.at.after(self.stale_after)).filter(|end| *end >= at);
        self.fresh_until = ends.min().unwrap_or(Moment::MAX);
        self.has_news = false;
        self.planned = mesh.plan.version;
    }

    /// What a checker holds of a target that it looks at.
    pub fn word(&self, witness: ServerIx, ix: EntryIx, at: Moment) -> Word {
        self.cells.get(witness, ix).word(self.stale_after, at)
    }

    /// How many checkers say that each target is up, and down.
    pub fn count(&self, mesh: &Mesh, at: Moment) -> Vec<Count> {
        let mut counts = mesh.column(Count::default());
        for witness in mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)) {
            let checks = self.cells.row(witness).iter().zip(mesh.plan.row(witness)).zip(&mut counts);
            for ((cell, _), count) in checks.filter(|((_, is_planned), _)| *is_planned) {
                match cell.word(self.stale_after, at) {
                    Word::Up => count.up += 1,
                    Word::Down => count.down += 1,
                    Word::None => {}
                }
            }
        }
        counts
    }
}

/// How many checkers say what of a target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub up: u32,
    pub down: u32,
}

impl Count {
    pub fn all(self) -> u32 {
        self.up + self.down
    }
}

impl Cell {
    /// Returns whether its word may be another from then on.
    fn take(&mut self, at: Moment, failed: bool, changes: Changes, stale_after: Duration) -> bool {
        let said_nothing = self.word(stale_after, at) == Word::None;
        self.at = self.at.max(at);
        if self.state == State::Unknown {
            self.state = if failed && changes.first_is_state { State::Down } else { State::Up };
            self.contrary = 0;
        }
        if failed == (self.state == State::Down) {
            self.contrary = 0;
            return said_nothing;
        }
        self.contrary = self.contrary.saturating_add(1);
        let (next, needed) = if failed { (State::Down, changes.down_after) } else { (State::Up, changes.up_after) };
        let is_changed = self.contrary >= needed;
        if is_changed {
            (self.state, self.contrary) = (next, 0);
        }
        said_nothing || is_changed
    }

    fn word(&self, stale_after: Duration, at: Moment) -> Word {
        match self.state {
            State::Up if at.since(self.at) <= stale_after => Word::Up,
            State::Down if at.since(self.at) <= stale_after => Word::Down,
            State::Up | State::Down | State::Unknown => Word::None,
        }
    }
}
