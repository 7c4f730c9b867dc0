//! The ranking: which edge comes before which, and how firmly.
//!
//! While the line is down there is nothing to lose, and the nearer edge comes first, by however little. While a session is
//! up its edge defends its place: **whoever stands behind it stays behind it**, however near, until it is clearly nearer
//! in two full measurements in a row. Whoever stands before it (it had failed when the session began) needs no more than
//! to answer twice in a row; if it turns out to be no nearer after all, it loses its place.
//!
//! A round in which nobody answers says something about this machine's network and nothing about any edge. An address
//! that does not answer keeps the times that it had: it is merely failing, and dialled last.

use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::memory::{Memory, Ranked};
use super::set::{ADDRESSES_MAX, distinct, sorted};
use super::since::Since;
use super::times::Times;
use crate::time::Moment;

/// Most addresses that are measured: eight handshakes at once are a burst that every machine bears.
pub const CANDIDATES_MAX: usize = 8;

/// One round is a coincidence.
pub const ROUNDS_NEEDED: u8 = 2;

/// What came of trying some addresses: the times of each, `None` if it did not complete a handshake.
pub(super) type Results<'a> = &'a [(IpAddr, Option<Times>)];

#[derive(Debug, Clone, Default)]
pub(super) struct Ranking {
    /// First comes first. All of the set are in here; others only until the next full measurement.
    edges: Vec<Ranked>,
    /// When the last full measurement was.
    measured: Option<Since>,
    /// On which addresses, in their own order.
    measured_on: Vec<IpAddr>,
    /// A full measurement is owed: nobody answered the last one, or an edge answers again that was not just waited for.
    owed: bool,
}

impl Ranking {
    /// What was read back, with all rounds begun anew.
    pub fn remembered(memory: &Memory, wall: Moment, now: Moment) -> Self {
        let mut ranking = Self {
            measured: memory.measured_at.and_then(|then| Since::remembered(then, wall, now)),
            measured_on: sorted(&distinct(&memory.measured_on)),
            ..Self::default()
        };
        for ranked in &memory.ranking {
            let address = ranked.address.to_canonical();
            if ranking.edge(address).is_none() && ranking.edges.len() < ADDRESSES_MAX {
                ranking.edges.push(Ranked { times: ranked.times, failing: ranked.failing, ..unknown(address) });
            }
        }
        ranking.sort();
        ranking
    }

    /// The set is this one: who is new comes last.
    pub fn admit(&mut self, addresses: &[IpAddr]) {
        self.edges.retain(|edge| edge.times.is_some() || addresses.contains(&edge.address));
        for address in addresses {
            if self.edge(*address).is_none() {
                self.edges.push(unknown(*address));
            }
        }
    }

    pub fn knows(&self, address: IpAddr) -> bool {
        self.edge(address).is_some_and(|edge| edge.times.is_some())
    }

    pub fn edges(&self) -> &[Ranked] {
        &self.edges
    }

    pub fn edge(&self, address: IpAddr) -> Option<&Ranked> {
        self.edges.iter().find(|edge| edge.address == address)
    }

    /// Everybody by time, the unmeasured last: as it is while no session is up.
    pub fn sort(&mut self) {
        by_time(&mut self.edges);
    }

    /// Those of the set that are measured, at most [`CANDIDATES_MAX`]: the current edge, without which nothing can be
    /// compared, then those that were measured last, then in order.
    pub fn candidates(&self, addresses: &[IpAddr], seat: IpAddr) -> Vec<IpAddr> {
        let edges = self.edges.iter().map(|edge| edge.address).filter(|address| addresses.contains(address));
        let mut candidates: Vec<IpAddr> = edges.collect();
        // A stable sort. Were those not measured preferred, of more than eight others would be measured each time.
        candidates.sort_by_key(|address| (*address != seat, !self.measured_on.contains(address)));
        candidates.truncate(CANDIDATES_MAX);
        candidates
    }

    /// Whether the candidates are to be measured anew: never done, too old, another set, or something to be confirmed.
    pub fn wants_measuring(&self, candidates: &[IpAddr], stale_after: Duration, now: Moment) -> bool {
        let stale = self.measured.is_none_or(|measured| measured.age(now) >= stale_after);
        stale
            || sorted(candidates) != self.measured_on
            || self.owed
            || self.edges.iter().any(|edge| edge.better_rounds > 0)
    }

    /// Those of the candidates that a round of the watch tries: whoever comes before the current edge, the current edge
    /// to compare them with, and whoever fails.
    pub fn watched(&self, candidates: &[IpAddr], seat: IpAddr) -> Vec<IpAddr> {
        let before = self.before(Some(seat));
        let is_watched = |address: &IpAddr| {
            *address == seat || before.contains(address) || self.edge(*address).is_some_and(|edge| edge.failing)
        };
        candidates.iter().copied().filter(is_watched).collect()
    }

    /// A round of the watch is over. `true` if it changed anything.
    pub fn handle_watch(&mut self, results: Results<'_>, seat: Option<IpAddr>) -> bool {
        let edges = self.edges.clone();
        self.note(results, seat);
        self.edges != edges
    }

    /// A full measurement is over. One that nobody answered was none.
    pub fn handle_full(&mut self, results: Results<'_>, seat: Option<IpAddr>, addresses: &[IpAddr], now: Moment) {
        let before = self.before(seat);
        if !self.note(results, seat) {
            self.owed = true;
            return;
        }
        let own = seat.and_then(|seat| Answer::of(results, seat).times());
        for edge in &mut self.edges {
            let times = Answer::of(results, edge.address).times();
            edge.times = times.or(edge.times);
            let is_behind = seat.is_some_and(|seat| seat != edge.address) && !before.contains(&edge.address);
            let is_better = is_behind && times.zip(own).is_some_and(|(times, own)| times.beats(&own));
            edge.better_rounds = if is_better { one_more(edge.better_rounds) } else { 0 };
        }
        // An edge that is missing from the set may be back in the next, and then has its place to defend.
        self.edges.retain(|edge| addresses.contains(&edge.address) || Some(edge.address) == seat);
        self.reorder(seat, &before);
        self.measured = Some(Since::now(now));
        self.measured_on = sorted(&results.iter().map(|(address, _)| address.to_canonical()).collect::<Vec<_>>());
        self.measured_on.dedup();
        self.owed = false;
    }

    /// The first edge before the current one that may be gone back to.
    pub fn returnable(&self, seat: IpAddr, addresses: &[IpAddr]) -> Option<IpAddr> {
        let edges = self.edges.iter().take_while(|edge| edge.address != seat);
        let good = |edge: &&Ranked| edge.good_rounds >= ROUNDS_NEEDED && addresses.contains(&edge.address);
        edges.filter(|edge| edge.address != seat).find(good).map(|edge| edge.address)
    }

    /// The nearest edge that is worth leaving the current one for.
    pub fn better(&self, addresses: &[IpAddr]) -> Option<IpAddr> {
        let better = self.edges.iter().filter(|edge| edge.better_rounds >= ROUNDS_NEEDED);
        let better = better.filter(|edge| addresses.contains(&edge.address));
        better.min_by_key(|edge| edge.times.map(|times| times.tls)).map(|edge| edge.address)
    }

    /// Puts an edge before the current one, and before whoever else is farther.
    pub fn promote(&mut self, address: IpAddr, seat: IpAddr) {
        let Some(from) = self.edges.iter().position(|edge| edge.address == address) else { return };
        let edge = self.edges.remove(from);
        let tls = |edge: &Ranked| edge.times.map(|times| times.tls);
        let is_passed = |other: &Ranked| other.address == seat || tls(other) > tls(&edge);
        let to = self.edges.iter().position(is_passed).unwrap_or(from);
        self.edges.insert(to, edge);
    }

    /// It was dialled in vain, or broke a session: it is dialled last until it answers again.
    pub fn fail(&mut self, address: IpAddr) {
        if let Some(edge) = self.edges.iter_mut().find(|edge| edge.address == address) {
            edge.failing = true;
        }
    }

    /// Rounds are counted within one session, and in a row.
    pub fn forget_rounds(&mut self) {
        for edge in &mut self.edges {
            (edge.good_rounds, edge.better_rounds) = (0, 0);
        }
    }

    /// The set in the order in which to dial it; `None` if there is nothing to choose by.
    pub fn order(&self, addresses: &[IpAddr]) -> Option<Vec<&Ranked>> {
        let mut edges: Vec<&Ranked> = self.edges.iter().filter(|edge| addresses.contains(&edge.address)).collect();
        if edges.len() < 2 || edges.iter().all(|edge| edge.times.is_none()) {
            return None;
        }
        // A stable sort: within each kind as they were.
        edges.sort_by_key(|edge| (edge.failing, edge.times.is_none()));
        Some(edges)
    }

    /// For a memory.
    pub fn measured(&self, now: Moment, wall: Moment) -> (Vec<IpAddr>, Option<Moment>) {
        (self.measured_on.clone(), self.measured.map(|measured| measured.to_wall(now, wall)))
    }

    /// Measured edges that come before the current one.
    pub fn before(&self, seat: Option<IpAddr>) -> Vec<IpAddr> {
        let Some(place) = self.edges.iter().position(|edge| Some(edge.address) == seat) else { return Vec::new() };
        self.edges[..place].iter().filter(|edge| edge.times.is_some()).map(|edge| edge.address).collect()
    }

    /// Takes down who answered; `false` if nobody did.
    fn note(&mut self, results: Results<'_>, seat: Option<IpAddr>) -> bool {
        if results.iter().all(|(_, times)| times.is_none()) {
            self.forget_rounds();
            return false;
        }
        let before = self.before(seat);
        let own = seat.and_then(|seat| Answer::of(results, seat).times());
        for edge in &mut self.edges {
            let is_before = before.contains(&edge.address);
            match Answer::of(results, edge.address) {
                Answer::NotTried => {}
                Answer::Silent => (edge.failing, edge.good_rounds, edge.better_rounds) = (true, 0, 0),
                Answer::After(times) => {
                    self.owed |= edge.failing && !is_before;
                    edge.failing = false;
                    let is_good = is_before && !own.is_some_and(|own| own.beats(&times));
                    edge.good_rounds = if is_good { one_more(edge.good_rounds) } else { 0 };
                }
            }
        }
        true
    }

    /// By time, but that nobody passes the current edge who was not `before` it.
    fn reorder(&mut self, seat: Option<IpAddr>, before: &[IpAddr]) {
        let Some(place) = self.edges.iter().position(|edge| Some(edge.address) == seat) else {
            self.sort();
            return;
        };
        let current = self.edges.remove(place);
        let own = current.times.filter(|_| !current.failing).map(|times| times.tls);
        let is_nearer = |edge: &Ranked| match (edge.times, own) {
            (Some(times), Some(own)) => times.tls < own,
            // It was before, and there is nothing to hold against it.
            (_, None) => true,
            (None, Some(_)) => false,
        };
        let edges = core::mem::take(&mut self.edges);
        let (mut first, mut last): (Vec<_>, Vec<_>) =
            edges.into_iter().partition(|edge| before.contains(&edge.address) && is_nearer(edge));
        by_time(&mut first);
        by_time(&mut last);
        self.edges = first;
        self.edges.push(current);
        self.edges.append(&mut last);
    }
}

/// Nobody asks by how many there are more than enough.
fn one_more(rounds: u8) -> u8 {
    rounds.saturating_add(1).min(ROUNDS_NEEDED)
}

fn unknown(address: IpAddr) -> Ranked {
    Ranked { address, times: None, failing: false, good_rounds: 0, better_rounds: 0 }
}

/// The unmeasured last. A stable sort: equals stay as they were.
fn by_time(edges: &mut [Ranked]) {
    edges.sort_by_key(|edge| (edge.times.is_none(), edge.times.map(|times| times.tls)));
}

/// What a round says of an address.
enum Answer {
    NotTried,
    Silent,
    After(Times),
}

impl Answer {
    fn of(results: Results<'_>, address: IpAddr) -> Self {
        match results.iter().find(|(tried, _)| tried.to_canonical() == address) {
            None => Self::NotTried,
            Some((_, None)) => Self::Silent,
            Some((_, Some(times))) => Self::After(*times),
        }
    }

    fn times(self) -> Option<Times> {
        match self {
            Self::After(times) => Some(times),
            Self::NotTried | Self::Silent => None,
        }
    }
}
