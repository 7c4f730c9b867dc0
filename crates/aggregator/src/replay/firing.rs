//! How often each rule fired.
//!
//! A rule fires when it newly changes something: counted are beginnings, not how long a thing lasts. What folding does is
//! counted as it happens; what an evaluation finds is a set of facts, and those that the evaluation before did not have
//! are counted.

use std::collections::BTreeSet;

use quorate_core::balance;
use quorate_core::fleet::{EntryIx, Fleet, ServerIx};
use quorate_core::verdict::{Accord, EntryVerdict, ServerVerdict, Verdicts};

/// What folding the reports did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Folds {
    /// R1: outcomes that are evidence for nobody and against nobody.
    pub inconclusive: u64,
    /// R2: reports that were ignored as repeated or older.
    pub repeated: u64,
    /// R3: rounds that were discredited, lane by lane.
    pub discredited: u64,
    /// R4: series of failures that a success ended.
    pub series_ended: u64,
}

/// What a rule may newly find at an evaluation, in the order of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Firing {
    Accuses,
    Silent,
    Down,
    Quorate,
    Unreachable,
    Explained,
    Contested,
    Blocked,
    Void,
    Mark,
    HalfBlind,
    Cut,
    CutOff,
    Held,
    Demoted,
    LastResort,
    Audience,
    Spared,
}

impl Firing {
    pub const ALL: [Self; 18] = [
        Self::Accuses,
        Self::Silent,
        Self::Down,
        Self::Quorate,
        Self::Unreachable,
        Self::Explained,
        Self::Contested,
        Self::Blocked,
        Self::Void,
        Self::Mark,
        Self::HalfBlind,
        Self::Cut,
        Self::CutOff,
        Self::Held,
        Self::Demoted,
        Self::LastResort,
        Self::Audience,
        Self::Spared,
    ];

    /// The rule, and what it found.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Accuses => ("R5", "pairs that became sustained, and accuse"),
            Self::Silent => ("R6", "servers that fell silent"),
            Self::Down => ("R6", "servers that said they are down"),
            Self::Quorate => ("R7", "entry points that a quorum began to accuse"),
            Self::Unreachable => ("R8", "entry points that became unreachable"),
            Self::Explained => ("R8", "quorums explained by the accusers' own trouble"),
            Self::Contested => ("R8", "entry points that became contested"),
            Self::Blocked => ("R9", "entry points that became blocked"),
            Self::Void => ("R9", "votes against a verifier that became void"),
            Self::Mark => ("R10", "pairs that were marked as broken"),
            Self::HalfBlind => ("R10", "witnesses that became half-blind"),
            Self::Cut => ("R12", "country cuts that were told"),
            Self::CutOff => ("R13", "entry points that were cut off"),
            Self::Held => ("R14", "verdicts that began to be held without a fresh quorum or verifier"),
            Self::Demoted => ("R15", "entry points that left tier 0"),
            Self::LastResort => ("R16", "routes that fell to their last resort"),
            Self::Audience => ("R18", "offers that the audience's view moved to another tier"),
            Self::Spared => ("R19", "offers spared because one country would empty the route"),
        }
    }
}

/// Everything that one evaluation found, by name.
pub(super) fn facts(fleet: &Fleet, verdicts: &Verdicts) -> BTreeSet<(Firing, String)> {
    let mut facts = BTreeSet::new();
    for (server, verdict) in fleet.servers().iter().zip(&verdicts.servers) {
        let found = server_firings(verdict);
        facts.extend(found.into_iter().flatten().map(|firing| (firing, server.id.clone())));
    }
    for ix in fleet.entry_ixs() {
        let (id, verdict) = (&fleet.entry_point(ix).id, &verdicts.entry_points[ix.at()]);
        let found = entry_firings(fleet, verdict);
        facts.extend(found.into_iter().flatten().map(|firing| (firing, id.clone())));
        let pair = |firing: Firing, witness: ServerIx| (firing, format!("{} {id}", fleet.server(witness).id));
        facts.extend(verdict.accusers.iter().map(|accuser| pair(Firing::Accuses, accuser.witness)));
        facts.extend(verdict.void.iter().map(|witness| pair(Firing::Void, *witness)));
        facts.extend(verdict.marks.iter().map(|mark| pair(Firing::Mark, mark.witness)));
    }
    facts.extend(verdicts.cuts.iter().map(|cut| (Firing::Cut, format!("{} {}", cut.country, cut.lane))));
    facts.extend(route_facts(fleet, verdicts));
    facts
}

fn server_firings(verdict: &ServerVerdict) -> [Option<Firing>; 3] {
    [
        verdict.silent.then_some(Firing::Silent),
        verdict.down.then_some(Firing::Down),
        verdict.half_blind.as_ref().map(|_| Firing::HalfBlind),
    ]
}

fn entry_firings(fleet: &Fleet, verdict: &EntryVerdict) -> [Option<Firing>; 8] {
    let accuses = |server: &ServerIx| verdict.accusers.iter().any(|accuser| accuser.witness == *server);
    let only_held = !verdict.unreachable.is_empty() && verdict.accord == Accord::None
        || !verdict.blocked.is_empty() && !verdict.blocked_by.iter().any(accuses);
    debug_assert!(verdict.blocked_by.iter().all(|by| fleet.server(*by).verifier), "only verifiers block");
    [
        (verdict.accord != Accord::None).then_some(Firing::Quorate),
        (!verdict.unreachable.is_empty()).then_some(Firing::Unreachable),
        (verdict.accord == Accord::Explained).then_some(Firing::Explained),
        (verdict.accord == Accord::Contested).then_some(Firing::Contested),
        (!verdict.blocked.is_empty()).then_some(Firing::Blocked),
        verdict.cut_off.then_some(Firing::CutOff),
        only_held.then_some(Firing::Held),
        (verdict.state().tier() > 0).then_some(Firing::Demoted),
    ]
}

fn route_facts(fleet: &Fleet, verdicts: &Verdicts) -> Vec<(Firing, String)> {
    let mut facts = Vec::new();
    for ix in fleet.route_ixs() {
        let (route, slate) = (fleet.route(ix), balance::slate(fleet, verdicts, ix, None));
        if slate.last_resort {
            facts.push((Firing::LastResort, route.id.clone()));
        }
        let own_tier = |entry_point: EntryIx| verdicts.entry_points[entry_point.at()].state().tier();
        let moved =
            slate.deliver.iter().chain(&slate.withheld).filter(|offer| offer.tier != own_tier(offer.entry_point));
        let firing = if route.audience.is_empty() { Firing::Spared } else { Firing::Audience };
        let offer = |entry_point: EntryIx| format!("{} {}", route.id, fleet.entry_point(entry_point).id);
        facts.extend(moved.map(|offer_moved| (firing, offer(offer_moved.entry_point))));
    }
    facts
}
