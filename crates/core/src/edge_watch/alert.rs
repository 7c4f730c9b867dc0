//! What stands, what it is about, and what of it is to be told.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::SocketAddr;

use crate::time::Moment;

/// What may be wrong with an edge, or with the set of them. The order is that of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The resolver gives no address for the gateway's name.
    Unresolved,
    /// An address in DNS takes no connection.
    Unreachable,
    /// An address in DNS takes connections, and nobody answers behind it.
    ForwardsNothing,
    /// An address in DNS takes connections, and somebody else answers behind it.
    Foreign,
    /// An address in DNS that no edge of the inventory has.
    Unlisted,
    /// An edge of the inventory without an address in DNS.
    NotInDns,
    /// An edge in DNS through which no agent comes.
    Unused,
    /// An agent whose connection comes from no edge.
    Past,
}

impl Trouble {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Unresolved,
        Self::Unreachable,
        Self::ForwardsNothing,
        Self::Foreign,
        Self::Unlisted,
        Self::NotInDns,
        Self::Unused,
        Self::Past,
    ];

    /// The word in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unresolved => "unresolved",
            Self::Unreachable => "unreachable",
            Self::ForwardsNothing => "forwards_nothing",
            Self::Foreign => "foreign",
            Self::Unlisted => "unlisted",
            Self::NotInDns => "not_in_dns",
            Self::Unused => "unused",
            Self::Past => "past_the_edges",
        }
    }
}

/// What a trouble is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// The gateway's name.
    Gateway,
    /// An address of it.
    Address(SocketAddr),
    /// An edge of the inventory.
    Edge(Arc<str>),
    /// The agent of a server.
    Agent(Arc<str>),
}

/// Something that stands, as it is kept over a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// What.
    pub trouble: Trouble,
    /// Of what.
    pub about: About,
    /// Since when.
    pub since: Moment,
}

/// Something that stands, as people are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// What.
    pub trouble: Trouble,
    /// Of what. All agents that come past the edges are one alert, about the gateway.
    pub about: About,
    /// The edge, if it is about one or about an address of one.
    pub edge: Option<Arc<str>>,
    /// Since when.
    pub since: Moment,
    /// What is seen, without full stop.
    pub fact: String,
    /// What to do, in sentences.
    pub advice: String,
    /// The agents that come past the edges.
    pub agents: Vec<Arc<str>>,
}

impl Alert {
    /// What it is about, in a word: an edge's id, else an address, else the gateway.
    pub fn subject(&self) -> String {
        match (&self.edge, &self.about) {
            (Some(edge), _) => edge.to_string(),
            (None, About::Address(at)) => at.to_string(),
            (None, About::Edge(id)) => id.to_string(),
            (None, About::Gateway | About::Agent(_)) => String::from("gateway"),
        }
    }

    /// What is to be said when it stands no longer, in a sentence.
    pub fn over(&self) -> String {
        let subject = self.subject();
        match self.trouble {
            Trouble::Unresolved => String::from("The gateway's name has addresses again."),
            Trouble::Unreachable | Trouble::ForwardsNothing | Trouble::Foreign => match &self.about {
                About::Address(at) => format!("{at} leads to the gateway again, or is out of DNS."),
                About::Gateway | About::Edge(_) | About::Agent(_) => format!("{subject} leads to the gateway again."),
            },
            Trouble::Unlisted => format!("{subject} belongs to an edge of the inventory, or is out of DNS."),
            Trouble::NotInDns => format!("{subject} has an address in DNS, or is out of the inventory."),
            Trouble::Unused => format!("Agents come through {subject}, or it is out of use altogether."),
            Trouble::Past => String::from("No agent comes past the edges."),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.trouble, &self.about) == (other.trouble, &other.about)
    }
}

/// Something that is to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It stands.
    Raised(Alert),
    /// It is over; the alert as it was.
    Healed(Alert),
}

/// What is to be told when `after` stands and `before` was told.
pub(super) fn changes(before: &[Alert], after: &[Alert]) -> Vec<Change> {
    let healed = before.iter().filter(|known| !after.iter().any(|alert| alert.is_same(known)));
    let raised = after.iter().filter(|alert| match before.iter().find(|known| known.is_same(alert)) {
        None => true,
        // Another agent that comes past them is news; one less is none.
        Some(known) => alert.agents.iter().any(|agent| !known.agents.contains(agent)),
    });
    healed.cloned().map(Change::Healed).chain(raised.cloned().map(Change::Raised)).collect()
}
