//! Who looks at whom, as the reports show it: no rival is told the plan, and a mesh of many servers is not full.
//!
//! A witness looks at what its last round lists, with whatever outcome. What it looked at before and does not list any more is
//! no check that has gone quiet but none at all, as if somebody had taken it off the list of a monitor.

use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::report::Report;

use super::mesh::{Grid, Moves, Size};

/// The checks that are made.
pub(super) struct Plan {
    /// The round of the witness that listed it last; 0 if none did.
    listed_in: Grid<u32>,
    /// By server: its rounds so far, and how much the last one listed.
    rounds: Vec<(u32, usize)>,
    /// Grows whenever somebody looks at something else than before.
    pub version: u64,
}

impl Plan {
    pub fn new(size: Size) -> Self {
        Self { listed_in: Grid::new(size, 0), rounds: vec![(0, 0); size.servers], version: 0 }
    }

    /// Whether the witness looks at the entry point.
    pub fn looks(&self, witness: ServerIx, ix: EntryIx) -> bool {
        let round = self.rounds[witness.at()].0;
        round > 0 && *self.listed_in.get(witness, ix) == round
    }

    /// The same of all entry points, by index.
    pub fn row(&self, witness: ServerIx) -> impl Iterator<Item = bool> + '_ {
        let round = self.rounds[witness.at()].0;
        self.listed_in.row(witness).iter().map(move |listed| round > 0 && *listed == round)
    }

    /// Takes a report's list; one that lists nothing is a word of its server on itself, and no round.
    pub fn take(&mut self, report: &Report) {
        if report.outcomes.is_empty() {
            return;
        }
        let (before, count) = self.rounds[report.witness.at()];
        let row = self.listed_in.row_mut(report.witness);
        let mut is_same = count == report.outcomes.len();
        for (ix, _) in &report.outcomes {
            let listed = std::mem::replace(&mut row[ix.at()], before + 1);
            is_same &= listed == before;
        }
        self.rounds[report.witness.at()] = (before + 1, report.outcomes.len());
        self.version += u64::from(!is_same);
    }

    pub fn over(&self, size: Size, moves: &Moves) -> Self {
        Self {
            listed_in: self.listed_in.over(size, moves, 0),
            rounds: moves.move_servers(&self.rounds, vec![(0, 0); size.servers]),
            version: self.version + 1,
        }
    }
}
