//! Who sees whom at this moment: every pair of an evaluation in one word, for whoever looks at the mesh as a whole.
//!
//! A verdict asks whose word counts; a picture asks what everybody says. So a witness that is not believed (R3) and a void
//! vote (R9) speak here as well. Nothing in this module, and nothing that reads it, decides a verdict.
//!
//! A server *sees* another while it sees one of its entry points (R5). It has *lost* it if it sees none of them and says of
//! one that it does not answer: by a full series of failures, fresh or held (R14), or by a round that was not believed. All
//! else is *nothing*: not probed, not tried again, or failing for too short a time, since one failed knock means nothing.

use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::verdict::{EntryVerdict, Verdicts};

/// What one server says of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// It sees one of its entry points.
    Sees,
    /// It sees none, and one does not answer.
    Lost,
    /// Nothing that counts.
    Nothing,
}

/// All pairs of servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mesh {
    /// By target: who sees it, ascending.
    pub seen_by: Vec<Vec<ServerIx>>,
    /// By target: who has lost it, ascending.
    pub lost_to: Vec<Vec<ServerIx>>,
}

impl Mesh {
    /// Reads it off an evaluation.
    pub fn read(fleet: &Fleet, verdicts: &Verdicts) -> Self {
        let (mut seen_by, mut lost_to) = (Vec::new(), Vec::new());
        for target in fleet.servers() {
            let own = || target.entry_points.iter().map(|ix| (*ix, &verdicts.entry_points[ix.at()]));
            let seen = ascending(own().flat_map(|(_, verdict)| verdict.vouchers.iter()).collect());
            let mut lost = ascending(own().flat_map(|(ix, verdict)| failing(fleet, ix, verdict)).collect());
            lost.retain(|witness| seen.binary_search(witness).is_err());
            seen_by.push(seen);
            lost_to.push(lost);
        }
        Self { seen_by, lost_to }
    }

    /// What `witness` says of `target`.
    pub fn says(&self, witness: ServerIx, target: ServerIx) -> Says {
        if self.seen_by[target.at()].binary_search(&witness).is_ok() {
            Says::Sees
        } else if self.lost_to[target.at()].binary_search(&witness).is_ok() {
            Says::Lost
        } else {
            Says::Nothing
        }
    }
}

/// Whose knocks on an entry point fail, ascending: the red cells of its column. Whoever sees it is not among them, nor is
/// its own server, nor one that is disabled.
pub(crate) fn failing(fleet: &Fleet, ix: EntryIx, verdict: &EntryVerdict) -> Vec<ServerIx> {
    let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
    let others = [&verdict.void, &verdict.discarded, &verdict.disbelieved, &verdict.held];
    let all = accusers.chain(others.into_iter().flatten().copied());
    let mut found = ascending(all.collect());
    found.retain(|witness| {
        *witness != fleet.entry_point(ix).server
            && fleet.server(*witness).intent != Intent::Disabled
            && !verdict.vouchers.contains(*witness)
    });
    found
}

fn ascending(mut servers: Vec<ServerIx>) -> Vec<ServerIx> {
    servers.sort_unstable();
    servers.dedup();
    servers
}
