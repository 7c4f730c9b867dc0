//! Who may wait at the door: connections that have not yet shown who they are.
//!
//! A small waiting room. When it is full, or when one household fills its bench, whoever has sat there longest without a
//! word makes room. An edge brings many households that cannot be told apart, so its bench may take up the whole room; then,
//! if everybody is talking, the fullest bench gives a place to one that is emptier by two. Where nobody can make room the
//! newcomer is turned away. Nobody ever waits outside, so neither a crowd of mutes nor one edge full of talkers can keep out
//! a speaker who comes another way.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::limits::{WAITING_MAX, WAITING_PER_ORIGIN_MAX};

/// Whom connections are counted for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// An IPv4 address or an IPv6 /64, which is what one customer is given.
    Household(IpAddr),
    /// An edge: many customers, who cannot be told apart by anything that was measured.
    Edge(Arc<str>),
}

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self::Household(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl Origin {
    /// How many of the places it may take.
    const fn places_max(&self) -> usize {
        match self {
            Self::Household(_) => WAITING_PER_ORIGIN_MAX,
            Self::Edge(_) => WAITING_MAX,
        }
    }
}

/// The waiting room.
#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<Room>);

#[derive(Debug, Default)]
struct Room {
    next: u64,
    /// By arrival.
    waiting: BTreeMap<u64, Waiting>,
    /// Those who have sent no byte, by arrival.
    silent: BTreeSet<u64>,
    by_origin: BTreeMap<Origin, BTreeSet<u64>>,
}

#[derive(Debug)]
struct Waiting {
    origin: Origin,
    shed: CancellationToken,
}

/// A place in the waiting room, given up when dropped.
#[derive(Debug)]
pub(super) struct Place {
    gate: Arc<Gate>,
    id: u64,
    shed: CancellationToken,
}

/// What became of a newcomer.
#[derive(Debug)]
pub(super) enum Entry {
    /// There was room.
    Free(Place),
    /// Somebody made room: the oldest mute, or a talker on the fullest bench.
    Shed(Place),
    /// Nobody could make room.
    Full,
}

impl Gate {
    /// Lets a newcomer in if there is, or can be made, room.
    pub(super) fn enter(self: &Arc<Self>, origin: Origin) -> Entry {
        let mut room = self.room();
        match room.ask(&origin) {
            Answer::Free => Entry::Free(self.seat(&mut room, origin)),
            Answer::After(leaving) => {
                if let Some(waiting) = room.leave(leaving) {
                    waiting.shed.cancel();
                }
                Entry::Shed(self.seat(&mut room, origin))
            }
            Answer::Full => Entry::Full,
        }
    }

    fn seat(self: &Arc<Self>, room: &mut Room, origin: Origin) -> Place {
        let id = room.next;
        room.next += 1;
        let shed = CancellationToken::new();
        room.by_origin.entry(origin.clone()).or_default().insert(id);
        room.waiting.insert(id, Waiting { origin, shed: shed.clone() });
        room.silent.insert(id);
        Place { gate: Arc::clone(self), id, shed }
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        // Every change is whole before anything could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.room().waiting.len()
    }

    /// How many of them have sent a byte.
    #[cfg(test)]
    pub(super) fn talking(&self) -> usize {
        let room = self.room();
        room.waiting.len() - room.silent.len()
    }
}

/// What the room says to a newcomer.
enum Answer {
    Free,
    /// Free when this one has gone.
    After(u64),
    Full,
}

impl Room {
    fn ask(&self, origin: &Origin) -> Answer {
        let own = self.by_origin.get(origin);
        let own_length = own.map_or(0, BTreeSet::len);
        let leaving = if own_length >= origin.places_max() {
            own.and_then(|bench| bench.intersection(&self.silent).next())
        } else if self.waiting.len() >= WAITING_MAX {
            let fullest = || self.by_origin.values().max_by_key(|bench| bench.len());
            // By two at least, or the newcomer's bench would be the next to give one back.
            let of_fullest = || fullest().filter(|bench| bench.len() > own_length + 1).and_then(BTreeSet::first);
            self.silent.first().or_else(of_fullest)
        } else {
            return Answer::Free;
        };
        leaving.map_or(Answer::Full, |leaving| Answer::After(*leaving))
    }

    fn leave(&mut self, id: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        self.silent.remove(&id);
        if let Some(bench) = self.by_origin.get_mut(&waiting.origin) {
            bench.remove(&id);
            if bench.is_empty() {
                self.by_origin.remove(&waiting.origin);
            }
        }
        Some(waiting)
    }
}

impl Place {
    /// The client itself has sent a byte: it makes room after all the mutes.
    pub(super) fn spoke(&self) {
        self.gate.room().silent.remove(&self.id);
    }

    /// Whether the client has sent no byte.
    pub(super) fn is_silent(&self) -> bool {
        self.gate.room().silent.contains(&self.id)
    }

    /// Ends when the place was needed for somebody else.
    pub(super) async fn shed(&self) {
        self.shed.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.room().leave(self.id);
    }
}
