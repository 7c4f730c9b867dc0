//! When each detector held what, in the indices of the fleet that the tape began with.
//!
//! Inventories come and go while a tape runs, and indices with them: a [`Roster`] says, for the fleet of the moment, which is
//! which. What the tape did not begin with has no truth, and is not written down, except that its routes may not be empty.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, Intent, RouteIx};
use quorate_core::time::Moment;

use super::span::{Span, Switches};
use crate::detector::Findings;

/// What one detector held over a whole tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// By entry point: while it was taken away.
    pub removed: Vec<Vec<Span>>,
    /// By entry point: while it was doubted aloud.
    pub doubted: Vec<Vec<Span>>,
    /// By offer ([`Roster::offer`]): while it was delivered.
    pub delivered: Vec<Vec<Span>>,
    /// How often a route that had an active entry point began to be delivered empty.
    pub empty_routes: u64,
}

/// What the fleet of a moment is in the indices of the first.
#[derive(Debug)]
pub struct Roster {
    /// The fleet of the moment.
    pub fleet: Arc<Fleet>,
    entry_points: Vec<Option<usize>>,
    routes: Vec<Option<usize>>,
    first_entry_points: usize,
}

impl Roster {
    /// Of `now`, for a tape that began with `first`.
    pub fn new(first: &Fleet, now: Arc<Fleet>) -> Self {
        let entry_points = now.entry_points().iter().map(|entry_point| first.find_entry_point(&entry_point.id));
        let routes = now.routes().iter().map(|route| first.find_route(&route.id));
        Self {
            entry_points: entry_points.map(|found| found.map(EntryIx::at)).collect(),
            routes: routes.map(|found| found.map(RouteIx::at)).collect(),
            first_entry_points: first.entry_points().len(),
            fleet: now,
        }
    }

    /// How many offers a tape of that first fleet can have.
    pub fn offers(first: &Fleet) -> usize {
        first.routes().len() * first.entry_points().len()
    }

    /// An entry point on a route, both by the first fleet.
    pub fn offer(first: &Fleet, route: usize, entry_point: usize) -> usize {
        route * first.entry_points().len() + entry_point
    }

    fn places(&self, entry_points: impl IntoIterator<Item = EntryIx>) -> Vec<usize> {
        let mut places: Vec<usize> =
            entry_points.into_iter().filter_map(|ix| *self.entry_points.get(ix.at())?).collect();
        places.sort_unstable();
        places
    }

    fn offers_of<'a>(&self, by_route: impl IntoIterator<Item = &'a [EntryIx]>) -> Vec<usize> {
        let mut offers = Vec::new();
        for (route, entry_points) in self.routes.iter().zip(by_route) {
            let Some(route) = route else { continue };
            let places = self.places(entry_points.iter().copied());
            offers.extend(places.into_iter().map(|place| route * self.first_entry_points + place));
        }
        offers.sort_unstable();
        offers
    }

    /// Entry points that the fleet has and that are not disabled.
    pub fn present(&self) -> Vec<usize> {
        self.places(self.fleet.entry_ixs().filter(|ix| self.fleet.owner(*ix).intent != Intent::Disabled))
    }

    /// Offers of active entry points.
    pub fn offered(&self) -> Vec<usize> {
        let is_active = |ix: &EntryIx| self.fleet.owner(*ix).intent == Intent::Active;
        let active = |route: usize| -> Vec<EntryIx> {
            self.fleet.routes()[route].entry_points.iter().copied().filter(is_active).collect()
        };
        let by_route: Vec<Vec<EntryIx>> = (0..self.fleet.routes().len()).map(active).collect();
        self.offers_of(by_route.iter().map(Vec::as_slice))
    }
}

/// Writes a [`History`].
#[derive(Debug)]
pub struct Recorder {
    last: Option<Findings>,
    removed: Switches,
    doubted: Switches,
    delivered: Switches,
    empty: BTreeSet<String>,
    empty_routes: u64,
}

impl Recorder {
    /// Of a tape that begins with that fleet.
    pub fn new(first: &Fleet) -> Self {
        let entry_points = first.entry_points().len();
        Self {
            last: None,
            removed: Switches::new(entry_points),
            doubted: Switches::new(entry_points),
            delivered: Switches::new(Roster::offers(first)),
            empty: BTreeSet::new(),
            empty_routes: 0,
        }
    }

    /// The inventory was replaced: the indices of what was found last mean nothing any more.
    pub fn change(&mut self) {
        self.last = None;
    }

    /// What the detector found at a judgement.
    pub fn note(&mut self, at: Moment, findings: &Findings, roster: &Roster) {
        let last = self.last.as_ref();
        if last == Some(findings) {
            return;
        }
        let changed = |part: fn(&Findings) -> &BTreeSet<EntryIx>| last.is_none_or(|last| part(last) != part(findings));
        if changed(|findings| &findings.removed) {
            self.removed.set(at, &roster.places(findings.removed.iter().copied()));
        }
        if changed(|findings| &findings.doubted) {
            self.doubted.set(at, &roster.places(findings.doubted.iter().copied()));
        }
        self.delivered.set(at, &roster.offers_of(findings.delivered.iter().map(Vec::as_slice)));
        self.note_empty(findings, &roster.fleet);
        match &mut self.last {
            Some(last) => last.clone_from(findings),
            none => *none = Some(findings.clone()),
        }
    }

    fn note_empty(&mut self, findings: &Findings, fleet: &Fleet) {
        for (ix, route) in fleet.routes().iter().enumerate() {
            let has_active = route.entry_points.iter().any(|ix| fleet.owner(*ix).intent == Intent::Active);
            let is_empty = findings.delivered.get(ix).is_none_or(Vec::is_empty);
            if !has_active || !is_empty {
                self.empty.remove(&route.id);
            } else if self.empty.insert(route.id.clone()) {
                self.empty_routes += 1;
            }
        }
    }

    /// All that was held, up to the end of the tape.
    pub fn finish(self, end: Moment) -> History {
        History {
            removed: self.removed.finish(end),
            doubted: self.doubted.finish(end),
            delivered: self.delivered.finish(end),
            empty_routes: self.empty_routes,
        }
    }
}
