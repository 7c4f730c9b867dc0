//! R3 · Unreliable witness: whether a witness saw enough of its living neighbours to be believed when it says "failed".
//!
//! The everyday picture: somebody who finds every door of the street locked is probably trying the wrong key. Doors of
//! houses known to be empty do not count, neither way.

use alloc::vec::Vec;

use crate::fleet::ServerIx;
use crate::knock::Knock;
use crate::lane::Lane;
use crate::ledger::{LaneRound, Ledger, Sight};
use crate::policy::Policy;
use crate::time::Moment;

/// The witness's round at `at`, lane by lane.
pub(crate) fn judge(policy: &Policy, ledger: &Ledger, at: Moment, knocks: &[Knock]) -> [LaneRound; Lane::COUNT] {
    // Heard of lately, and not down by its own word: who says that it is down is so at least as long as that is news.
    let alive_since = at.before(policy.stale_after);
    let is_alive = |target: ServerIx| ledger.well_at[target.at()].is_some_and(|last| last >= alive_since);
    let mut looks: [Look; Lane::COUNT] = Default::default();
    for Knock { target, lane, reached, .. } in knocks {
        if is_alive(*target) {
            looks[lane.index()].count(*target, *reached);
        }
    }
    Lane::ALL.map(|lane| {
        let neighbours = || {
            let there = knocks.iter().filter(|knock| knock.lane == lane && is_alive(knock.target));
            neighbours(there.map(|knock| (knock.target, knock.reached)).collect())
        };
        let mut look = looks[lane.index()];
        if look.is_out_of_order {
            look = Look::default();
            for (target, seen) in neighbours() {
                look.count(target, seen);
            }
        }
        let Look { sight, .. } = look;
        let (count, seen) = (sight.neighbours as usize, sight.seen as usize);
        let discredited = count >= 2 && policy.witness_floor.is_above(seen, count);
        if !discredited {
            return LaneRound { sight, ..LaneRound::default() };
        }
        let neighbours = neighbours();
        LaneRound {
            sight,
            discredited,
            neighbours: neighbours.iter().map(|(target, _)| *target).collect(),
            unseen: neighbours.iter().filter(|(_, seen)| !seen).map(|(target, _)| *target).collect(),
        }
    })
}

/// Counts neighbours as they come. Several entry points of one are one neighbour, seen if any of them is: they mostly come
/// one after the other, and all in the order of servers.
#[derive(Clone, Copy, Default)]
struct Look {
    sight: Sight,
    last: Option<(ServerIx, bool)>,
    /// They do not; what was counted means nothing.
    is_out_of_order: bool,
}

impl Look {
    fn count(&mut self, target: ServerIx, reached: bool) {
        let (again, was_seen) = match self.last {
            Some((last, seen)) => {
                self.is_out_of_order |= target < last;
                (target == last, target == last && seen)
            }
            None => (false, false),
        };
        self.sight.neighbours += u32::from(!again);
        self.sight.seen += u32::from(reached && !was_seen);
        self.last = Some((target, reached || was_seen));
    }
}

/// Each neighbour once, ascending, and whether any of its entry points was reached.
fn neighbours(mut looked: Vec<(ServerIx, bool)>) -> Vec<(ServerIx, bool)> {
    // The best of one target's comes first.
    looked.sort_unstable_by_key(|(target, reached)| (*target, !reached));
    looked.dedup_by_key(|(target, _)| *target);
    looked
}

#[cfg(test)]
mod tests;
