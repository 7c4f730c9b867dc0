//! R13 · Chains: an entry point that forwards to other servers is of use only while one of them can be reached.

use alloc::vec;
use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, Intent, ServerIx};
use crate::presence::Presence;
use crate::tally::Tally;
use crate::verifier::Blindness;

/// Which entry points are cut off, by index. `lost` tells which servers are unreachable as a whole (R11).
pub(crate) fn cut_off(
    fleet: &Fleet,
    presence: &[Presence],
    tallies: &[Tally],
    blindness: &Blindness,
    lost: &[bool],
) -> Vec<bool> {
    let mut cut_off = vec![false; fleet.entry_points().len()];
    for server in fleet.upstreams_first() {
        for ix in &fleet.server(*server).entry_points {
            let upstreams = &fleet.entry_point(*ix).upstreams;
            let is_dead = |upstream: &ServerIx| {
                let up = fleet.server(*upstream);
                up.intent == Intent::Disabled
                    || presence[upstream.at()].down
                    || blindness.cannot_see(*server, *upstream)
                    || lost[upstream.at()] && !sees_any(tallies, &up.entry_points, *server)
                    || up.entry_points.iter().all(|own| cut_off[own.at()])
            };
            let dead = !upstreams.is_empty() && upstreams.iter().all(is_dead);
            cut_off[ix.at()] = dead && fleet.server(*server).intent != Intent::Disabled;
        }
    }
    cut_off
}

fn sees_any(tallies: &[Tally], entry_points: &[EntryIx], witness: ServerIx) -> bool {
    entry_points.iter().any(|ix| tallies[ix.at()].vouches(witness))
}

#[cfg(test)]
mod tests;
