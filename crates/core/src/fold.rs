//! R2, R3, R4 · Folding one report into the ledger.
//!
//! A fold cannot fail: what could be wrong with a report was refused before it got here. It never looks at other reports,
//! so the same reports in the same order give the same ledger on every machine.

use crate::fleet::Fleet;
use crate::knock::{self, Knock};
use crate::lane::Lane;
use crate::ledger::Ledger;
use crate::policy::Policy;
use crate::report::Report;
use crate::streak::Pair;
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
        let knocks = knock::counted(fleet, report);
        let round = witness::judge(policy, self, report.observed_at, &knocks);
        let believed = Lane::ALL.map(|lane| !round[lane.index()].discredited);
        self.count(policy, report, knocks.iter().filter(|knock| knock.reached || believed[knock.lane.index()]));
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
        self.note_health(report.witness);
    }

    /// R4, for every pair.
    fn count<'a>(&mut self, policy: &Policy, report: &Report, knocks: impl Iterator<Item = &'a Knock>) {
        let at = report.observed_at;
        let row = &mut self.rows[report.witness.at()];
        row.expect(report.outcomes.len());
        // A success that follows a success which still counted at the last evaluation says nothing new; one that was
        // observed before it shortens the time for which the pair counts.
        let still_counted = at.max(self.evaluated_at).before(policy.stale_after)..=at;
        // A round comes in the order of the one before, mostly: where a pair was found, the next one follows.
        let mut next = 0;
        for Knock { entry_point, reached, .. } in knocks {
            let found = row.find(*entry_point, next);
            next = found.unwrap_or_else(|place| place) + 1;
            let succeeded_at = found.ok().and_then(|place| row.succeeded_at(place));
            if let (Ok(place), Some(before), true) = (found, succeeded_at, *reached) {
                row.succeed_again(place, at);
                if still_counted.contains(&before) {
                    continue;
                }
            } else {
                let before = found.map_or(Pair::UNKNOWN, |place| row.at(place));
                let after = if *reached { before.reached(at) } else { before.failed(at, policy) };
                match found {
                    Ok(place) => row.replace(place, after),
                    Err(place) => row.insert(place, *entry_point, after),
                }
            }
            self.touched[entry_point.at()] = true;
        }
    }
}

#[cfg(test)]
mod tests;
