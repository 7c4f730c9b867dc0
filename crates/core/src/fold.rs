//! R2, R3, R4 · Folding one report into the ledger.
//!
//! A fold cannot fail: what could be wrong with a report was refused before it got here. It never looks at other reports,
//! so the same reports in the same order give the same ledger on every machine.

use crate::fleet::{EntryIx, Fleet, Intent};
use crate::ledger::Ledger;
use crate::outcome::{Evidence, Outcome};
use crate::policy::Policy;
use crate::report::Report;
use crate::streak::Pair;
use crate::time::Moment;
use crate::witness;

/// What a fold did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// R2: a repeated or older report; nothing changed.
    Repeated,
    /// The report counts.
    Counted,
}

impl Ledger {
    /// Folds one report of a round. `fleet` is the one that this ledger is over.
    pub fn fold(&mut self, fleet: &Fleet, policy: &Policy, report: &Report) -> Folded {
        if self.is_repeated(report) {
            return Folded::Repeated;
        }
        let counted = counted_outcomes(fleet, report);
        let round = witness::judge(fleet, policy, self, report.observed_at, &counted);
        for (entry_point, outcome) in &counted {
            let lane = fleet.entry_point(*entry_point).lane;
            let credible = !round[lane.index()].discredited;
            self.count(policy, report, *entry_point, outcome.evidence(), credible);
        }
        self.hear(report);
        let state = &mut self.servers[report.witness.at()];
        self.rounds_touched |= state.round != round;
        state.round = round;
        Folded::Counted
    }

    /// Folds a report that carries a self-check alone, sent while a long round goes on: its outcomes are not looked at, and
    /// the last round stands.
    pub fn fold_heartbeat(&mut self, report: &Report) -> Folded {
        if self.is_repeated(report) {
            return Folded::Repeated;
        }
        self.hear(report);
        Folded::Counted
    }

    /// R2.
    fn is_repeated(&self, report: &Report) -> bool {
        match (&report.sequence, &self.servers[report.witness.at()].sequence) {
            (Some(new), Some(old)) => new.outbox == old.outbox && new.number <= old.number,
            _ => false,
        }
    }

    fn hear(&mut self, report: &Report) {
        let state = &mut self.servers[report.witness.at()];
        self.rounds_touched |= state.health != report.health;
        state.last_report_at = Some(report.observed_at);
        state.health = report.health;
        if report.sequence.is_some() {
            state.sequence.clone_from(&report.sequence);
        }
    }

    /// R4, for one pair.
    fn count(&mut self, policy: &Policy, report: &Report, entry_point: EntryIx, evidence: Evidence, credible: bool) {
        let at = report.observed_at;
        let step: fn(Pair, Moment, &Policy) -> Pair = match evidence {
            Evidence::Reached => |pair, at, _| pair.reached(at),
            Evidence::Failed if credible => Pair::failed,
            Evidence::Failed | Evidence::Inconclusive => return,
        };
        let evaluated_at = self.evaluated_at;
        let column = &mut self.columns[entry_point.at()];
        let pair = column.pair_mut(report.witness);
        let before = *pair;
        *pair = step(before, at, policy);
        // A success that follows a success which still counted at the last evaluation says nothing new; one that was
        // observed before it shortens the time for which the pair counts.
        let nothing_new = pair.streak() == 0
            && before.streak() == 0
            && before.is_within(policy.stale_after, at.max(evaluated_at))
            && before.last_evidence_at() <= Some(at);
        column.touched |= !nothing_new;
    }
}

/// R2: without the witness's own entry points and those of disabled servers; none at all of a disabled witness.
fn counted_outcomes(fleet: &Fleet, report: &Report) -> alloc::vec::Vec<(EntryIx, Outcome)> {
    if fleet.server(report.witness).intent == Intent::Disabled {
        return alloc::vec::Vec::new();
    }
    let counts = |entry_point: EntryIx| {
        let target = fleet.entry_point(entry_point).server;
        target != report.witness && fleet.server(target).intent != Intent::Disabled
    };
    report.outcomes.iter().copied().filter(|(entry_point, _)| counts(*entry_point)).collect()
}

#[cfg(test)]
mod tests;
