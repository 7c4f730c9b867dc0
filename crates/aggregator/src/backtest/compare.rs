//! What differs between two timelines of the same time. Nothing is worded here.
//!
//! A verdict of one is matched with those of the other that have the same status and overlap it: what was said in two
//! pieces and would have been said in one differs in nothing but its ends. Ends closer than a grain are the same: both
//! worlds are evaluated in steps.

use std::time::Duration;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::findings::Change;
use super::timeline::{Course, Stay, Timeline};

/// A verdict that differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The status.
    pub status: Status,
    /// How it differs.
    pub change: Change,
    /// As it was in force.
    pub was: Option<Stay>,
    /// As it would have been.
    pub would: Option<Stay>,
    /// Of a verdict that is gone, what would have been said for most of its time; of a new one, what was said.
    pub instead: Option<Status>,
}

/// What differs for one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerDifference {
    /// Which.
    pub server: String,
    /// How long it was withheld, and would have been.
    pub withheld: (Duration, Duration),
    /// Verdicts that differ, in order of time.
    pub verdicts: Vec<Difference>,
}

/// What differs for one route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteDifference {
    /// Which.
    pub route: String,
    /// For how long entry points were withheld, and would have been, each of them counted.
    pub withheld: (Duration, Duration),
    /// For how long nothing good was left, and would have been.
    pub last_resort: (Duration, Duration),
}

/// All that differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// Servers that differ, by id.
    pub servers: Vec<ServerDifference>,
    /// Routes that differ, by id.
    pub routes: Vec<RouteDifference>,
    /// How long servers were withheld, and would have been, all together.
    pub withheld: (Duration, Duration),
    /// Verdicts that were said, as far as they [stand](Status::stands).
    pub said: usize,
    /// Servers there were.
    pub of_servers: usize,
    /// Stays that were too many to be kept.
    pub left_out: usize,
}

/// What differs between what was said and what would have been.
pub fn compare(was: &Timeline, would: &Timeline, grain: Duration) -> Differences {
    let nothing = Course::default();
    let mut found = Differences { of_servers: was.servers().len(), ..Differences::default() };
    for (server, course) in was.servers() {
        let other = would.servers().get(server).unwrap_or(&nothing);
        found.said += course.stays.iter().filter(|stay| stay.status.stands()).count();
        found.left_out += course.left_out + other.left_out;
        found.withheld = (found.withheld.0 + course.withheld, found.withheld.1 + other.withheld);
        let verdicts = verdicts(&course.stays, &other.stays, grain);
        let withheld = (course.withheld, other.withheld);
        if !verdicts.is_empty() || withheld.0.abs_diff(withheld.1) > grain {
            found.servers.push(ServerDifference { server: server.clone(), withheld, verdicts });
        }
    }
    for (route, course) in was.routes() {
        let other = would.routes().get(route).copied().unwrap_or_default();
        let withheld = (course.withheld, other.withheld);
        let last_resort = (course.last_resort, other.last_resort);
        let differs = |(was, would): (Duration, Duration)| was.abs_diff(would) > grain;
        if differs(withheld) || differs(last_resort) {
            found.routes.push(RouteDifference { route: route.clone(), withheld, last_resort });
        }
    }
    found
}

fn verdicts(was: &[Stay], would: &[Stay], grain: Duration) -> Vec<Difference> {
    let statuses = Status::ALL.into_iter().filter(|status| status.stands());
    // A blink on the way to another word is none.
    let lasts = |stay: &Stay| stay.to.since(stay.from) > grain;
    let of = |stays: &[Stay], status| -> Vec<Stay> {
        stays.iter().copied().filter(|stay| stay.status == status && lasts(stay)).collect()
    };
    let mut found: Vec<Difference> = statuses
        .flat_map(|status| matched(&of(was, status), &of(would, status)))
        .filter_map(|pair| difference(pair, was, would, grain))
        .collect();
    found.sort_by_key(|difference| (difference.begin(), difference.status));
    found
}

/// Groups of stays that overlap, each as one stay of either side.
fn matched(was: &[Stay], would: &[Stay]) -> Vec<(Option<Stay>, Option<Stay>)> {
    let mut all: Vec<(bool, Stay)> =
        was.iter().map(|stay| (true, *stay)).chain(would.iter().map(|stay| (false, *stay))).collect();
    all.sort_by_key(|(_, stay)| stay.from);
    let mut groups: Vec<(Moment, Option<Stay>, Option<Stay>)> = Vec::new();
    for (is_was, stay) in all {
        if groups.last().is_none_or(|(end, ..)| stay.from >= *end) {
            groups.push((stay.to, None, None));
        }
        let Some((end, was, would)) = groups.last_mut() else { continue };
        *end = stay.to.max(*end);
        let side = if is_was { was } else { would };
        *side = Some(side.map_or(stay, |first| Stay {
            to: stay.to.max(first.to),
            sites: stay.sites.max(first.sites),
            ..first
        }));
    }
    groups.into_iter().map(|(_, was, would)| (was, would)).collect()
}

fn difference(
    (was, would): (Option<Stay>, Option<Stay>),
    all_was: &[Stay],
    all_would: &[Stay],
    grain: Duration,
) -> Option<Difference> {
    let apart = |a: Moment, b: Moment| a.since(b).max(b.since(a)) > grain;
    let (change, instead) = match (&was, &would) {
        (Some(was), None) => (Change::Gone, longest_within(all_would, was)),
        (None, Some(would)) => (Change::New, longest_within(all_was, would)),
        (Some(was), Some(would)) if apart(was.from, would.from) => {
            (if would.from > was.from { Change::Later } else { Change::Earlier }, None)
        }
        (Some(was), Some(would)) if apart(was.to, would.to) => {
            (if would.to > was.to { Change::Longer } else { Change::Shorter }, None)
        }
        _ => return None,
    };
    Some(Difference { status: was.or(would)?.status, change, was, would, instead })
}

/// The status that takes most of the time of `stay`.
fn longest_within(stays: &[Stay], stay: &Stay) -> Option<Status> {
    let within = |other: &Stay| other.to.min(stay.to).since(other.from.max(stay.from));
    let mut spans: Vec<(Status, Duration)> = Vec::new();
    for other in stays.iter().filter(|other| !within(other).is_zero()) {
        match spans.iter_mut().find(|(status, _)| *status == other.status) {
            Some((_, span)) => *span += within(other),
            None => spans.push((other.status, within(other))),
        }
    }
    spans.into_iter().max_by_key(|(_, span)| *span).map(|(status, _)| status)
}

impl Difference {
    /// When the earlier of the two began.
    pub fn begin(&self) -> Moment {
        let begins = [self.was, self.would].into_iter().flatten().map(|stay| stay.from);
        begins.min().unwrap_or_default()
    }

    /// When the later of the two ended.
    pub fn end(&self) -> Moment {
        let ends = [self.was, self.would].into_iter().flatten().map(|stay| stay.to);
        ends.max().unwrap_or_default()
    }

    /// For how long the two worlds disagree.
    pub fn weight(&self) -> Duration {
        let apart = |a: Moment, b: Moment| a.since(b).max(b.since(a));
        match (&self.was, &self.would) {
            (Some(one), None) | (None, Some(one)) => one.to.since(one.from),
            (Some(was), Some(would)) => apart(was.from, would.from) + apart(was.to, would.to),
            (None, None) => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests;
