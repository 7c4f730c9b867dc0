//! R3, R5, R7, R9, R14 · The evidence on an entry point: who accuses, who vouches, and whose word does not count.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{EntryIx, ServerIx};
use crate::verdict::{Accord, Accuser, Lapse, State};
use crate::words;

impl Teller<'_> {
    /// Whether there is more to say than that all is well.
    pub(super) fn has_evidence(&self, ix: EntryIx) -> bool {
        let verdict = self.entry_verdict(ix);
        verdict.state() != State::Clear
            || !verdict.accusers.is_empty()
            || !verdict.void.is_empty()
            || !verdict.discarded.is_empty()
            || !verdict.disbelieved.is_empty()
    }

    /// R5, R7.
    pub(super) fn accusers(&mut self, ix: EntryIx) {
        let accusers: Vec<String> =
            self.entry_verdict(ix).accusers.iter().map(|accuser| self.accuser(*accuser)).collect();
        if accusers.is_empty() {
            return;
        }
        let (rounds, span) = (self.policy.sustain_rounds, words::span(self.policy.sustain_for));
        let text = format!(
            "Accusing: {}. (Failures count after {rounds} in a row over at least {span}.)",
            words::names(&accusers)
        );
        self.say(&["R5", "R7"], text);
    }

    fn accuser(&self, accuser: Accuser) -> String {
        let also = format!("{} failures in a row since {}", accuser.streak, (self.when)(accuser.since));
        words::placed_with(self.fleet, accuser.witness, &also)
    }

    /// R14.
    pub(super) fn held(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        let held: Vec<String> = verdict
            .lapsed
            .iter()
            .filter(|lapse| verdict.held.contains(&lapse.witness))
            .map(|lapse| self.lapse(ix, *lapse))
            .collect();
        if !held.is_empty() {
            let text = format!(
                "Accused earlier, and not reached since: {}. An earlier accusation keeps a verdict that stood, and makes \
                 no new one.",
                words::names(&held)
            );
            self.say(&["R14"], text);
        }
    }

    fn lapse(&self, ix: EntryIx, lapse: Lapse) -> String {
        let witness = self.server_verdict(lapse.witness);
        let lane = self.fleet.entry_point(ix).lane;
        let why = if witness.silent {
            "silent since"
        } else if witness.discredited.contains(lane) {
            "not believed since"
        } else {
            "no new evidence since"
        };
        let beyond = if lapse.within_hold { "" } else { ", held by the country cut" };
        let last = (self.when)(lapse.last_evidence_at);
        let also =
            format!("{} failures in a row from {} on, {why} {last}{beyond}", lapse.streak, (self.when)(lapse.since));
        words::placed_with(self.fleet, lapse.witness, &also)
    }

    /// R7.
    pub(super) fn vouchers(&mut self, ix: EntryIx) {
        let vouchers = &self.entry_verdict(ix).vouchers;
        let text = if vouchers.is_empty() {
            "Nobody vouches for it: no server reaches it.".to_string()
        } else {
            format!("Reached, and vouched for, by {}.", words::all_placed(self.fleet, vouchers.iter()))
        };
        self.say(&["R7"], text);
    }

    /// R3, R9: accusations that count nowhere.
    pub(super) fn uncounted(&mut self, ix: EntryIx) {
        let (server, verdict) = (self.fleet.entry_point(ix).server, self.entry_verdict(ix));
        if !verdict.void.is_empty() {
            let text = format!(
                "Does not count: {} cannot reach it either, but it is a verifier and cannot see them, so their votes \
                 against it are void.",
                words::all_placed(self.fleet, verdict.void.iter().copied())
            );
            self.say(&["R9"], text);
        }
        let lane = self.fleet.entry_point(ix).lane;
        let doubted: BTreeSet<ServerIx> = verdict.discarded.iter().chain(&verdict.disbelieved).copied().collect();
        let doubted: Vec<String> = doubted
            .into_iter()
            .map(|witness| {
                let sight = self.server_verdict(witness).sight[lane.index()];
                let also = format!("saw {} of {} living servers", sight.seen, sight.neighbours);
                words::placed_with(self.fleet, witness, &also)
            })
            .collect();
        if !doubted.is_empty() {
            let text = format!(
                "Does not count: {}. A witness whose last round on {lane} saw less than {} of its living neighbours is \
                 taken to be in trouble itself, and its failures are discarded.",
                words::names(&doubted),
                words::percent(self.policy.witness_floor)
            );
            self.say(&["R3"], text);
        }
        self.verifiers_apart(ix);
        let ordinary = verdict.accusers.iter().map(|accuser| accuser.witness);
        let ordinary: Vec<ServerIx> = ordinary.filter(|witness| !self.fleet.server(*witness).verifier).collect();
        if self.fleet.server(server).verifier && !ordinary.is_empty() && verdict.accord == Accord::None {
            let text = format!(
                "{} is a verifier: that {} cannot reach it means nothing by itself, and leaves no mark.",
                self.fleet.server(server).id,
                words::all_placed(self.fleet, ordinary)
            );
            self.say(&["R9", "R10"], text);
        }
    }

    /// R9: a verifier that accuses, and decides nothing.
    fn verifiers_apart(&mut self, ix: EntryIx) {
        let (server, verdict) = (self.fleet.owner(ix), self.entry_verdict(ix));
        if !verdict.blocked.is_empty() || verdict.down {
            return;
        }
        for accuser in &verdict.accusers {
            let witness = self.fleet.server(accuser.witness);
            if !witness.verifier {
                continue;
            }
            let name = words::placed(self.fleet, accuser.witness);
            let agrees_not = |other: &ServerIx| {
                let other = self.fleet.server(*other);
                other.verifier && other.country == witness.country
            };
            let against: Vec<ServerIx> = verdict.vouchers.iter().filter(agrees_not).collect();
            let text = if server.verifier {
                format!("{name} is a verifier, but so is {}: between two of them a word is one vote.", server.id)
            } else {
                format!(
                    "{name} is a verifier, but its word decides nothing here: {} of the same country is one too, and \
                     reaches it.",
                    words::all_placed(self.fleet, against)
                )
            };
            self.say(&["R9"], text);
        }
    }
}
