//! R10 · Broken pair: one server cannot see another, and nobody can tell whose fault it is. It is said; nobody is hidden.
//!
//! A witness that misses too many at once is said once, about the witness, instead of as many marks.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::policy::Policy;
use crate::presence::Presence;
use crate::tally::Tally;
use crate::verdict::{Accord, EntryVerdict, HalfBlind, Mark};
use crate::verifier::Blindness;

/// The half-blind witnesses, by server index. `lost` tells which servers are unreachable as a whole (R11).
pub(crate) fn half_blind(
    fleet: &Fleet,
    policy: &Policy,
    presence: &[Presence],
    tallies: &[Tally],
    blindness: &Blindness,
    lost: &[bool],
) -> Vec<Option<HalfBlind>> {
    let is_judged = |witness: ServerIx, target: ServerIx| {
        let there = &presence[target.at()];
        fleet.server(target).intent != Intent::Disabled
            && !there.silent
            && !there.down
            && !lost[target.at()]
            && !blindness.is_void(fleet, witness, target)
    };
    let mut unseen: BTreeMap<ServerIx, Vec<ServerIx>> = BTreeMap::new();
    for (witness, target) in blindness.iter().filter(|(witness, target)| is_judged(*witness, *target)) {
        unseen.entry(witness).or_default().push(target);
    }
    unseen.retain(|_, targets| targets.len() >= 3);
    let mut found: Vec<Option<HalfBlind>> = vec![None; fleet.servers().len()];
    if unseen.is_empty() {
        return found;
    }
    let mut judged = vec![0_u32; fleet.servers().len()];
    for target in fleet.server_ixs() {
        for witness in speakers(fleet, tallies, target) {
            judged[witness.at()] += u32::from(is_judged(witness, target));
        }
    }
    for (witness, unseen) in unseen {
        let judged = judged[witness.at()];
        if policy.half_blind_share.is_below(unseen.len(), judged as usize) {
            found[witness.at()] = Some(HalfBlind { unseen, judged });
        }
    }
    found
}

/// Everybody who accuses one of the target's entry points or vouches for one, each once.
fn speakers(fleet: &Fleet, tallies: &[Tally], target: ServerIx) -> Vec<ServerIx> {
    let words = fleet.server(target).entry_points.iter().flat_map(|ix| {
        let tally = &tallies[ix.at()];
        tally.accusers.iter().map(|accuser| accuser.witness).chain(tally.vouchers.iter())
    });
    let mut speakers: Vec<ServerIx> = words.collect();
    speakers.sort_unstable();
    speakers.dedup();
    speakers
}

/// The marks on one entry point. `blamed` tells which servers have an entry point that is unreachable or blocked.
pub(crate) fn marks(
    fleet: &Fleet,
    ix: EntryIx,
    verdict: &EntryVerdict,
    blindness: &Blindness,
    blamed: &[bool],
    half_blind: &[Option<HalfBlind>],
) -> Vec<Mark> {
    let decided = verdict.down
        || !verdict.unreachable.is_empty()
        || !verdict.blocked.is_empty()
        || verdict.accord == Accord::Contested;
    if decided {
        return Vec::new();
    }
    let target = fleet.entry_point(ix).server;
    let means_something = |witness: ServerIx| {
        let ordinary_against_verifier = fleet.server(target).verifier && !fleet.server(witness).verifier;
        !blamed[witness.at()] && half_blind[witness.at()].is_none() && !ordinary_against_verifier
    };
    let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
    accusers
        .filter(|witness| means_something(*witness))
        .map(|witness| Mark { witness, mutual: blindness.cannot_see(target, witness) })
        .collect()
}

#[cfg(test)]
mod tests;
