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
        Self { cells, changes, stale_after: setting.policy.stale_after }
    }

    pub fn hear(&mut self, mesh: &Mesh, report: &Report) {
        let changes = self.changes;
        let row = self.cells.row_mut(report.witness);
        for (ix, outcome) in &report.outcomes {
            let failed = match outcome.evidence() {
                Evidence::Reached => false,
                Evidence::Failed => true,
                Evidence::Inconclusive => continue,
            };
            if mesh.is_evidence(report.witness, *ix) {
                row[ix.at()].take(report.observed_at, failed, changes);
            }
        }
    }

    pub fn follow(&mut self, new: &Mesh, moves: &Moves) {
        self.cells = self.cells.over(new, moves, UNKNOWN);
    }

    pub fn word(&self, witness: ServerIx, ix: EntryIx, at: Moment) -> Word {
        self.cells.get(witness, ix).word(self.stale_after, at)
    }

    /// How many checkers say that each target is up, and down.
    pub fn count(&self, mesh: &Mesh, at: Moment) -> Vec<Count> {
        let mut counts = mesh.column(Count::default());
        for witness in mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)) {
            for (cell, count) in self.cells.row(witness).iter().zip(&mut counts) {
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
    fn take(&mut self, at: Moment, failed: bool, changes: Changes) {
        self.at = at;
        if self.state == State::Unknown {
            self.state = if failed && changes.first_is_state { State::Down } else { State::Up };
            self.contrary = 0;
        }
        if failed == (self.state == State::Down) {
            self.contrary = 0;
            return;
        }
        self.contrary = self.contrary.saturating_add(1);
        let (next, needed) = if failed { (State::Down, changes.down_after) } else { (State::Up, changes.up_after) };
        if self.contrary >= needed {
            (self.state, self.contrary) = (next, 0);
        }
    }

    fn word(self, stale_after: Duration, at: Moment) -> Word {
        match self.state {
            State::Up | State::Down if at.since(self.at) > stale_after => Word::None,
            State::Up => Word::Up,
            State::Down => Word::Down,
            State::Unknown => Word::None,
        }
    }
}
