//! Counts: what one detector did on one tape, beside the truth. Everything that a figure says is defined here.

use super::case::{Case, Use};
use super::history::{History, Roster};
use super::span::{self, Span};

/// What one detector did on one tape.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each fault that was found: from its onset until the entry point was first taken away, in milliseconds. Zero if it
    /// happened to be away already.
    pub detection_ms: Vec<u64>,
    /// Faults that ended, or the tape did, before the entry point was ever taken away.
    pub undetected: u64,
    /// For each fault that ended with the entry point taken away, or to be within the echo: from its end until the entry point
    /// was given back, in milliseconds.
    pub heal_ms: Vec<u64>,
    /// Those that the tape's end found still taken away.
    pub unhealed: u64,
    /// Times in which something was wrong with the world.
    pub incidents: u64,
    /// Incidents in which an entry point was taken away that was well, and had no fault of its own shortly before.
    pub blamed: u64,
    /// How many entry points were so.
    pub wrong_removals: u64,
    /// The same, in an incident or not.
    pub false_removals: u64,
    /// How long all servers were in the fleet together, in milliseconds.
    pub server_ms: u64,
    /// How long offers were withheld from those who would have reached them, in milliseconds.
    pub withheld_ms: u64,
    /// How long offers were delivered to those who did not reach them, though the route had something that they did, in
    /// milliseconds.
    pub dead_served_ms: u64,
    /// Incidents in which nothing was taken away.
    pub abstained: u64,
    /// Incidents in which something was doubted aloud.
    pub doubted: u64,
    /// How often entry points were taken away and given back, from the first incident on.
    pub flips: u64,
    /// How often a route that had an active entry point began to be delivered empty.
    pub empty_routes: u64,
}

impl Tally {
    /// Lays a history beside the truth.
    pub fn new(case: &Case, history: &History) -> Self {
        let mut tally = Self {
            incidents: case.incidents.len() as u64,
            server_ms: server_ms(case),
            empty_routes: history.empty_routes,
            ..Self::default()
        };
        tally.count_faults(case, history);
        tally.count_removals(case, history);
        tally.count_incidents(case, history);
        tally.count_offers(case, history);
        tally
    }

    fn count_faults(&mut self, case: &Case, history: &History) {
        for (nth, fault) in case.faults.iter().enumerate() {
            let (Span { from, until }, removed) = (fault.span, &history.removed[fault.entry_point]);
            match removed.iter().find(|removed| removed.overlap(fault.span).is_some()) {
                Some(first) => self.detection_ms.push(first.from.since(from).as_millis() as u64),
                None => self.undetected += 1,
            }
            if until >= case.whole.until || !case.is_well(fault.entry_point, until) {
                continue;
            }
            let echo = Span { from: until, until: until.after(case.echo) };
            let Some(last) = removed.iter().rfind(|removed| removed.overlap(echo).is_some()) else { continue };
            let next = case.faults.get(nth + 1).filter(|next| next.entry_point == fault.entry_point);
            if next.is_some_and(|next| next.span.from <= last.until) {
                // It was taken away when the next fault began: whatever ended it, it was not the healing of this one.
            } else if last.until >= case.whole.until {
                self.unhealed += 1;
            } else {
                self.heal_ms.push(last.until.since(until).as_millis() as u64);
            }
        }
    }

    fn count_removals(&mut self, case: &Case, history: &History) {
        let mut blamed = vec![false; case.incidents.len()];
        let first_incident = case.incidents.first().map(|incident| incident.from);
        for (entry_point, spans) in history.removed.iter().enumerate() {
            for removed in spans {
                if case.is_well_without_echo(entry_point, removed.from) {
                    self.false_removals += 1;
                    if let Some(incident) = case.incident_at(removed.from) {
                        self.wrong_removals += 1;
                        blamed[incident] = true;
                    }
                }
                let counts = |at| first_incident.is_some_and(|first| first <= at);
                let is_given_back =
                    removed.until < case.whole.until && span::at(&case.present[entry_point], removed.until).is_some();
                self.flips += u64::from(counts(removed.from)) + u64::from(is_given_back && counts(removed.until));
            }
        }
        self.blamed = blamed.iter().filter(|blamed| **blamed).count() as u64;
    }

    fn count_incidents(&mut self, case: &Case, history: &History) {
        for incident in 0..case.incidents.len() {
            let span = case.with_echo(incident);
            let any = |all: &[Vec<Span>]| all.iter().flatten().any(|held| held.overlap(span).is_some());
            self.abstained += u64::from(!any(&history.removed));
            self.doubted += u64::from(any(&history.doubted));
        }
    }

    fn count_offers(&mut self, case: &Case, history: &History) {
        let entry_points = case.fleet.entry_points().len();
        for route in 0..case.fleet.routes().len() {
            let offer = |entry_point| Roster::offer(&case.fleet, route, entry_point);
            let used = |entry_point: usize, wanted: Use| {
                span::intersection(&case.used(route, entry_point, wanted), &case.offered[offer(entry_point)])
            };
            let good: Vec<Vec<Span>> = (0..entry_points).map(|entry_point| used(entry_point, Use::Good)).collect();
            for (entry_point, good) in good.iter().enumerate() {
                let delivered = &history.delivered[offer(entry_point)];
                self.withheld_ms += span::total_ms(&span::difference(good, delivered));
            }
            let bad = |entry_point| Some(used(entry_point, Use::Bad)).filter(|bad| !bad.is_empty());
            let bad: Vec<(usize, Vec<Span>)> =
                (0..entry_points).filter_map(|entry_point| Some((entry_point, bad(entry_point)?))).collect();
            if bad.is_empty() {
                continue;
            }
            let better = span::union(good.into_iter().flatten().collect());
            for (entry_point, bad) in bad {
                let served = span::intersection(&bad, &history.delivered[offer(entry_point)]);
                self.dead_served_ms += span::total_ms(&span::intersection(&served, &better));
            }
        }
    }
}

/// A server is as long in the fleet as its longest entry point.
fn server_ms(case: &Case) -> u64 {
    let of = |server: &quorate_core::fleet::Server| {
        server.entry_points.iter().map(|ix| span::total_ms(&case.present[ix.at()])).max().unwrap_or(0)
    };
    case.fleet.servers().iter().map(of).sum()
}
