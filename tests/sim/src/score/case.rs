//! The truth of one tape, put so that what a detector held can be laid beside it.
//!
//! A *fault* is one entry point that is dead, for all or for some, without a break. An *incident* is a time in which
//! something was wrong with the world: a trouble that the truth lists, or a fault, and what overlaps is one incident. A broken
//! pair is an incident without a fault.
//!
//! Evidence lags behind what it is about. For [`ECHO`] intervals after an incident or a fault is over, what a detector does is
//! still put down to it.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::{Country, EntryIx, Fleet};
use quorate_core::time::Moment;

use super::history::Roster;
use super::span::{self, Span};
use crate::truth::{Plight, Truth};

/// How many intervals evidence may lag: three rounds of a series, the round under way when things changed, and the way of a
/// report.
pub const ECHO: u32 = 5;

/// The truth of a tape.
#[derive(Debug)]
pub struct Case {
    /// The fleet at the beginning, whose indices hold throughout.
    pub fleet: Arc<Fleet>,
    /// The first judgement and the end of the tape: what is scored lies between.
    pub whole: Span,
    /// [`ECHO`] intervals.
    pub echo: Duration,
    /// By entry point: while it was in the fleet and not disabled.
    pub present: Vec<Vec<Span>>,
    /// By offer: while it was active on its route.
    pub offered: Vec<Vec<Span>>,
    /// By entry point, all of the time.
    plights: Vec<Vec<(Span, Plight)>>,
    /// All faults, by entry point, then by time.
    pub faults: Vec<Fault>,
    /// All incidents, by time.
    pub incidents: Vec<Span>,
}

/// An entry point that was dead, for all or for some, without a break, while it was in the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which.
    pub entry_point: usize,
    /// From when to when.
    pub span: Span,
}

/// What an entry point on a route is for those whom the route serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// They reach it.
    Good,
    /// They do not.
    Bad,
    /// Some do, or nobody can say: it is in no figure.
    Open,
}

impl Case {
    /// Of a tape that was played to its end; `present` and `offered` as [`Roster`] said while it ran.
    pub fn new(
        fleet: Arc<Fleet>,
        interval: Duration,
        whole: Span,
        (present, offered): (Vec<Vec<Span>>, Vec<Vec<Span>>),
        truth: &Truth,
    ) -> Self {
        let plights: Vec<_> = fleet.entry_ixs().map(|ix| plights_of(ix, whole, truth)).collect();
        let ill = |entry_point: usize, is_ill: fn(&Plight) -> bool| {
            let ill = plights[entry_point].iter().filter(|(_, plight)| is_ill(plight)).map(|(span, _)| *span);
            span::intersection(&span::union(ill.collect()), &present[entry_point])
        };
        let is_fault = |plight: &Plight| matches!(plight, Plight::Dead | Plight::DeadFor(_));
        let faults = (0..plights.len()).flat_map(|entry_point| {
            ill(entry_point, is_fault).into_iter().map(move |span| Fault { entry_point, span })
        });
        let faults: Vec<Fault> = faults.collect();
        let listed = truth.troubles.iter().filter_map(|trouble| Span::new(trouble.from, trouble.until));
        let listed = listed.filter_map(|trouble| trouble.overlap(whole));
        let not_well = (0..plights.len()).flat_map(|entry_point| ill(entry_point, |plight| *plight != Plight::Well));
        let incidents = span::union(listed.chain(not_well).collect());
        Self { echo: interval * ECHO, fleet, whole, present, offered, plights, faults, incidents }
    }

    /// Whether the entry point is well at that moment, and has been for long enough that nothing of before echoes.
    pub fn is_well_without_echo(&self, entry_point: usize, at: Moment) -> bool {
        let plights = &self.plights[entry_point];
        let now = plights.partition_point(|(span, _)| span.until <= at);
        let is_well = plights.get(now).is_none_or(|(_, plight)| *plight == Plight::Well);
        let last_ill = plights[..now].iter().rfind(|(_, plight)| *plight != Plight::Well);
        is_well && last_ill.is_none_or(|(span, _)| span.until.after(self.echo) <= at)
    }

    /// Whether the entry point is well at that moment.
    pub fn is_well(&self, entry_point: usize, at: Moment) -> bool {
        self.plights[entry_point].iter().any(|(span, plight)| span.contains(at) && *plight == Plight::Well)
    }

    /// Which incident what happens at that moment is put down to, if any.
    pub fn incident_at(&self, at: Moment) -> Option<usize> {
        let begun = self.incidents.partition_point(|incident| incident.from <= at);
        let last = begun.checked_sub(1)?;
        (at < self.incidents[last].until.after(self.echo)).then_some(last)
    }

    /// An incident and its echo, which ends where the next incident begins.
    pub fn with_echo(&self, incident: usize) -> Span {
        let Span { from, until } = self.incidents[incident];
        let next = self.incidents.get(incident + 1).map_or(self.whole.until, |next| next.from);
        Span { from, until: until.after(self.echo).min(next).max(until) }
    }

    /// While an entry point is of a certain use on a route.
    pub fn used(&self, route: usize, entry_point: usize, wanted: Use) -> Vec<Span> {
        let audience = &self.fleet.routes()[route].audience;
        let plights = self.plights[entry_point].iter().filter(|(_, plight)| use_of(plight, audience) == wanted);
        span::union(plights.map(|(span, _)| *span).collect())
    }
}

/// A route without an audience serves everybody: of what is dead for some, nobody can say whether it should have it.
fn use_of(plight: &Plight, audience: &[Country]) -> Use {
    match plight {
        Plight::Well => Use::Good,
        Plight::Dead => Use::Bad,
        Plight::Undecided => Use::Open,
        Plight::DeadFor(countries) => match audience.iter().filter(|country| countries.contains(country)).count() {
            _ if audience.is_empty() => Use::Open,
            0 => Use::Good,
            cut_off if cut_off == audience.len() => Use::Bad,
            _ => Use::Open,
        },
    }
}

fn plights_of(entry_point: EntryIx, whole: Span, truth: &Truth) -> Vec<(Span, Plight)> {
    let turns = truth.turns.iter().filter(|turn| turn.entry_point == entry_point);
    let mut plights = Vec::new();
    let mut since = (Moment::ZERO, Plight::Well);
    for turn in turns {
        plights.extend(Span::new(since.0, turn.at).map(|span| (span, since.1.clone())));
        since = (turn.at, turn.plight.clone());
    }
    plights.extend(Span::new(since.0, whole.until).map(|span| (span, since.1)));
    plights
}

/// Collects, while a tape runs, what [`Case::new`] wants of the rosters.
#[derive(Debug)]
pub struct Attendance {
    present: span::Switches,
    offered: span::Switches,
}

impl Attendance {
    /// Of a tape that begins with that fleet.
    pub fn new(first: &Fleet) -> Self {
        Self {
            present: span::Switches::new(first.entry_points().len()),
            offered: span::Switches::new(Roster::offers(first)),
        }
    }

    /// From this moment on that roster holds.
    pub fn note(&mut self, at: Moment, roster: &Roster) {
        self.present.set(at, &roster.present());
        self.offered.set(at, &roster.offered());
    }

    /// Up to the end.
    pub fn finish(self, end: Moment) -> (Vec<Vec<Span>>, Vec<Vec<Span>>) {
        (self.present.finish(end), self.offered.finish(end))
    }
}
