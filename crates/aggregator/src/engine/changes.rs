//! What changed between two evaluations, as events that people read.

use std::collections::{BTreeMap, BTreeSet};

use quorate_core::balance::{self, Offer, Slate};
use quorate_core::fleet::{Fleet, RouteIx};
use quorate_core::policy::Policy;
use quorate_core::verdict::{State, Verdicts};
use quorate_core::{explain, label};
use serde::{Deserialize, Serialize};

use crate::event::{Event, Kind};
use crate::when;

/// The word last told of each subject, by kind. It is stored, so that a restart tells nothing twice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Told(BTreeMap<String, BTreeMap<String, String>>);

/// A word, and the reason for it.
struct Word<'a> {
    kind: Kind,
    subject: String,
    /// Empty: there is nothing to say of the subject.
    says: String,
    /// Put into words only when it is told.
    reason: Box<dyn FnOnce() -> String + 'a>,
}

impl Told {
    /// The events that lead from what was told to these verdicts. Ids and moments are the caller's.
    pub fn tell(&mut self, fleet: &Fleet, policy: &Policy, verdicts: &Verdicts) -> Vec<Event> {
        let words = words(fleet, policy, verdicts);
        let spoken: BTreeSet<(Kind, &str)> = words.iter().map(|word| (word.kind, word.subject.as_str())).collect();
        let mut silenced = Vec::new();
        for kind in Kind::OF_VERDICTS {
            let subjects = self.0.get(kind.as_str()).into_iter().flat_map(BTreeMap::keys);
            let gone = subjects.filter(|subject| !spoken.contains(&(kind, subject.as_str())));
            silenced.extend(gone.map(|subject| Word {
                kind,
                subject: subject.clone(),
                says: String::new(),
                reason: Box::new(move || over(kind).to_owned()),
            }));
        }
        words.into_iter().chain(silenced).filter_map(|word| self.note(word)).collect()
    }

    fn note(&mut self, Word { kind, subject, says, reason }: Word<'_>) -> Option<Event> {
        let told = self.0.entry(kind.as_str().to_owned()).or_default();
        let before = told.get(&subject).cloned();
        if before.as_deref().unwrap_or_default() == says {
            return None;
        }
        if says.is_empty() {
            told.remove(&subject);
        } else {
            told.insert(subject.clone(), says.clone());
        }
        // That a new entry point is clear is no news.
        if before.is_none() && kind == Kind::EntryPointState && says == State::Clear.as_str() {
            return None;
        }
        let to = Some(says).filter(|word| !word.is_empty());
        Some(Event { id: 0, at_ms: 0, kind: kind.as_str().to_owned(), subject, from: before, to, reason: reason() })
    }
}

/// Why there is nothing to say of a subject that something was said of.
fn over(kind: Kind) -> &'static str {
    match kind {
        Kind::CountryCut => "The country's servers see enough of the fleet again.",
        Kind::HalfBlind => "It sees enough of its peers again.",
        Kind::ServerStatus | Kind::EntryPointState | Kind::Route | Kind::Edge | Kind::Session | Kind::Aggregator => {
            "It is no part of the fleet."
        }
    }
}

/// Every word that verdicts say.
fn words<'a>(fleet: &'a Fleet, policy: &'a Policy, verdicts: &'a Verdicts) -> Vec<Word<'a>> {
    let servers = fleet.server_ixs().map(|ix| Word {
        kind: Kind::ServerStatus,
        subject: fleet.server(ix).id.clone(),
        says: verdicts.servers[ix.at()].status.as_str().to_owned(),
        reason: Box::new(move || label::badge(fleet, verdicts, ix).to_string()),
    });
    let entry_points = fleet.entry_ixs().map(|ix| Word {
        kind: Kind::EntryPointState,
        subject: fleet.entry_point(ix).id.clone(),
        says: verdicts.entry_points[ix.at()].state().as_str().to_owned(),
        reason: Box::new(move || {
            let said = explain::entry_point(fleet, policy, verdicts, ix, &when::time_of_day);
            said.findings.into_iter().next().map_or_else(String::new, |sentence| sentence.text)
        }),
    });
    let half_blind = fleet.server_ixs().filter_map(|ix| {
        let found = verdicts.servers[ix.at()].half_blind.as_ref()?;
        Some(Word {
            kind: Kind::HalfBlind,
            subject: fleet.server(ix).id.clone(),
            says: "half_blind".to_owned(),
            reason: Box::new(move || {
                let unseen = names(found.unseen.iter().map(|ix| &fleet.server(*ix).id));
                format!("It cannot see {} of the {} servers it judges: {unseen}.", found.unseen.len(), found.judged)
            }),
        })
    });
    let cuts = verdicts.cuts.iter().map(|cut| Word {
        kind: Kind::CountryCut,
        subject: format!("{} {}", cut.country, cut.lane),
        says: "cut".to_owned(),
        reason: Box::new(move || {
            let witnesses = names(cut.witnesses.iter().map(|ix| &fleet.server(*ix).id));
            let targets = names(cut.targets.iter().map(|ix| &fleet.server(*ix).id));
            format!("Servers in {} ({witnesses}) lost sight of {targets} at once.", cut.country)
        }),
    });
    let routes = fleet.route_ixs().map(|ix| route(fleet, ix, &balance::slate(fleet, verdicts, ix, None)));
    servers.chain(entry_points).chain(half_blind).chain(cuts).chain(routes).collect()
}

fn route<'a>(fleet: &Fleet, ix: RouteIx, slate: &Slate) -> Word<'a> {
    let offered = |offers: &[Offer]| names(offers.iter().map(|offer| &fleet.entry_point(offer.entry_point).id));
    let doubtful: Vec<Offer> = slate.deliver.iter().copied().filter(|offer| offer.tier > 0).collect();
    let (withheld, doubtful) = (offered(&slate.withheld), offered(&doubtful));
    let reason = if slate.deliver.is_empty() {
        "It has no entry point of an active or drained server.".to_owned()
    } else if slate.last_resort {
        "Nothing good is left: it delivers the best of the bad as a last resort.".to_owned()
    } else {
        match (withheld.is_empty(), doubtful.is_empty()) {
            (true, true) => "All of it is delivered.".to_owned(),
            (true, false) => format!("All of it is delivered, the doubtful last: {doubtful}."),
            (false, true) => format!("Withheld: {withheld}."),
            (false, false) => format!("Withheld: {withheld}. Delivered last, as doubtful: {doubtful}."),
        }
    };
    let delivered = if slate.deliver.is_empty() { "nothing".to_owned() } else { offered(&slate.deliver) };
    Word { kind: Kind::Route, subject: fleet.route(ix).id.clone(), says: delivered, reason: Box::new(move || reason) }
}

fn names<'a>(ids: impl Iterator<Item = &'a String>) -> String {
    ids.map(String::as_str).collect::<Vec<_>>().join(", ")
}
