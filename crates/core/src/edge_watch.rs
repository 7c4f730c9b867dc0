//! What the aggregator finds when it walks up to its own edges: which of them lead to the gateway, who sits on which, and
//! what an operator should hear of it.
//!
//! Like the owner of a shop with several doors who goes round the outside now and then, tries each door, and looks from
//! within who came in by which. A door that opens into a wall looks open from the street, so only a walk all the way to the
//! counter says that it is a door. One failed try means nothing; three in a row are told, and two good ones end it.
//!
//! Always true: what stands was seen three times in a row, or is a fact of twelve hours; everything that stands falls by
//! itself; a resolver that fails, and trouble of this machine's own, are evidence against no edge. It refuses to know how an
//! address is reached, what a network is, and who is right: it changes no verdict.
//!
//! The driver, round after round: [`EdgeWatch::handle_answer`] with what the resolver said; a knock on each of
//! [`EdgeWatch::addresses`]; [`EdgeWatch::handle_round`] with what was found, which returns what is to be told. Without
//! declared edges: [`EdgeWatch::handle_no_edges`].

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::SocketAddr;
use core::time::Duration;

use crate::outcome::{FailureKind, Reason};
use crate::time::Moment;

pub use self::address::{Address, AddressState};
pub use self::alert::{About, Alert, Change, Standing, Trouble};

mod address;
mod alert;
mod standing;
mod words;

#[cfg(test)]
mod tests;

/// Failures in a row that are told, and rounds for which a fact must hold: one is a lost packet, two are a restart.
pub const TOLD_AFTER: u8 = 3;

/// Good ones in a row that end it: one is an edge that has just restarted and may do so again.
pub const HEALED_AFTER: u8 = 2;

/// Answers of the resolver in a row without an address until it is out of the set, as agents count it.
pub const GONE_AFTER: u8 = 2;

/// Agents measure all edges anew every 6 h. Who was passed over twice by all of them is not found by any.
pub const UNUSED_AFTER: Duration = Duration::from_hours(12);

/// What a knock on an address found. Health hangs on the handshake: whoever accepts a connection has forwarded nothing yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knock {
    /// The gateway answered through it.
    Through {
        /// TCP connect: the way to the edge.
        connect: Duration,
        /// TLS handshake over the same socket: on to the gateway and back.
        handshake: Duration,
    },
    /// It took the connection, and nobody answered behind it.
    Nobody {
        /// TCP connect.
        connect: Duration,
        /// How the handshake failed.
        kind: FailureKind,
    },
    /// It took the connection, and somebody answered who is not the gateway.
    Foreign {
        /// TCP connect.
        connect: Duration,
        /// What was wrong with the one who answered.
        kind: FailureKind,
    },
    /// It took no connection.
    Unreachable(FailureKind),
    /// This machine could not knock: evidence for nobody.
    Untold(Reason),
}

/// What the system's resolver says of the gateway's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The addresses, at least one: this set is the list of edges.
    Addresses(BTreeSet<SocketAddr>),
    /// It failed, or knows none.
    Nothing,
    /// Only addresses of this machine itself, as from its hosts file: what agents see is not known here.
    Itself,
    /// There is no name to ask for: agents dial an address.
    NoName,
}

/// What was found in a round, beside what the resolver said.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// The gateway's names, for sentences.
    pub gateway: String,
    /// Ids of the inventory's edges.
    pub declared: BTreeSet<Arc<str>>,
    /// Each address that was knocked on, whose it is by the inventory, and what was found.
    pub knocks: Vec<(SocketAddr, Option<Arc<str>>, Knock)>,
    /// Live sessions: the server, and the edge that its connection comes from; none if it comes past them.
    pub sitting: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// Edges through which an agent has come since the last round, if only to measure.
    pub came: BTreeSet<Arc<str>>,
}

/// The memory of the walks.
#[derive(Debug, Clone, Default)]
pub struct EdgeWatch {
    answer: Option<Answer>,
    addresses: BTreeMap<SocketAddr, Address>,
    /// When an agent came through each edge last; when it was first heard of, if none ever did.
    used: BTreeMap<Arc<str>, Moment>,
    conditions: BTreeMap<(Trouble, About), standing::Condition>,
    alerts: Vec<Alert>,
}

impl EdgeWatch {
    /// Goes on from what stood when the last process ended, so that a restart tells nothing twice.
    pub fn resume(standing: impl IntoIterator<Item = Standing>) -> Self {
        let mut watch = Self::default();
        for Standing { trouble, about, since } in standing {
            match (AddressState::of(trouble), about) {
                (Some(state), About::Address(at)) => {
                    watch.addresses.insert(at, Address::stood(state, since));
                }
                (_, about) => {
                    watch.conditions.insert((trouble, about), standing::Condition::stood(since));
                }
            }
        }
        watch.alerts = words::alerts(&watch, &Round::default());
        watch
    }

    /// Takes over what the resolver says. A failed look-up keeps the last set.
    pub fn handle_answer(&mut self, answer: Answer) {
        if let Answer::Addresses(set) = &answer {
            for address in set {
                self.addresses.entry(*address).or_default();
            }
            self.addresses.retain(|address, found| found.is_kept(set.contains(address)));
        }
        self.answer = Some(answer);
    }

    /// What is to be knocked on, by family and number.
    pub fn addresses(&self) -> impl Iterator<Item = (SocketAddr, &Address)> {
        self.addresses.iter().map(|(address, found)| (*address, found))
    }

    /// What the resolver said last; none before the first round, and without declared edges.
    pub fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// What stands, by trouble.
    pub fn alerts(&self) -> &[Alert] {
        &self.alerts
    }

    /// What stands, as [`EdgeWatch::resume`] takes it.
    pub fn standing(&self) -> Vec<Standing> {
        let of_addresses = self.addresses.iter().filter_map(|(at, address)| {
            let trouble = address.state.trouble()?;
            Some(Standing { trouble, about: About::Address(*at), since: address.since })
        });
        let of_all = self.conditions.iter().filter_map(|((trouble, about), condition)| {
            let since = condition.since()?;
            Some(Standing { trouble: *trouble, about: about.clone(), since })
        });
        of_addresses.chain(of_all).collect()
    }

    /// Ends a round; returns what is to be told.
    pub fn handle_round(&mut self, round: &Round, now: Moment) -> Vec<Change> {
        for (at, edge, knock) in &round.knocks {
            if let Some(address) = self.addresses.get_mut(at) {
                address.handle_knock(edge.clone(), *knock, now);
            }
        }
        self.note_use(round, now);
        let mut seen = self.seen_in(round, now);
        // What nobody speaks of any longer is not seen: an edge that was removed, a session that ended.
        for key in self.conditions.keys() {
            seen.entry(key.clone()).or_insert(Some(false));
        }
        for (key, is_seen) in seen {
            if let Some(is_seen) = is_seen {
                self.conditions.entry(key).or_default().handle(is_seen, now);
            }
        }
        self.conditions.retain(|_, condition| !condition.is_forgotten());
        self.take_over(words::alerts(self, round))
    }

    /// No edges are declared: there is nothing to walk to, and nothing to say.
    pub fn handle_no_edges(&mut self) -> Vec<Change> {
        *self = Self { alerts: core::mem::take(&mut self.alerts), ..Self::default() };
        self.take_over(Vec::new())
    }

    fn take_over(&mut self, alerts: Vec<Alert>) -> Vec<Change> {
        let changes = alert::changes(&self.alerts, &alerts);
        self.alerts = alerts;
        changes
    }

    fn note_use(&mut self, round: &Round, now: Moment) {
        self.used.retain(|edge, _| round.declared.contains(edge));
        for edge in &round.declared {
            self.used.entry(edge.clone()).or_insert(now);
        }
        let sat_on = round.sitting.iter().filter_map(|(_, edge)| edge.as_ref());
        for edge in sat_on.chain(&round.came) {
            if let Some(used) = self.used.get_mut(edge) {
                *used = now;
            }
        }
    }

    /// Whether each thing that may stand is seen in this round; none where that cannot be said.
    fn seen_in(&self, round: &Round, now: Moment) -> BTreeMap<(Trouble, About), Option<bool>> {
        let mut seen = BTreeMap::new();
        let has_addresses = match self.answer {
            Some(Answer::Addresses(_)) => Some(true),
            Some(Answer::Nothing | Answer::Itself) => Some(false),
            Some(Answer::NoName) | None => None,
        };
        seen.insert((Trouble::Unresolved, About::Gateway), has_addresses.map(|has| !has));
        for (at, address) in &self.addresses {
            seen.insert((Trouble::Unlisted, About::Address(*at)), Some(address.edge.is_none()));
        }
        let others_are_used = round.sitting.iter().any(|(_, edge)| edge.is_some());
        for edge in &round.declared {
            let is_in_dns = self.of_edge(edge).next().is_some();
            let is_missing = (has_addresses == Some(true)).then_some(!is_in_dns);
            seen.insert((Trouble::NotInDns, About::Edge(edge.clone())), is_missing);
            let unused_for = self.used.get(edge).map_or(Duration::ZERO, |used| now.since(*used));
            // One that is ill or not in DNS is told of already, and unused for that.
            let is_well = is_in_dns && self.of_edge(edge).all(|(_, address)| address.state.trouble().is_none());
            let is_unused = is_well && others_are_used && unused_for >= UNUSED_AFTER;
            seen.insert((Trouble::Unused, About::Edge(edge.clone())), Some(is_unused));
        }
        for (server, edge) in &round.sitting {
            // Of two sessions of one server the one past the edges counts.
            let is_past = seen.entry((Trouble::Past, About::Agent(server.clone()))).or_insert(Some(false));
            if edge.is_none() {
                *is_past = Some(true);
            }
        }
        seen
    }

    fn of_edge<'a>(&'a self, edge: &'a str) -> impl Iterator<Item = (SocketAddr, &'a Address)> {
        self.addresses().filter(move |(_, address)| address.edge.as_deref() == Some(edge))
    }
}
