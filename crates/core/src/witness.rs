//! R3 · Unreliable witness: whether a witness saw enough of its living neighbours to be believed when it says "failed".
//!
//! The everyday picture: somebody who finds every door of the street locked is probably trying the wrong key. Doors of
//! houses known to be empty do not count, neither way.

use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::lane::Lane;
use crate::ledger::{LaneRound, Ledger, ServerState, Sight};
use crate::outcome::{Evidence, Outcome};
use crate::policy::Policy;
use crate::time::Moment;

/// The witness's round at `at`, lane by lane; `outcomes` are those that count (R2).
pub(crate) fn judge(
    fleet: &Fleet,
    policy: &Policy,
    ledger: &Ledger,
    at: Moment,
    outcomes: &[(EntryIx, Outcome)],
) -> [LaneRound; Lane::COUNT] {
    Lane::ALL.map(|lane| {
        let mut looked: Vec<(ServerIx, bool)> = outcomes
            .iter()
            .filter(|(entry_point, _)| fleet.entry_point(*entry_point).lane == lane)
            .filter_map(|(entry_point, outcome)| {
                let target = fleet.entry_point(*entry_point).server;
                match outcome.evidence() {
                    Evidence::Reached => Some((target, true)),
                    Evidence::Failed => Some((target, false)),
                    Evidence::Inconclusive => None,
                }
            })
            .filter(|(target, _)| is_alive(policy, ledger.server(*target), at))
            .collect();
        looked.sort_unstable();
        lane_round(policy, &looked)
    })
}

/// Alive by what was folded before: heard of lately, and not down by its own word.
fn is_alive(policy: &Policy, state: &ServerState, at: Moment) -> bool {
    let heard_lately = state.last_report_at.is_some_and(|last| at.since(last) <= policy.stale_after);
    heard_lately && !state.is_down(policy, at)
}

/// `looked` is sorted by target; several entry points of one target make several rows.
fn lane_round(policy: &Policy, looked: &[(ServerIx, bool)]) -> LaneRound {
    let neighbours: Vec<(ServerIx, bool)> = looked
        .chunk_by(|(a, _), (b, _)| a == b)
        .map(|rows| (rows[0].0, rows.iter().any(|(_, reached)| *reached)))
        .collect();
    let seen = neighbours.iter().filter(|(_, seen)| *seen).count();
    let discredited = neighbours.len() >= 2 && policy.witness_floor.is_above(seen, neighbours.len());
    let sight = Sight { neighbours: neighbours.len() as u32, seen: seen as u32 };
    if !discredited {
        return LaneRound { sight, ..LaneRound::default() };
    }
    LaneRound {
        sight,
        discredited,
        neighbours: neighbours.iter().map(|(target, _)| *target).collect(),
        unseen: neighbours.iter().filter(|(_, seen)| !seen).map(|(target, _)| *target).collect(),
    }
}

#[cfg(test)]
mod tests;
