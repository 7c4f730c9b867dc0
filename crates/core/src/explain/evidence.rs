//! R3, R5, R7, R9, R10, R14 · The evidence on an entry point: who accuses, who vouches, and whose word does not count.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{Country, EntryIx, ServerIx};
use crate::tally;
use crate::verdict::{Accord, Accuser, EntryVerdict, Lapse, Scope, State};
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
            "Accusing: {}. (A failure counts after {rounds} in a row over at least {span}.)",
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
                "What was found earlier still holds, though not said afresh: {}. Such a word keeps a verdict that stood, \
                 and makes no new one.",
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
            "Nobody vouches for it: nobody reaches it.".to_string()
        } else {
            format!("Reached, and vouched for, by {}.", words::all_placed(self.fleet, vouchers.iter().copied()))
        };
        self.say(&["R7"], text);
    }

    /// R7: sites against and for it, where that matters.
    pub(super) fn count(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        if verdict.accusers.is_empty() || verdict.down {
            return;
        }
        let mut counts = alloc::vec![in_words(verdict.against_sites.len(), verdict.for_sites.len(), Scope::Fleet)];
        for country in self.accusing_countries(verdict) {
            let (against, vouching) = self.sites_in(verdict, country);
            // A single site of a country decides nothing there.
            if against >= self.policy.quorum as usize {
                counts.push(in_words(against, vouching, Scope::Country(country)));
            }
        }
        let (quorum, share) = (self.policy.quorum, words::percent(self.policy.quorum_share));
        let mut text = format!(
            "By sites (servers of one site have one vote): {}. A verdict takes at least {quorum} sites against it, and \
             at least {share} of those that say anything; within one country, more than {share}.",
            counts.join("; ")
        );
        if verdict.accord == Accord::None {
            text.push_str(" That is no quorum.");
        }
        self.say(&["R7"], text);
    }

    fn accusing_countries(&self, verdict: &EntryVerdict) -> BTreeSet<Country> {
        verdict.accusers.iter().filter_map(|accuser| self.fleet.server(accuser.witness).country).collect()
    }

    /// Sites against and for it where only one country's servers accuse and vouch.
    fn sites_in(&self, verdict: &EntryVerdict, country: Country) -> (usize, usize) {
        let within = |server: &ServerIx| self.fleet.server(*server).country == Some(country);
        let vouching = tally::sites(self.fleet, verdict.vouchers.iter().copied().filter(within));
        let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
        let mut against = tally::sites(self.fleet, accusers.filter(within));
        against.retain(|site| vouching.binary_search(site).is_err());
        (against.len(), vouching.len())
    }

    /// R8: the countries that as a whole cannot reach it.
    pub(super) fn coherent_countries(&self, ix: EntryIx) -> String {
        let verdict = self.entry_verdict(ix);
        let coherent = self.accusing_countries(verdict).into_iter().filter(|country| {
            let (against, vouching) = self.sites_in(verdict, *country);
            against >= self.policy.quorum as usize && vouching == 0
        });
        words::names(&coherent.map(|country| country.to_string()).collect::<Vec<_>>())
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

    /// R10: marks, and accusations that leave none.
    pub(super) fn marks(&mut self, ix: EntryIx) {
        let (target, verdict) = (self.fleet.entry_point(ix).server, self.entry_verdict(ix));
        let id = &self.fleet.server(target).id;
        for mark in &verdict.marks {
            let other = words::placed(self.fleet, mark.witness);
            let text = if mark.mutual {
                format!("Broken pair: {other} and {id} cannot see each other. Both are marked, nobody is hidden.")
            } else {
                format!(
                    "Broken pair: {other} cannot reach {id}, while {id} has nothing to say against {other}. The side \
                     that is not reached is marked; nobody is hidden."
                )
            };
            self.say(&["R10"], text);
        }
        let undecided = !verdict.down && matches!(verdict.accord, Accord::None | Accord::Explained);
        if !undecided || !verdict.unreachable.is_empty() || !verdict.blocked.is_empty() {
            return;
        }
        let unmarked: Vec<ServerIx> = verdict
            .accusers
            .iter()
            .map(|accuser| accuser.witness)
            .filter(|witness| verdict.marks.iter().all(|mark| mark.witness != *witness))
            .collect();
        let half_blind = |witness: &ServerIx| self.server_verdict(*witness).half_blind.is_some();
        let blamed = |witness: &ServerIx| {
            let own = &self.fleet.server(*witness).entry_points;
            own.iter().any(|ix| {
                let verdict = self.entry_verdict(*ix);
                !verdict.unreachable.is_empty() || !verdict.blocked.is_empty()
            })
        };
        let blamed: Vec<ServerIx> = unmarked.iter().copied().filter(blamed).collect();
        let half_blind: Vec<ServerIx> = unmarked.into_iter().filter(|w| half_blind(w) && !blamed.contains(w)).collect();
        if !blamed.is_empty() {
            let blamed = words::all_placed(self.fleet, blamed);
            self.say(
                &["R10"],
                format!("No mark because of {blamed}: what is unreachable or blocked itself marks nobody."),
            );
        }
        if !half_blind.is_empty() {
            let half_blind = words::all_placed(self.fleet, half_blind);
            self.say(
                &["R10"],
                format!("No mark because of {half_blind}: that it is half-blind is said once, about the witness."),
            );
        }
    }
}

fn in_words(against: usize, vouching: usize, scope: Scope) -> String {
    format!("{against} against and {vouching} for it {}", words::scope(scope))
}
