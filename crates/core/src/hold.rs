//! R14 · Healing and holding: a verdict is lifted by evidence, not by silence.
//!
//! The everyday picture: a road closed by two wardens stays closed while they are at lunch, but not for ever, and it opens
//! at once when somebody drives through.

use alloc::vec::Vec;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::ledger::Standing;
use crate::quorum::Case;
use crate::tally::Tally;
use crate::verdict::{Accord, CountryCut, Scope, Scopes};
use crate::verifier::{self, Blindness};

/// What holds on one entry point and what is to be remembered of it.
pub(crate) struct Held {
    /// Shown as unreachable in these scopes.
    pub unreachable: Scopes,
    /// Shown as blocked in these scopes.
    pub blocked: Scopes,
    /// By these verifiers.
    pub blocked_by: Vec<ServerIx>,
    /// For the next evaluation.
    pub standing: Standing,
}

/// The witnesses with a held pair on an entry point.
pub(crate) fn held_pairs(
    fleet: &Fleet,
    tally: &Tally,
    blindness: &Blindness,
    cuts: &[CountryCut],
    ix: EntryIx,
) -> Vec<ServerIx> {
    let (lane, target) = (fleet.entry_point(ix).lane, fleet.entry_point(ix).server);
    let behind_a_cut = |witness: ServerIx| {
        cuts.iter().any(|cut| {
            cut.lane == lane
                && cut.witnesses.binary_search(&witness).is_ok()
                && cut.targets.binary_search(&target).is_ok()
        })
    };
    tally
        .lapsed
        .iter()
        .filter(|lapsed| lapsed.within_hold || behind_a_cut(lapsed.witness))
        .map(|lapsed| lapsed.witness)
        .filter(|witness| !blindness.is_void(fleet, *witness, target))
        .collect()
}

/// What was found of one entry point at this evaluation, and what stood at the last one.
pub(crate) struct Finding<'a> {
    /// Its server is down.
    pub down: bool,
    /// How R8 decided.
    pub accord: Accord,
    /// The valid accusers.
    pub accusers: &'a [ServerIx],
    /// The scopes in which they make it quorate.
    pub quorate: &'a Scopes,
    /// The witnesses of [`held_pairs`].
    pub held: &'a [ServerIx],
    /// What stood at the last evaluation.
    pub stood: &'a Standing,
}

/// Decides what is shown and what is remembered of one entry point.
pub(crate) fn hold(case: &Case<'_>, ix: EntryIx, finding: &Finding<'_>) -> Held {
    let Finding { down, accord, accusers, quorate, held, stood } = *finding;
    if down {
        let standing = stood.clone();
        return Held { unreachable: Scopes::new(), blocked: Scopes::new(), blocked_by: Vec::new(), standing };
    }
    let together = merged(accusers, held);
    let still = || stood.unreachable.iter().copied().filter(|scope| case.is_quorate_in(*scope, &together));
    let (unreachable, remembered): (Scopes, Scopes) = match accord {
        Accord::None => (still().collect(), still().collect()),
        Accord::Outside | Accord::Coherent => {
            let scopes: Scopes = quorate.iter().copied().chain(still()).collect();
            (scopes.clone(), scopes)
        }
        Accord::Explained | Accord::Contested => (Scopes::new(), stood.unreachable.clone()),
    };
    let blocked_by = blocked_by(case, ix, held, stood);
    let blocked: Scopes = blocked_by.iter().map(|verifier| Scope::of(case.fleet.server(*verifier).country)).collect();
    let standing = Standing { unreachable: remembered, blocked: blocked.clone() };
    Held { unreachable, blocked, blocked_by, standing }
}

/// The verifiers whose word makes it blocked, and those whose held pair keeps it so, in the order of servers.
fn blocked_by(case: &Case<'_>, ix: EntryIx, held: &[ServerIx], stood: &Standing) -> Vec<ServerIx> {
    let (fleet, tally) = (case.fleet, case.tally);
    let speaking = verifier::blockers(fleet, tally, ix);
    if fleet.owner(ix).verifier || stood.blocked.is_empty() {
        return speaking;
    }
    let holding: Vec<ServerIx> = held
        .iter()
        .copied()
        .filter(|witness| {
            let server = fleet.server(*witness);
            server.verifier
                && stood.blocked.contains(&Scope::of(server.country))
                && !verifier::is_contradicted(fleet, tally, *witness)
        })
        .collect();
    merged(&speaking, &holding)
}

/// Two ascending lists as one.
fn merged(a: &[ServerIx], b: &[ServerIx]) -> Vec<ServerIx> {
    let mut all: Vec<ServerIx> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests;
