//! Who may wait at the door: connections that have not yet shown who they are.
//!
//! A small waiting room. When it is full, or when one household fills its bench, whoever has sat there longest without a
//! word makes room; if everybody is talking, the newcomer is turned away. Nobody ever waits outside, so a crowd of mutes
//! cannot keep a speaker out.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::limits::{WAITING_MAX, WAITING_PER_ORIGIN_MAX};

/// Whom connections are counted for: an IPv4 address or an IPv6 /64, which is what one customer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Origin(IpAddr);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
            v4 @ IpAddr::V4(_) => v4,
        })
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
    /// A silent one made room.
    Shed(Place),
    /// Everybody who could make room has sent something.
    Full,
}

impl Gate {
    /// Lets a newcomer in if there is, or can be made, room.
    pub(super) fn enter(self: &Arc<Self>, origin: Origin) -> Entry {
        let mut room = self.room();
        let bench = room.by_origin.get(&origin);
        let oldest_silent = if bench.is_some_and(|bench| bench.len() >= WAITING_PER_ORIGIN_MAX) {
            Some(bench.and_then(|bench| bench.intersection(&room.silent).next().copied()))
        } else if room.waiting.len() >= WAITING_MAX {
            Some(room.silent.first().copied())
        } else {
            None
        };
        match oldest_silent {
            None => Entry::Free(self.seat(&mut room, origin)),
            Some(None) => Entry::Full,
            Some(Some(oldest)) => {
                if let Some(waiting) = room.leave(oldest) {
                    waiting.shed.cancel();
                }
                Entry::Shed(self.seat(&mut room, origin))
            }
        }
    }

    fn seat(self: &Arc<Self>, room: &mut Room, origin: Origin) -> Place {
        let id = room.next;
        room.next += 1;
        let shed = CancellationToken::new();
        room.waiting.insert(id, Waiting { origin, shed: shed.clone() });
        room.silent.insert(id);
        room.by_origin.entry(origin).or_default().insert(id);
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
}

impl Room {
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
    /// The peer has sent a byte: it is not shed from here on.
    pub(super) fn spoke(&self) {
        self.gate.room().silent.remove(&self.id);
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
