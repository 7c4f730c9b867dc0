//! What an agent remembers of its edges over a restart: plain data, for a driver to write and to read back.
//!
//! Moments in here are wall-clock time, because nothing else outlives a boot. The wall clock may lie: what claims to be
//! from the future is of unknown age. A set of addresses is then used on (a stale list is better than none), a
//! measurement is made anew.

use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use super::times::Times;
use crate::time::Moment;

/// All that is kept. The default is an agent that knows nothing yet. Whatever stands in a file may be handed to
/// [`Chooser::new`](super::Chooser::new): it takes what it can use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Memory {
    /// The last good set: addresses of the gateway's name, in the resolver's order.
    pub addresses: Vec<IpAddr>,
    /// When it was resolved.
    pub resolved_at: Option<Moment>,
    /// What is known of each address, nearest first.
    pub ranking: Vec<Ranked>,
    /// The addresses of the last full measurement, in their own order.
    pub measured_on: Vec<IpAddr>,
    /// When that was.
    pub measured_at: Option<Moment>,
    /// The edge under the session, while there is one.
    pub seat: Option<Seat>,
}

/// What is known of one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Whose.
    pub address: IpAddr,
    /// From the last full measurement that it answered; `None` if it never did.
    pub times: Option<Times>,
    /// It did not answer when it was last tried.
    pub failing: bool,
    /// Rounds in a row in which it answered and was no clear loss, while it ranks above the current edge.
    pub good_rounds: u8,
    /// Full measurements in a row in which it was clearly nearer than the current edge.
    pub better_rounds: u8,
}

/// The edge that a session goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Its address.
    pub address: IpAddr,
    /// Since when sessions go through it without another in between.
    pub since: Moment,
    /// Why it and no other.
    pub why: Why,
    /// Fresh sets in a row in which it was missing.
    pub missing: u8,
}

/// Why a session goes through the edge it goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// There was nothing to choose by: too few addresses, or no measurement.
    NoChoice,
    /// It came first.
    First,
    /// Those that came before it did not answer in time.
    Fallback,
    /// The agent moved to it.
    Moved(MoveReason),
}

impl Why {
    /// One word for files and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoChoice => "no_choice",
            Self::First => "first",
            Self::Fallback => "fallback",
            Self::Moved(reason) => reason.as_str(),
        }
    }

    /// What [`Self::as_str`] wrote.
    pub fn from_word(word: &str) -> Option<Self> {
        let moves = MoveReason::ALL.map(Self::Moved);
        [Self::NoChoice, Self::First, Self::Fallback].into_iter().chain(moves).find(|why| why.as_str() == word)
    }
}

/// Why a live session is ended to begin one through another edge: the reason in the Goodbye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveReason {
    /// The edge under the session is no longer in DNS.
    Removed,
    /// A nearer edge that had failed is back.
    Return,
    /// Another edge is clearly nearer.
    Better,
}

impl MoveReason {
    /// All of them, the most pressing first.
    pub const ALL: [Self; 3] = [Self::Removed, Self::Return, Self::Better];

    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "edge_removed",
            Self::Return => "edge_return",
            Self::Better => "edge_better",
        }
    }
}

impl fmt::Display for MoveReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
