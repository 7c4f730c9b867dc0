//! What every detector is to the scoreboard: it takes the steps of a tape, and says which entry points it takes away.

use std::collections::BTreeSet;

use quorate_core::fleet::EntryIx;
use quorate_core::time::Moment;

use crate::tape::Step;

/// A detector that is fed from a tape, one step after another.
pub trait Detector {
    /// How it is called in the table.
    fn name(&self) -> &str;
    /// Takes a step; after [`Step::Judge`] its findings are as of that moment.
    fn take(&mut self, at: Moment, step: &Step);
    /// What it found at the last [`Step::Judge`].
    fn findings(&self) -> &Findings;
}

/// What a detector holds at a moment. Indices are those of the fleet in force then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Taken away: not delivered to users, by the verdict alone.
    pub removed: BTreeSet<EntryIx>,
    /// Doubted aloud, and left in: Quorate's `contested` and `pair_broken`, a problem of a site that MaDDash reports without
    /// saying that it cannot be reached; empty for who has no such word.
    pub doubted: BTreeSet<EntryIx>,
    /// Delivered on each route, by route index, once what balances has had its say: for who has no balancing, what was not
    /// removed, or what the detector's own floor gives.
    pub delivered: Vec<Vec<EntryIx>>,
}
