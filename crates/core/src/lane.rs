//! Lanes: transport and address family of an entry point. A witness may be blind on one and sound on another (R3).

use core::fmt;
use core::str::FromStr;

/// Transport and address family; the order is the one in which outputs list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// TCP over IPv4.
    Tcp4,
    /// TCP over IPv6.
    Tcp6,
    /// UDP (QUIC) over IPv4.
    Udp4,
    /// UDP (QUIC) over IPv6.
    Udp6,
}

impl Lane {
    /// How many lanes there are: the length of an array indexed by lane.
    pub const COUNT: usize = 4;
    /// All lanes in order.
    pub const ALL: [Self; Self::COUNT] = [Self::Tcp4, Self::Tcp6, Self::Udp4, Self::Udp6];

    /// Index into an array of [`Lane::COUNT`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The word used in files, on the wire and in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp4 => "tcp4",
            Self::Tcp6 => "tcp6",
            Self::Udp4 => "udp4",
            Self::Udp6 => "udp6",
        }
    }

    /// Whether packets on this lane are UDP.
    pub const fn is_udp(self) -> bool {
        matches!(self, Self::Udp4 | Self::Udp6)
    }

    /// Whether packets on this lane are IPv6.
    pub const fn is_ipv6(self) -> bool {
        matches!(self, Self::Tcp6 | Self::Udp6)
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word is none of `tcp4`, `tcp6`, `udp4`, `udp6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown lane: use tcp4, tcp6, udp4 or udp6")]
pub struct UnknownLane;

impl FromStr for Lane {
    type Err = UnknownLane;

    fn from_str(word: &str) -> Result<Self, UnknownLane> {
        Self::ALL.into_iter().find(|lane| lane.as_str() == word).ok_or(UnknownLane)
    }
}

/// A set of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LaneSet(u8);

impl LaneSet {
    /// No lane.
    pub const EMPTY: Self = Self(0);

    /// Adds a lane.
    pub const fn insert(&mut self, lane: Lane) {
        self.0 |= 1 << lane.index();
    }

    /// Whether the lane is in the set.
    pub const fn contains(self, lane: Lane) -> bool {
        self.0 & (1 << lane.index()) != 0
    }

    /// Whether no lane is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lanes in the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Lane> + use<> {
        Lane::ALL.into_iter().filter(move |lane| self.contains(*lane))
    }
}

impl FromIterator<Lane> for LaneSet {
    fn from_iter<I: IntoIterator<Item = Lane>>(lanes: I) -> Self {
        let mut set = Self::EMPTY;
        for lane in lanes {
            set.insert(lane);
        }
        set
    }
}

#[cfg(test)]
mod tests;
