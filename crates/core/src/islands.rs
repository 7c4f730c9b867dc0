//! Islands: groups of servers that see each other, and nobody of another group.
//!
//! The everyday picture: the bridge is down, and each bank says that the other one is gone. The quorum cannot tell which bank
//! is right, and where each has lost half of the fleet R3 believes neither; that there are two banks is plain all the same.
//!
//! Two servers are *linked* if one sees the other and neither has lost the other ([`crate::mesh`]): they see each other both
//! ways, as far as both were asked. Where only one of them probes the other, as in a planned mesh, its word is all there is,
//! and a handshake has gone both ways; a failure that is not sustained contradicts nobody. A link outlives its last success
//! by `stale_after`, so that a bad round makes no island. The connected groups of at least two are the banks. Two of
//! them between which nobody has lost anybody are taken as one: that nobody looked is no split. Islands are told if two or
//! more are left; a server on its own is no island, its status says what it is.
//!
//! A verdict that is held says "lost", since R14 keeps it for the same reason. Silent and disabled servers are left out: what
//! the former see is not known, and what is seen of them is told by their status. A server that is down by its own word
//! belongs to where it stands.
//!
//! Refuses to know: who is right, and why. It accuses nobody and changes no verdict.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cmp::Reverse;

use petgraph::unionfind::UnionFind;

use crate::fleet::{Fleet, Intent, ServerIx};
use crate::mesh::{Mesh, Says};
use crate::verdict::Verdicts;

/// The islands, largest first, each ascending; none, or at least two.
pub fn islands(fleet: &Fleet, verdicts: &Verdicts) -> Vec<Vec<ServerIx>> {
    of_mesh(fleet, verdicts, &Mesh::read(fleet, verdicts))
}

/// The same, where the mesh was read already.
pub(crate) fn of_mesh(fleet: &Fleet, verdicts: &Verdicts, mesh: &Mesh) -> Vec<Vec<ServerIx>> {
    let is_there = |ix: ServerIx| fleet.server(ix).intent != Intent::Disabled && !verdicts.servers[ix.at()].silent;
    let mut banks = banks(mesh, fleet.server_ixs().filter(|ix| is_there(*ix)).collect());
    if banks.len() > 1 {
        banks = joined_where_nothing_is_lost(mesh, &banks, fleet.servers().len());
    }
    if banks.len() < 2 {
        return Vec::new();
    }
    for bank in &mut banks {
        bank.sort_unstable();
    }
    banks.sort_by_key(|bank| (Reverse(bank.len()), bank[0]));
    banks
}

/// The connected groups of at least two.
fn banks(mesh: &Mesh, there: Vec<ServerIx>) -> Vec<Vec<ServerIx>> {
    let count = mesh.seen_by.len();
    let mut groups = UnionFind::<u32>::new(count);
    let is_there = |ix: ServerIx| there.binary_search(&ix).is_ok();
    for target in &there {
        for witness in mesh.seen_by[target.at()].iter().filter(|witness| is_there(**witness)) {
            // In a mesh that is well, all but the first few pairs are within one group already.
            if !groups.equiv(witness.0, target.0) && mesh.says(*target, *witness) != Says::Lost {
                groups.union(witness.0, target.0);
            }
        }
    }
    let mut members: Vec<Vec<ServerIx>> = alloc::vec![Vec::new(); count];
    for ix in there {
        members[groups.find_mut(ix.0) as usize].push(ix);
    }
    members.retain(|group| group.len() > 1);
    members
}

/// Joins banks between which nobody has lost anybody.
fn joined_where_nothing_is_lost(mesh: &Mesh, banks: &[Vec<ServerIx>], servers: usize) -> Vec<Vec<ServerIx>> {
    let mut bank_of: Vec<Option<usize>> = alloc::vec![None; servers];
    for (nth, bank) in banks.iter().enumerate() {
        for ix in bank {
            bank_of[ix.at()] = Some(nth);
        }
    }
    let mut apart: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (target, lost_to) in bank_of.iter().zip(&mesh.lost_to) {
        for witness in lost_to {
            if let (Some(a), Some(b)) = (bank_of[witness.at()], *target) {
                apart.insert((a.min(b), a.max(b)));
            }
        }
    }
    let mut rest: Vec<usize> = (0..banks.len()).collect();
    let mut islands = Vec::new();
    while let Some(first) = rest.pop() {
        let mut island = alloc::vec![first];
        let mut nth = 0;
        while let Some(bank) = island.get(nth).copied() {
            let (others, joined) =
                rest.iter().partition(|other| apart.contains(&(bank.min(**other), bank.max(**other))));
            rest = others;
            island.extend::<Vec<usize>>(joined);
            nth += 1;
        }
        islands.push(island.into_iter().flat_map(|bank| banks[bank].iter().copied()).collect());
    }
    islands
}

#[cfg(test)]
mod tests;
