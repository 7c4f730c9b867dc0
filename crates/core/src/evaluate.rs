//! One evaluation: from the ledger and a moment to all verdicts.
//!
//! Evaluation is level-triggered: every verdict is derived afresh, and so heals by itself; the one memory is which verdicts
//! stand (R14). The order of the steps is the order in which the rules need each other:
//!
//! ```text
//! presence (R6) → tallies (R5, R7) → blindness, void votes (R9) → quorum (R7, R8) → cuts (R12) → hold (R9, R14)
//!   → half-blind, marks (R10) → chains (R13) → status (R11)
//! ```
//!
//! An [`Evaluator`] keeps the tallies from one pass to the next and recomputes only those that a report or the time has
//! touched; it always answers as a fresh one would. Keep one for each ledger, and a new one for each new fleet or policy.

use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{EntryIx, Fleet, ServerIx};
use crate::hold::Finding;
use crate::lane::Lane;
use crate::ledger::{Ledger, Standing};
use crate::policy::Policy;
use crate::presence::{self, Presence};
use crate::quorum::{self, Case};
use crate::tally::{self, Tally};
use crate::time::Moment;
use crate::verdict::{Accord, CountryCut, EntryVerdict, Scopes, ServerVerdict, Verdicts};
use crate::verifier::Blindness;
use crate::{chain, cut, hold, pair, status};

/// Turns a ledger into verdicts, again and again.
#[derive(Debug, Clone, Default)]
pub struct Evaluator {
    presence: Vec<Presence>,
    tallies: Vec<Tally>,
    /// Presence and tallies hold until then if nothing is reported.
    valid_until: Moment,
    verdicts: Verdicts,
}

impl Evaluator {
    /// Evaluates at `now` and remembers in the ledger what stands. Returns whether anything differs from the last
    /// evaluation but the moment, the times of last reports and how much each witness saw.
    pub fn evaluate(&mut self, fleet: &Fleet, policy: &Policy, ledger: &mut Ledger, now: Moment) -> bool {
        let known = self.tallies.len() == fleet.entry_points().len() && self.presence.len() == fleet.servers().len();
        let presence = presence::all(fleet, policy, ledger, now);
        // A tally knows until when it holds, not since when: a clock that was set back makes all of them doubtful.
        let all_doubtful = !known || presence != self.presence || now < self.verdicts.at;
        let mut moved = all_doubtful || ledger.rounds_touched;
        self.presence = presence;
        self.tallies.resize_with(fleet.entry_points().len(), Tally::default);
        let is_due = |ix: &EntryIx| all_doubtful || ledger.touched[ix.at()] || now > self.tallies[ix.at()].valid_until;
        let due: Vec<EntryIx> = fleet.entry_ixs().filter(is_due).collect();
        let fresh = tally::tallies(fleet, policy, ledger, &self.presence, &due, now);
        for (ix, fresh) in due.into_iter().zip(fresh) {
            let kept = &mut self.tallies[ix.at()];
            moved |= !fresh.says_the_same_as(kept);
            *kept = fresh;
            ledger.touched[ix.at()] = false;
        }
        ledger.rounds_touched = false;
        ledger.evaluated_at = now;
        self.valid_until = self.tallies.iter().map(|tally| tally.valid_until).min().unwrap_or(Moment::MAX);
        let mut differs = false;
        if moved {
            let pass = Pass::new(fleet, policy, ledger, &self.presence, &self.tallies);
            let (mut verdicts, settled) = pass.verdicts(ledger, now);
            if !settled {
                // What begins to stand may be held by more verifiers than those that speak (R14). It cannot bring about a
                // scope, so a second pass finds what stands as it leaves it.
                verdicts = pass.verdicts(ledger, now).0;
            }
            differs = !known || !says_the_same(&verdicts, &self.verdicts);
            self.verdicts = verdicts;
        }
        self.verdicts.at = now;
        for (verdict, state) in self.verdicts.servers.iter_mut().zip(&ledger.servers) {
            verdict.last_report_at = state.last_report_at;
        }
        differs
    }

    /// What the last evaluation said.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }

    /// The first moment at which time alone may change a verdict: nothing needs evaluating before, unless a report comes.
    pub fn next_change(&self, policy: &Policy, ledger: &Ledger) -> Moment {
        let expiry = self.valid_until.after(Duration::from_millis(1));
        expiry.min(presence::changes_at(policy, ledger, ledger.evaluated_at))
    }
}

/// Evaluates once, from nothing but the ledger.
pub fn verdicts(fleet: &Fleet, policy: &Policy, ledger: &mut Ledger, now: Moment) -> Verdicts {
    let mut evaluator = Evaluator::default();
    evaluator.evaluate(fleet, policy, ledger, now);
    evaluator.verdicts
}

/// Whether two evaluations differ in nothing but the moment, the times of last reports and how much each witness saw.
fn says_the_same(a: &Verdicts, b: &Verdicts) -> bool {
    let same = |a: &ServerVerdict, b: &ServerVerdict| {
        let apart = ServerVerdict { last_report_at: b.last_report_at, sight: b.sight, ..a.clone() };
        apart == *b
    };
    a.entry_points == b.entry_points
        && a.cuts == b.cuts
        && a.servers.len() == b.servers.len()
        && a.servers.iter().zip(&b.servers).all(|(a, b)| same(a, b))
}

/// Who is not believed on a lane (R3).
struct Discredited {
    witness: ServerIx,
    lane: Lane,
    /// Whom it did not see there, ascending.
    unseen: Vec<ServerIx>,
}

/// Everybody who is not believed; the silent are not asked.
fn discredited(fleet: &Fleet, ledger: &Ledger, presence: &[Presence]) -> Vec<Discredited> {
    let speaking = fleet.server_ixs().filter(|ix| presence[ix.at()].may_vouch);
    let lanes = speaking.flat_map(|ix| ledger.servers[ix.at()].discredited().iter().map(move |lane| (ix, lane)));
    let unseen = |ix: ServerIx, lane: Lane| ledger.servers[ix.at()].round[lane.index()].unseen.clone();
    lanes.map(|(ix, lane)| Discredited { witness: ix, lane, unseen: unseen(ix, lane) }).collect()
}

/// What all steps of one pass read.
struct Pass<'a> {
    fleet: &'a Fleet,
    policy: &'a Policy,
    presence: &'a [Presence],
    tallies: &'a [Tally],
    blindness: Blindness,
    /// Valid accusers by entry point: the tally's without void votes.
    accusers: Vec<Vec<ServerIx>>,
    /// Scopes in which each is quorate under all of them.
    quorate: Vec<Scopes>,
    cuts: Vec<CountryCut>,
    discredited: Vec<Discredited>,
}

impl<'a> Pass<'a> {
    fn new(
        fleet: &'a Fleet,
        policy: &'a Policy,
        ledger: &Ledger,
        presence: &'a [Presence],
        tallies: &'a [Tally],
    ) -> Self {
        let blindness = Blindness::read(fleet, tallies);
        let valid = |ix: EntryIx| -> Vec<ServerIx> {
            let target = fleet.entry_point(ix).server;
            let accusers = tallies[ix.at()].accusers.iter().map(|accuser| accuser.witness);
            accusers.filter(|witness| !blindness.is_void(fleet, *witness, target)).collect()
        };
        let accusers: Vec<Vec<ServerIx>> = fleet.entry_ixs().map(valid).collect();
        let quorate = |ix: EntryIx| {
            if presence[fleet.entry_point(ix).server.at()].down {
                return Scopes::new();
            }
            Case { fleet, policy, tally: &tallies[ix.at()] }.scopes(&accusers[ix.at()])
        };
        let quorate = fleet.entry_ixs().map(quorate).collect();
        let cuts = cut::cuts(fleet, policy, ledger, presence, tallies);
        let discredited = discredited(fleet, ledger, presence);
        Self { fleet, policy, presence, tallies, blindness, accusers, quorate, cuts, discredited }
    }

    /// R3: whose last round says that it lost the entry point's server, and is not believed.
    fn disbelieved(&self, ix: EntryIx) -> Vec<ServerIx> {
        let entry_point = self.fleet.entry_point(ix);
        let lost_it = |round: &&Discredited| {
            round.lane == entry_point.lane && round.unseen.binary_search(&entry_point.server).is_ok()
        };
        self.discredited.iter().filter(lost_it).map(|round| round.witness).collect()
    }

    /// The verdicts, and whether what stands was left as it was found.
    fn verdicts(&self, ledger: &mut Ledger, now: Moment) -> (Verdicts, bool) {
        let accords = quorum::accords(self.fleet, self.policy, self.tallies, &self.accusers, &self.quorate);
        let mut settled = true;
        let mut entry_points: Vec<EntryVerdict> = Vec::with_capacity(accords.len());
        for (ix, accord) in self.fleet.entry_ixs().zip(accords) {
            let (verdict, standing) = self.held_verdict(ix, accord, ledger);
            settled &= ledger.standing[ix.at()] == standing;
            ledger.standing[ix.at()] = standing;
            entry_points.push(verdict);
        }
        let all = |holds: fn(&EntryVerdict) -> bool| -> Vec<bool> {
            let own = |ix: &EntryIx| holds(&entry_points[ix.at()]);
            self.fleet.servers().iter().map(|server| server.entry_points.iter().all(own)).collect()
        };
        let lost = all(|verdict| !verdict.unreachable.is_empty());
        let spared = all(|verdict| verdict.unreachable.is_empty() && verdict.blocked.is_empty());
        let blamed: Vec<bool> = spared.into_iter().map(|spared| !spared).collect();
        let half_blind = pair::half_blind(self.fleet, self.policy, self.presence, self.tallies, &self.blindness, &lost);
        let cut_off = chain::cut_off(self.fleet, self.presence, self.tallies, &self.blindness, &lost);
        for (ix, verdict) in self.fleet.entry_ixs().zip(&mut entry_points) {
            verdict.marks = pair::marks(self.fleet, ix, verdict, &self.blindness, &blamed, &half_blind);
            verdict.cut_off = cut_off[ix.at()];
        }
        let servers = self.fleet.server_ixs().zip(half_blind).map(|(ix, half_blind)| {
            let (presence, state) = (self.presence[ix.at()], &ledger.servers[ix.at()]);
            let conditions = status::conditions(self.fleet.server(ix), presence, &entry_points);
            ServerVerdict {
                status: conditions[0],
                conditions,
                silent: presence.silent,
                down: presence.down,
                last_report_at: state.last_report_at,
                discredited: state.discredited(),
                sight: state.round.each_ref().map(|round| round.sight),
                half_blind,
            }
        });
        let servers = servers.collect();
        (Verdicts { at: now, servers, entry_points, cuts: self.cuts.clone() }, settled)
    }

    /// R7 to R9 and R14 on one entry point, with the evidence, and what stands from then on.
    fn held_verdict(&self, ix: EntryIx, accord: Accord, ledger: &Ledger) -> (EntryVerdict, Standing) {
        if !quorum::is_judged(self.fleet, ix) {
            return (EntryVerdict::default(), ledger.standing[ix.at()].clone());
        }
        let (tally, valid) = (&self.tallies[ix.at()], &self.accusers[ix.at()]);
        let case = Case { fleet: self.fleet, policy: self.policy, tally };
        let down = self.presence[self.fleet.entry_point(ix).server.at()].down;
        let pairs = hold::held_pairs(self.fleet, tally, &self.blindness, &self.cuts, ix);
        let (quorate, stood) = (&self.quorate[ix.at()], &ledger.standing[ix.at()]);
        let held = hold::hold(&case, ix, &Finding { down, accord, accusers: valid, quorate, held: &pairs, stood });
        let is_valid = |witness: ServerIx| valid.binary_search(&witness).is_ok();
        let (accusers, void) = tally.accusers.iter().partition::<Vec<_>, _>(|accuser| is_valid(accuser.witness));
        let shown: Vec<ServerIx> = match (held.unreachable.is_empty(), held.blocked.is_empty()) {
            (false, _) => pairs,
            (true, false) => pairs.into_iter().filter(|witness| self.fleet.server(*witness).verifier).collect(),
            (true, true) => Vec::new(),
        };
        let verdict = EntryVerdict {
            down,
            knocked: tally.knocked,
            unreachable: held.unreachable,
            blocked: held.blocked,
            blocked_by: held.blocked_by,
            cut_off: false,
            accord,
            against_sites: case.against_sites(valid),
            vouchers: tally.vouchers.clone(),
            accusers,
            void: void.into_iter().map(|accuser| accuser.witness).collect(),
            discarded: tally.discarded.clone(),
            disbelieved: self.disbelieved(ix),
            lapsed: tally.lapsed.clone(),
            held: shown,
            marks: Vec::new(),
        };
        (verdict, held.standing)
    }
}

#[cfg(test)]
mod tests;
