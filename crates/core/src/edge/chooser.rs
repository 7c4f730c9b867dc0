//! The machine: what its driver tells it, and what it asks for.

use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::backoff::Ended;
use super::memory::{Memory, MoveReason, Seat, Why};
use super::ranking::{ROUNDS_NEEDED, Ranking};
use super::set::{Resolution, Set, distinct};
use super::times::Times;
use super::timing::Timing;
use crate::dice::Dice;
use crate::time::Moment;

/// Least time from dialling one edge to dialling the next: a lost SYN costs a second anyway.
const STAGGER_MIN: Duration = Duration::from_millis(250);
/// Longest: whoever lands on a black hole waits for no more than this. Also for an edge that was never measured.
const STAGGER_MAX: Duration = Duration::from_secs(2);
/// A session that breaks before this age is held against its edge: handshakes may well go through what lets no report
/// through (a path that drops large packets, say), and an edge that always comes first would then keep an agent from
/// reporting for ever. A dead path shows after a ping and its budget, 25 s.
const YOUNG: Duration = Duration::from_secs(60);
/// What the dice are thrown for: "edge".
const GAME: u64 = 0x6564_6765;

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Duty {
    /// Ask the system's resolver for the gateway's name; then `handle_resolved`.
    Resolve,
    /// Make [`SAMPLES`](super::SAMPLES) full handshakes with each address, the addresses side by side, each with its own
    /// [`PROBE_BUDGET`](super::PROBE_BUDGET); then `handle_measured` with [`best_of`](super::best_of) each.
    Measure {
        /// At most [`CANDIDATES_MAX`](super::CANDIDATES_MAX).
        addresses: Vec<IpAddr>,
    },
    /// Make one full handshake with each address, side by side; then `handle_probed`.
    Probe {
        /// At most [`CANDIDATES_MAX`](super::CANDIDATES_MAX).
        addresses: Vec<IpAddr>,
    },
    /// End the session with this reason and begin another, in [`Chooser::connect_order`]; then `handle_ended`.
    Move(Move),
}

/// A planned change of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Why.
    pub reason: MoveReason,
    /// Where to. The session may end up elsewhere, if this does not answer.
    pub to: IpAddr,
}

/// Which addresses to dial, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectOrder {
    /// No choice: the set as the resolver gave it, dialled in turn like any name with several addresses. Empty if no
    /// address is known.
    Plain(Vec<IpAddr>),
    /// Dialled one after the other, each joining those before it when the last one's stagger is over or all have
    /// failed. The first whose TLS and Hello are done wins.
    Ranked(Vec<Dial>),
}

impl ConnectOrder {
    /// The addresses alone.
    pub fn addresses(&self) -> Vec<IpAddr> {
        match self {
            Self::Plain(addresses) => addresses.clone(),
            Self::Ranked(dials) => dials.iter().map(|dial| dial.address).collect(),
        }
    }
}

/// One address to dial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dial {
    /// Which.
    pub address: IpAddr,
    /// How long it has for itself before the next one is dialled too.
    pub stagger: Duration,
}

/// Chooses the edge. See the module's text for the order of calls.
#[derive(Debug, Clone)]
pub struct Chooser {
    timing: Timing,
    dice: Dice,
    now: Moment,
    set: Set,
    ranking: Ranking,
    /// The edge of the session, and of the last one while there is none. Its moment is monotonic.
    seat: Option<Seat>,
    /// When the session began, if one is up.
    opened_at: Option<Moment>,
    /// A move that was handed out, until a session has come of it.
    moving: Option<Move>,
    last_move_at: Option<Moment>,
    resolve_at: Moment,
    round_at: Moment,
    /// A resolution is under way.
    resolving: bool,
    /// A measurement or a round of the watch is under way.
    looking: bool,
    /// There is something new to remember.
    changed: bool,
    /// When the set was last remembered.
    stored_at: Moment,
}

impl Chooser {
    /// Begins with what was remembered, or with [`Memory::default`]. `wall` is the wall clock, at `now`. Two agents with
    /// different seeds look at different moments.
    pub fn new(memory: &Memory, timing: Timing, seed: u64, now: Moment, wall: Moment) -> Self {
        let set = Set::remembered(&memory.addresses, memory.resolved_at, wall, now);
        let mut ranking = Ranking::remembered(memory, wall, now);
        ranking.admit(set.addresses(timing.set_kept, now));
        Self {
            timing,
            dice: Dice::new(seed, GAME),
            now,
            set,
            ranking,
            seat: None,
            opened_at: None,
            moving: None,
            last_move_at: None,
            resolve_at: now,
            round_at: now,
            resolving: false,
            looking: false,
            changed: false,
            stored_at: now,
        }
    }

    /// Time has passed.
    pub fn handle_tick(&mut self, now: Moment) {
        self.now = self.now.max(now);
    }

    /// The gateway's name was resolved, before an attempt or because [`Duty::Resolve`] asked for it.
    pub fn handle_resolved(&mut self, resolution: Resolution, now: Moment) {
        self.handle_tick(now);
        self.resolving = false;
        let fresh = match resolution {
            Resolution::Addresses(addresses) => distinct(&addresses),
            Resolution::Failed => return,
        };
        if fresh.is_empty() {
            return;
        }
        if let Some(seat) = self.seat.as_mut().filter(|_| self.opened_at.is_some()) {
            let missing = if fresh.contains(&seat.address) { 0 } else { seat.missing.saturating_add(1) };
            self.changed |= missing != seat.missing;
            seat.missing = missing;
        }
        let ranking = &self.ranking;
        let is_other = self.set.replace(fresh, |address| ranking.knows(address), self.now);
        self.ranking.admit(self.set.addresses(self.timing.set_kept, self.now));
        self.changed |= is_other || self.now.since(self.stored_at) >= self.timing.stale_after;
    }

    /// A full measurement is over: for each address the least of its samples, `None` if none was completed.
    pub fn handle_measured(&mut self, results: &[(IpAddr, Option<Times>)], now: Moment) {
        self.handle_tick(now);
        self.looking = false;
        let addresses = self.set.addresses(self.timing.set_kept, self.now).to_vec();
        self.ranking.handle_full(results, self.live_seat(), &addresses, self.now);
        self.changed = true;
    }

    /// A round of the watch is over: for each address what its handshake took, `None` if it was not completed.
    pub fn handle_probed(&mut self, results: &[(IpAddr, Option<Times>)], now: Moment) {
        self.handle_tick(now);
        self.looking = false;
        self.changed |= self.ranking.handle_watch(results, self.live_seat());
    }

    /// A session is up, through this address.
    pub fn handle_opened(&mut self, address: IpAddr, now: Moment) {
        self.handle_tick(now);
        let address = address.to_canonical();
        let why = self.why(address);
        let since = self.seat.filter(|seat| seat.address == address).map_or(self.now, |seat| seat.since);
        self.ranking.forget_rounds();
        self.seat = Some(Seat { address, since, why, missing: 0 });
        self.opened_at = Some(self.now);
        self.moving = None;
        (self.resolving, self.looking) = (false, false);
        self.resolve_at = self.now.after(self.gap(self.timing.resolve_every));
        self.round_at = self.now.after(self.dice.up_to(self.timing.watch_every));
        self.changed = true;
    }

    /// The session is over. Duties that are under way may be dropped. An attempt that came to nothing needs no word.
    pub fn handle_ended(&mut self, ended: Ended, now: Moment) {
        self.handle_tick(now);
        let Some((opened_at, seat)) = self.opened_at.take().zip(self.seat) else { return };
        if ended == Ended::Error && self.now.since(opened_at) < YOUNG {
            self.ranking.fail(seat.address);
        }
        if self.moving.is_none() {
            self.ranking.sort();
        }
        self.changed = true;
    }

    /// What is to be done at the `now` of the last call; each is handed out once. Nothing while no session is up.
    pub fn poll_duty(&mut self) -> Option<Duty> {
        let seat = self.live_seat().filter(|_| self.moving.is_none())?;
        if let Some((wanted, _)) = self.wanted_move().filter(|(_, due_at)| *due_at <= self.now) {
            if wanted.reason == MoveReason::Better {
                self.ranking.promote(wanted.to, seat);
            }
            self.moving = Some(wanted);
            self.last_move_at = Some(self.now);
            return Some(Duty::Move(wanted));
        }
        if !self.resolving && self.resolve_at <= self.now {
            self.resolve_at = self.now.after(self.gap(self.timing.resolve_every));
            self.resolving = true;
            return Some(Duty::Resolve);
        }
        if !self.looking && self.round_at <= self.now {
            self.round_at = self.now.after(self.gap(self.timing.watch_every));
            let duty = self.round(seat);
            self.looking = duty.is_some();
            return duty;
        }
        None
    }

    /// When to call `handle_tick` at the latest; `None` if nothing is due until something else happens.
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.live_seat().filter(|_| self.moving.is_none())?;
        let resolve_at = Some(self.resolve_at).filter(|_| !self.resolving);
        let round_at = Some(self.round_at).filter(|_| !self.looking);
        let move_at = self.wanted_move().map(|(_, due_at)| due_at);
        [resolve_at, round_at, move_at].into_iter().flatten().min()
    }

    /// What is to be remembered, if that has changed since it was last asked for. `wall` is the wall clock at `now`.
    pub fn poll_memory(&mut self, now: Moment, wall: Moment) -> Option<Memory> {
        self.handle_tick(now);
        core::mem::take(&mut self.changed).then(|| {
            self.stored_at = self.now;
            self.memory(now, wall)
        })
    }

    /// All that is known, as a memory has it. `wall` is the wall clock at `now`.
    pub fn memory(&self, now: Moment, wall: Moment) -> Memory {
        let (addresses, resolved_at) = self.set.to_memory(now, wall);
        let (measured_on, measured_at) = self.ranking.measured(now, wall);
        let seat = self.seat.filter(|_| self.opened_at.is_some());
        let seat = seat.map(|seat| Seat { since: wall.before(now.since(seat.since)), ..seat });
        let ranking = self.ranking.edges().to_vec();
        Memory { addresses, resolved_at, ranking, measured_on, measured_at, seat }
    }

    /// What to dial, with what is known at the `now` of the last call: after `handle_resolved`, before each attempt.
    pub fn connect_order(&self) -> ConnectOrder {
        let addresses = self.addresses();
        let Some(mut edges) = self.ranking.order(addresses) else {
            return ConnectOrder::Plain(addresses.to_vec());
        };
        // A stable sort: the goal of a move first, all others as they were.
        edges.sort_by_key(|edge| self.moving.is_none_or(|moving| moving.to != edge.address));
        let dials = edges.into_iter().map(|edge| {
            let twice = edge.times.map_or(STAGGER_MAX, |times| times.tls.saturating_mul(2));
            Dial { address: edge.address, stagger: twice.clamp(STAGGER_MIN, STAGGER_MAX) }
        });
        ConnectOrder::Ranked(dials.collect())
    }

    fn addresses(&self) -> &[IpAddr] {
        self.set.addresses(self.timing.set_kept, self.now)
    }

    /// The edge of the session that is up.
    fn live_seat(&self) -> Option<IpAddr> {
        self.seat.filter(|_| self.opened_at.is_some()).map(|seat| seat.address)
    }

    /// Why a session goes through this edge. Whoever was dialled before it did not answer in time.
    fn why(&mut self, address: IpAddr) -> Why {
        let order = self.connect_order();
        let Some(place) = order.addresses().iter().position(|dialled| *dialled == address) else {
            return Why::NoChoice;
        };
        let ConnectOrder::Ranked(dials) = order else { return Why::NoChoice };
        for dial in &dials[..place] {
            self.ranking.fail(dial.address);
        }
        match self.moving {
            Some(moving) if moving.to == address => Why::Moved(moving.reason),
            Some(_) | None if self.ranking.before(Some(address)).is_empty() => Why::First,
            Some(_) | None => Why::Fallback,
        }
    }

    /// What a round of the watch does; nothing where there is no choice.
    fn round(&self, seat: IpAddr) -> Option<Duty> {
        let addresses = self.addresses();
        if addresses.len() < 2 {
            return None;
        }
        let candidates = self.ranking.candidates(addresses, seat);
        if self.ranking.wants_measuring(&candidates, self.timing.stale_after, self.now) {
            return Some(Duty::Measure { addresses: candidates });
        }
        let addresses = self.ranking.watched(&candidates, seat);
        // None where the current edge is missing from the set and nobody comes before it.
        (!addresses.is_empty()).then_some(Duty::Probe { addresses })
    }

    /// The move that everything known speaks for, and when it may be made.
    fn wanted_move(&self) -> Option<(Move, Moment)> {
        let seat = self.seat?;
        let addresses = self.addresses();
        if seat.missing >= ROUNDS_NEEDED {
            let to = self.connect_order().addresses().into_iter().find(|address| *address != seat.address)?;
            return Some((Move { reason: MoveReason::Removed, to }, self.now));
        }
        if addresses.len() < 2 {
            return None;
        }
        let rested_at = self.last_move_at.map_or(Moment::ZERO, |last| last.after(self.timing.dwell));
        if let Some(to) = self.ranking.returnable(seat.address, addresses) {
            return Some((Move { reason: MoveReason::Return, to }, rested_at));
        }
        let to = self.ranking.better(addresses)?;
        Some((Move { reason: MoveReason::Better, to }, rested_at.max(seat.since.after(self.timing.dwell))))
    }

    /// A time around `every`: between half and one and a half of it, evenly. Because that is as wide as the period
    /// itself, where in a period one round falls says nothing about where the next one does; and because it has a least,
    /// two rounds in a row are some time apart.
    fn gap(&mut self, every: Duration) -> Duration {
        // One ms is the least that a moment can tell apart; less would be a busy loop.
        (every / 2 + self.dice.up_to(every)).max(Duration::from_millis(1))
    }
}
