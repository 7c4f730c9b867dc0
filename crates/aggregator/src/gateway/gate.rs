//! Who may wait at the door: connections that have not yet shown who they are.
//!
//! A small waiting room in which there is always a place for one more. When it is full, or when one household fills its bench,
//! whoever has sat there longest without having introduced themselves goes; if all have, whoever has sat longest on the
//! fullest bench. To introduce oneself takes a whole ClientHello: a word is cheap, and who has said one and falls silent is a
//! mute. An edge brings many households that cannot be told apart, so its bench may take up the whole room.
//!
//! Nobody ever waits outside and nobody is turned away, so a crowd can only make a visit shorter: a handshake is a matter of
//! milliseconds, and it takes a crowd that fills the room anew in that time to keep an agent out.

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
    /// Those who have not introduced themselves, by arrival.
    mute: BTreeSet<u64>,
    by_origin: BTreeMap<Origin, BTreeSet<u64>>,
}

#[derive(Debug)]
struct Waiting {
    origin: Origin,
    /// The client has sent a byte.
    spoke: bool,
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
    /// Somebody made room.
    Shed(Place),
}

impl Gate {
    /// Lets a newcomer in; somebody else makes room where there is none.
    pub(super) fn enter(self: &Arc<Self>, origin: Origin) -> Entry {
        let mut room = self.room();
        let Some(leaving) = room.too_many_with(&origin).and_then(|id| room.leave(id)) else {
            return Entry::Free(self.seat(&mut room, origin));
        };
        leaving.shed.cancel();
        Entry::Shed(self.seat(&mut room, origin))
    }

    fn seat(self: &Arc<Self>, room: &mut Room, origin: Origin) -> Place {
        let id = room.next;
        room.next += 1;
        let shed = CancellationToken::new();
        room.by_origin.entry(origin.clone()).or_default().insert(id);
        room.waiting.insert(id, Waiting { origin, spoke: false, shed: shed.clone() });
        room.mute.insert(id);
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
        self.room().waiting.values().filter(|waiting| waiting.spoke).count()
    }
}

impl Room {
    /// Who has to go if one more of `origin` comes in; nobody while there is room.
    fn too_many_with(&self, origin: &Origin) -> Option<u64> {
        let own = self.by_origin.get(origin).filter(|bench| bench.len() >= origin.places_max());
        let leaving = if let Some(bench) = own {
            bench.intersection(&self.mute).next().or_else(|| bench.first())
        } else if self.waiting.len() >= WAITING_MAX {
            let fullest = || self.by_origin.values().max_by_key(|bench| bench.len());
            self.mute.first().or_else(|| fullest()?.first())
        } else {
            None
        };
        leaving.copied()
    }

    fn leave(&mut self, id: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        self.mute.remove(&id);
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
    /// The client itself has sent a byte.
    pub(super) fn spoke(&self) {
        if let Some(waiting) = self.gate.room().waiting.get_mut(&self.id) {
            waiting.spoke = true;
        }
    }

    /// The client has sent a whole `ClientHello`: it makes room after all who have not.
    pub(super) fn introduced(&self) {
        self.gate.room().mute.remove(&self.id);
    }

    /// Whether the client has sent no byte.
    pub(super) fn is_silent(&self) -> bool {
        self.gate.room().waiting.get(&self.id).is_some_and(|waiting| !waiting.spoke)
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
