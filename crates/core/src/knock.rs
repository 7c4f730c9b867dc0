//! R1, R2 · Knocks: which outcomes of a report are evidence, and on what.
//!
//! Nobody's word on his own door counts, nor a word on a house that is closed. What is inconclusive says nothing at all.

use alloc::vec::Vec;

use crate::fleet::{Aim, EntryIx, Fleet, Intent, ServerIx};
use crate::lane::Lane;
use crate::outcome::Evidence;
use crate::report::Report;

/// One outcome that is evidence.
pub(crate) struct Knock {
    pub entry_point: EntryIx,
    /// Whose it is.
    pub target: ServerIx,
    pub lane: Lane,
    /// For the target; else against it.
    pub reached: bool,
}

/// R1, R2: without what is inconclusive, the witness's own entry points and those of disabled servers; none at all of a
/// disabled witness.
pub(crate) fn counted(fleet: &Fleet, report: &Report) -> Vec<Knock> {
    if fleet.server(report.witness).intent == Intent::Disabled {
        return Vec::new();
    }
    let mut knocks = Vec::with_capacity(report.outcomes.len());
    for (entry_point, outcome) in &report.outcomes {
        let Aim { server: target, lane, is_disabled } = fleet.aim(*entry_point);
        let reached = match outcome.evidence() {
            Evidence::Reached => true,
            Evidence::Failed => false,
            Evidence::Inconclusive => continue,
        };
        if target != report.witness && !is_disabled {
            knocks.push(Knock { entry_point: *entry_point, target, lane, reached });
        }
    }
    knocks
}
