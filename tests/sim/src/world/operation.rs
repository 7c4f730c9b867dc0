//! Operations: what befalls a world, as a closed list. A world is its blueprint, its seed and these; a found fault is kept as
//! a list of them.
//!
//! Each begins at a moment and is over after a span, so that whatever is left out of a list, the rest still makes sense, and
//! every world is well again at the end of it.

use std::time::Duration;

use quorate_core::lane::{Lane, LaneSet};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

/// One trouble, from when on, and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// When it begins, from the world's beginning.
    pub at_ms: u64,
    /// How long it lasts; what happens at once, like a new address, ignores it.
    pub lasts_ms: u64,
    /// What.
    pub trouble: Trouble,
}

/// What can befall servers, paths and messages. Servers are numbers: their place in the blueprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The machine is off, with its agent. Connections to it time out.
    HostDead(u16),
    /// Nothing listens any more: connections are refused, and its agent says so.
    ServiceStopped(u16),
    /// As that, by its operator, for seconds: nobody is asked to notice.
    ServiceRestarts(u16),
    /// Clients refuse its certificate; its agent sees nothing wrong.
    CertificateExpired(u16),
    /// Connections to it time out; its own go out, and its agent finds all well.
    IngressDead(u16, Over),
    /// Connections that it opens to its peers time out; its reports still come, and its users still reach it.
    EgressDead(u16, Over),
    /// It has no address of that family, or no route: its knocks say nothing.
    NoAddress(u16, Over),
    /// Of the knocks on it, and of its own, so many in a million are lost.
    Lossy(u16, u32),
    /// It takes connections for `up_ms`, then times out for `down_ms`, and so on; its agent finds all well.
    Flaps {
        /// Which server.
        server: u16,
        /// How long it is up.
        up_ms: u64,
        /// How long it is down.
        down_ms: u64,
    },
    /// Connections opened on one side do not get to the other. What drops the packets of one direction stops both: that is
    /// two walls.
    Wall {
        /// Who opens them.
        from: Group,
        /// Who is to take them.
        to: Group,
        /// Which of them.
        over: Over,
        /// How it shows.
        manner: Manner,
    },
    /// SIGSTOP, and SIGCONT when it is over.
    AgentStopped(u16),
    /// The agent gets its turn up to `late_ms` late, each time.
    AgentSlow {
        /// Which server's.
        server: u16,
        /// At most.
        late_ms: u64,
    },
    /// The agent is not running. Its outbox is on disk, unless that was wiped.
    AgentAway {
        /// Which server's.
        server: u16,
        /// Whether its outbox begins anew.
        wiped: bool,
    },
    /// An edge is gone: reports of those who went by it wait, and come in a burst.
    UplinkDead(Group),
    /// Messages take up to so much longer. Of a million, so many are lost and sent again; the acknowledgements of so many are
    /// lost, and these come twice.
    BadMessages {
        /// Whose.
        servers: Group,
        /// Lost on the way.
        lost_ppm: u32,
        /// Come twice.
        doubled_ppm: u32,
        /// At most.
        delay_ms: u64,
    },
    /// The aggregator does not listen. What is reported waits with the agents.
    AggregatorAway,
    /// The wall clock of a server is off by so many seconds.
    ClockOff(u16, i64),
    /// Its agent says this of all knocks on these, whatever it saw.
    Lies {
        /// Whose agent.
        server: u16,
        /// Whom it lies about.
        about: Group,
        /// What it says.
        word: Word,
    },
    /// The operator drains it.
    Drained(u16),
    /// The operator disables it.
    Disabled(u16),
    /// It is taken out of the inventory; over means that it joins again.
    Gone(u16),
    /// It gets new addresses, for good.
    NewAddress(u16),
}

/// Some servers, and whose users are meant with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// All servers, and all users.
    All,
    /// These servers; no users.
    Servers(Vec<u16>),
    /// All servers but these, and all users.
    NotServers(Vec<u16>),
    /// A country's servers and users.
    Country(String),
    /// All others' servers and users.
    NotCountry(String),
    /// A hosting provider's servers; no users.
    Provider(u8),
    /// All other servers, and all users.
    NotProvider(u8),
}

/// What of the traffic is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// All of it.
    All,
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// How a wall shows to who runs into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Manner {
    /// Nothing comes back.
    Drop,
    /// TCP is reset; UDP is dropped.
    Reset,
    /// TCP connects, and nothing comes back to the ClientHello; UDP is dropped.
    Swallow,
}

/// What a liar says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// "I cannot reach it."
    Denies,
    /// "I reach it."
    Vouches,
}

impl Operation {
    /// From then on, for that long.
    pub fn new(at: Moment, lasts: Duration, trouble: Trouble) -> Self {
        Self { at_ms: at.as_ms(), lasts_ms: lasts.as_millis() as u64, trouble }
    }

    /// When it begins.
    pub fn begins_at(&self) -> Moment {
        Moment::from_ms(self.at_ms)
    }

    /// When it is over.
    pub fn ends_at(&self) -> Moment {
        Moment::from_ms(self.at_ms.saturating_add(self.lasts_ms))
    }

    /// Whether a flapping server is down at a moment: it is up first.
    pub(super) fn is_down_at(&self, at: Moment) -> bool {
        let Trouble::Flaps { up_ms, down_ms, .. } = self.trouble else { return false };
        let into = at.as_ms().saturating_sub(self.at_ms) % (up_ms + down_ms).max(1);
        into >= up_ms
    }

    /// The next moment after `at` at which a flapping server turns.
    pub(super) fn turns_at(&self, at: Moment) -> Option<Moment> {
        let Trouble::Flaps { up_ms, down_ms, .. } = self.trouble else { return None };
        let period = (up_ms + down_ms).max(1);
        let since = at.as_ms().saturating_sub(self.at_ms);
        let (round, into) = (since / period, since % period);
        let next = round * period + if into < up_ms { up_ms } else { period };
        Some(Moment::from_ms(self.at_ms + next)).filter(|turn| *turn < self.ends_at() && *turn > at)
    }
}

impl Over {
    /// Whether traffic on a lane is meant.
    pub fn covers(self, lane: Lane) -> bool {
        match self {
            Self::All => true,
            Self::Tcp => !lane.is_udp(),
            Self::Udp => lane.is_udp(),
            Self::V4 => !lane.is_ipv6(),
            Self::V6 => lane.is_ipv6(),
        }
    }

    /// The lanes that are meant.
    pub fn lanes(self) -> LaneSet {
        Lane::ALL.into_iter().filter(|lane| self.covers(*lane)).collect()
    }
}
