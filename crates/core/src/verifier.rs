//! R9 · Verifier: a server whose word on a single pair the operator trusts.
//!
//! Without a verifier a single broken pair blames nobody: it does not say whose address is blocked.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::tally::Tally;

/// All pairs (a, b) in which server a cannot see server b.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Blindness(BTreeSet<(ServerIx, ServerIx)>);

impl Blindness {
    /// Reads it off the tallies: a accuses one of b's entry points and vouches for none.
    pub fn read(fleet: &Fleet, tallies: &[Tally]) -> Self {
        let mut pairs = BTreeSet::new();
        for ix in fleet.entry_ixs() {
            let target = fleet.entry_point(ix).server;
            for accuser in &tallies[ix.at()].accusers {
                let pair = (accuser.witness, target);
                let sees_one = |own: &EntryIx| tallies[own.at()].vouches(accuser.witness);
                if !pairs.contains(&pair) && !fleet.server(target).entry_points.iter().any(sees_one) {
                    pairs.insert(pair);
                }
            }
        }
        Self(pairs)
    }

    /// Whether `a` cannot see `b`.
    pub fn cannot_see(&self, a: ServerIx, b: ServerIx) -> bool {
        self.0.contains(&(a, b))
    }

    /// All (a, b), in order.
    pub fn iter(&self) -> impl Iterator<Item = (ServerIx, ServerIx)> + '_ {
        self.0.iter().copied()
    }

    /// R9: the vote of ordinary `witness` against verifier `target` is void if that verifier cannot see it.
    pub fn is_void(&self, fleet: &Fleet, witness: ServerIx, target: ServerIx) -> bool {
        fleet.server(target).verifier && !fleet.server(witness).verifier && self.cannot_see(target, witness)
    }
}

/// The verifiers whose word makes an entry point of an ordinary server blocked.
pub(crate) fn blockers(fleet: &Fleet, tally: &Tally, ix: EntryIx) -> Vec<ServerIx> {
    if fleet.owner(ix).verifier {
        return Vec::new();
    }
    let accusers = tally.accusers.iter().map(|accuser| accuser.witness);
    accusers.filter(|witness| fleet.server(*witness).verifier && !is_contradicted(fleet, tally, *witness)).collect()
}

/// Whether another verifier of the same country (or both have none) vouches.
pub(crate) fn is_contradicted(fleet: &Fleet, tally: &Tally, verifier: ServerIx) -> bool {
    tally.vouchers.iter().any(|voucher| {
        let other = fleet.server(voucher);
        voucher != verifier && other.verifier && other.country == fleet.server(verifier).country
    })
}

#[cfg(test)]
mod tests;
