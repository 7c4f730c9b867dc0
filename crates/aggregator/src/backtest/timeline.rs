//! What one policy said over a time: the status of each server, and what each route withheld.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use quorate_core::balance;
use quorate_core::fleet::{Fleet, Intent, ServerIx};
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};

/// Most stays kept of one server: a week of one that changes every minute. What comes later is counted and not kept.
const STAYS_MAX: usize = 10_000;

/// How long a server had a status, and on how much it rested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// Which.
    pub status: Status,
    /// When it began.
    pub from: Moment,
    /// When it ended.
    pub to: Moment,
    /// The most sites that accused one of its entry points at once (R7).
    pub sites: usize,
}

/// One server over the time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// In order, without those that took no time.
    pub stays: Vec<Stay>,
    open: Option<Stay>,
    /// How long at least one of its entry points was withheld from a route.
    pub withheld: Duration,
    /// Stays that were not kept, because there were too many.
    pub left_out: usize,
    is_withheld: bool,
}

/// One route over the time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RouteCourse {
    /// Time for which entry points were withheld, each of them counted.
    pub withheld: Duration,
    /// Time for which nothing good was left (R16).
    pub last_resort: Duration,
    withheld_now: u32,
    is_last_resort: bool,
}

/// What one policy said from a moment to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    from: Moment,
    /// Up to here everything is counted.
    at: Moment,
    servers: BTreeMap<String, Course>,
    routes: BTreeMap<String, RouteCourse>,
}

impl Timeline {
    /// From `from` on; what is noted of before is how it begins.
    pub fn new(from: Moment) -> Self {
        Self { from, at: from, servers: BTreeMap::new(), routes: BTreeMap::new() }
    }

    /// The first moment.
    pub fn from(&self) -> Moment {
        self.from
    }

    /// The last moment.
    pub fn to(&self) -> Moment {
        self.at
    }

    /// By id; servers that ever were in the fleet.
    pub fn servers(&self) -> &BTreeMap<String, Course> {
        &self.servers
    }

    /// By id; routes that ever were in the fleet.
    pub fn routes(&self) -> &BTreeMap<String, RouteCourse> {
        &self.routes
    }

    /// Takes note of an evaluation: what it says lasts until the next one.
    pub fn note(&mut self, fleet: &Fleet, verdicts: &Verdicts) {
        self.pass(verdicts.at);
        let at = self.at;
        for (id, course) in &mut self.servers {
            if fleet.find_server(id).is_none() {
                course.leave(at);
            }
        }
        let withheld = self.note_routes(fleet, verdicts);
        for ix in fleet.server_ixs() {
            let server = fleet.server(ix);
            let own = server.entry_points.iter().map(|ix| verdicts.entry_points[ix.at()].against_sites.len());
            let course = self.servers.entry(server.id.clone()).or_default();
            course.stay(verdicts.servers[ix.at()].status, own.max().unwrap_or(0), at);
            course.is_withheld = withheld.contains(&ix);
        }
    }

    /// Lets what was said last until `to`, where the time ends.
    pub fn end(&mut self, to: Moment) {
        self.pass(to);
        for course in self.servers.values_mut() {
            course.leave(self.at);
        }
    }

    fn pass(&mut self, to: Moment) {
        let to = to.max(self.at);
        let span = to.since(self.at);
        self.at = to;
        for course in self.servers.values_mut() {
            course.pass(span);
        }
        for route in self.routes.values_mut() {
            route.withheld += span * route.withheld_now;
            if route.is_last_resort {
                route.last_resort += span;
            }
        }
    }

    /// The servers of which something is withheld. What a drained server has is withheld by its owner, not by a verdict.
    fn note_routes(&mut self, fleet: &Fleet, verdicts: &Verdicts) -> BTreeSet<ServerIx> {
        let mut owners = BTreeSet::new();
        for (id, course) in &mut self.routes {
            if fleet.find_route(id).is_none() {
                (course.withheld_now, course.is_last_resort) = (0, false);
            }
        }
        for ix in fleet.route_ixs() {
            let slate = balance::slate(fleet, verdicts, ix, None);
            let withheld = slate.withheld.iter().map(|offer| fleet.entry_point(offer.entry_point).server);
            let withheld: Vec<ServerIx> =
                withheld.filter(|owner| fleet.server(*owner).intent == Intent::Active).collect();
            let course = self.routes.entry(fleet.route(ix).id.clone()).or_default();
            course.withheld_now = withheld.len() as u32;
            course.is_last_resort = slate.last_resort;
            owners.extend(withheld);
        }
        owners
    }
}

impl Course {
    fn pass(&mut self, span: Duration) {
        if self.is_withheld {
            self.withheld += span;
        }
    }

    /// It has a status from `at` on.
    fn stay(&mut self, status: Status, sites: usize, at: Moment) {
        match &mut self.open {
            Some(open) if open.status == status => open.sites = open.sites.max(sites),
            _ => {
                self.close(at);
                // One that was left for no time at all goes on.
                let before = self.stays.pop_if(|last| last.status == status && last.to == at);
                let from = before.map_or(at, |before| before.from);
                let sites = before.map_or(sites, |before| before.sites.max(sites));
                self.open = Some(Stay { status, from, to: at, sites });
            }
        }
    }

    fn close(&mut self, at: Moment) {
        let Some(open) = self.open.take().filter(|open| open.from < at) else { return };
        if self.stays.len() < STAYS_MAX {
            self.stays.push(Stay { to: at, ..open });
        } else {
            self.left_out += 1;
        }
    }

    /// It is no part of the fleet.
    fn leave(&mut self, at: Moment) {
        self.is_withheld = false;
        self.close(at);
    }
}

#[cfg(test)]
mod tests;
