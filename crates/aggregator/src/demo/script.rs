//! The play: six troubles, what each does to the sockets, and what the fleet must find out about it by itself.
//!
//! A fire drill, written down. Nothing here tells the aggregator anything: a trouble is raised at the targets and at the
//! agents, and everything that is promised must come back through their reports and the rules.

use std::net::IpAddr;

use quorate_core::verdict::Status;

use super::blocks::Blocking;
use super::cast::{self, Player};

/// What can go wrong. Names are those of the cast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nothing from these countries reaches one server: packets are swallowed.
    Border {
        /// Whose people are cut off.
        countries: &'static [&'static str],
        /// From which server.
        server: &'static str,
    },
    /// One server's connections to another are reset; the other direction works.
    Pair {
        /// Who cannot reach it.
        witness: &'static str,
        /// Whom.
        server: &'static str,
    },
    /// A trusted server cannot reach another.
    Verifier {
        /// Whose word counts.
        verifier: &'static str,
        /// On whom.
        server: &'static str,
    },
    /// A server's services stop listening.
    Service {
        /// Whose.
        server: &'static str,
    },
    /// A server's agent stops.
    Agent {
        /// Whose.
        server: &'static str,
    },
    /// A witness loses sight of several servers at once, but not of most.
    HalfBlind {
        /// Who.
        witness: &'static str,
        /// Of whom.
        servers: &'static [&'static str],
    },
}

/// In the order of the play. Troubles that may stand side by side touch different servers.
pub const SCRIPT: [Trouble; 6] = [
    Trouble::Border { countries: &["KZ", "RU"], server: "nl-1" },
    Trouble::Pair { witness: "ru-1", server: "de-1" },
    Trouble::Verifier { verifier: "fi-1", server: "nl-2" },
    Trouble::Service { server: "de-1" },
    Trouble::Agent { server: "kz-2" },
    Trouble::HalfBlind { witness: "ru-2", servers: &["de-1", "kz-1", "nl-2"] },
];

/// What the fleet must find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    /// About whom.
    pub server: &'static str,
    /// What.
    pub finding: Finding,
}

/// What can be found out about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Its status (R11).
    Status(Status),
    /// As a witness (R10).
    HalfBlind,
}

impl Finding {
    /// The word for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Status(status) => status.as_str(),
            Self::HalfBlind => "half-blind",
        }
    }
}

/// What is done to raise or to end a trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Connections from the source to the target do not pass.
    Block {
        /// From.
        source: IpAddr,
        /// To.
        target: IpAddr,
        /// How.
        how: Blocking,
    },
    /// They pass again.
    Unblock {
        /// From.
        source: IpAddr,
        /// To.
        target: IpAddr,
    },
    /// A server's services stop listening.
    StopService(&'static str),
    /// They listen again.
    StartService(&'static str),
    /// A server's agent ends.
    StopAgent(&'static str),
    /// It runs again.
    StartAgent(&'static str),
}

impl Trouble {
    /// What people call it who raise it by hand.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Border { .. } => "border",
            Self::Pair { .. } => "pair",
            Self::Verifier { .. } => "verifier",
            Self::Service { .. } => "service",
            Self::Agent { .. } => "agent",
            Self::HalfBlind { .. } => "half-blind",
        }
    }

    /// What the fleet must find out.
    pub const fn promise(self) -> Promise {
        let (server, finding) = match self {
            Self::Border { server, .. } => (server, Finding::Status(Status::Unreachable)),
            Self::Pair { server, .. } => (server, Finding::Status(Status::Marked)),
            Self::Verifier { server, .. } => (server, Finding::Status(Status::Blocked)),
            Self::Service { server } => (server, Finding::Status(Status::Down)),
            Self::Agent { server } => (server, Finding::Status(Status::NoData)),
            Self::HalfBlind { witness, .. } => (witness, Finding::HalfBlind),
        };
        Promise { server, finding }
    }

    /// The server that may be said to be unreachable, blocked or down because of it; any other would be a wrong verdict.
    pub const fn victim(self) -> Option<&'static str> {
        match self {
            Self::Border { server, .. } | Self::Verifier { server, .. } | Self::Service { server } => Some(server),
            Self::Pair { .. } | Self::Agent { .. } | Self::HalfBlind { .. } => None,
        }
    }

    /// Whether something may be said of that server because of it.
    pub fn touches(self, server: &str) -> bool {
        let beside: &[&str] = match self {
            Self::HalfBlind { servers, .. } => servers,
            Self::Border { .. }
            | Self::Pair { .. }
            | Self::Verifier { .. }
            | Self::Service { .. }
            | Self::Agent { .. } => &[],
        };
        self.promise().server == server || beside.contains(&server)
    }

    /// Whether the two touch a server both.
    pub fn meets(self, other: Self) -> bool {
        cast::PLAYERS.iter().any(|player| self.touches(player.id) && other.touches(player.id))
    }

    /// What raises it.
    pub fn raise(self) -> Vec<Deed> {
        match self {
            Self::Service { server } => vec![Deed::StopService(server)],
            Self::Agent { server } => vec![Deed::StopAgent(server)],
            Self::Border { .. } | Self::Pair { .. } | Self::Verifier { .. } | Self::HalfBlind { .. } => {
                let how = self.how();
                self.pairs().into_iter().map(|(source, target)| Deed::Block { source, target, how }).collect()
            }
        }
    }

    /// What ends it.
    pub fn heal(self) -> Vec<Deed> {
        match self {
            Self::Service { server } => vec![Deed::StartService(server)],
            Self::Agent { server } => vec![Deed::StartAgent(server)],
            Self::Border { .. } | Self::Pair { .. } | Self::Verifier { .. } | Self::HalfBlind { .. } => {
                self.pairs().into_iter().map(|(source, target)| Deed::Unblock { source, target }).collect()
            }
        }
    }

    /// What happens, for people.
    pub fn told(self) -> String {
        match self {
            Self::Border { countries, server } => {
                format!("the border closes: nothing from {} reaches {server}", countries.join(" and "))
            }
            Self::Pair { witness, server } => format!("connections from {witness} to {server} are reset"),
            Self::Verifier { verifier, server } => format!("{verifier}, a verifier, loses the way to {server}"),
            Self::Service { server } => format!("the services of {server} stop listening"),
            Self::Agent { server } => format!("the agent of {server} stops"),
            Self::HalfBlind { witness, servers } => format!("{witness} loses the way to {}", servers.join(", ")),
        }
    }

    /// What happens when it ends, for people.
    pub fn ended(self) -> String {
        match self {
            Self::Border { countries, server } => {
                format!("the border opens: {} reach {server} again", countries.join(" and "))
            }
            Self::Pair { witness, server } => format!("{witness} reaches {server} again"),
            Self::Verifier { verifier, server } => format!("{verifier} has its way to {server} again"),
            Self::Service { server } => format!("the services of {server} listen again"),
            Self::Agent { server } => format!("the agent of {server} runs again"),
            Self::HalfBlind { witness, servers } => format!("{witness} has its way to {} again", servers.join(", ")),
        }
    }

    const fn how(self) -> Blocking {
        match self {
            // What a wrong route or a firewall does to one pair.
            Self::Pair { .. } | Self::HalfBlind { .. } => Blocking::Reset,
            // What a censor does.
            Self::Border { .. } | Self::Verifier { .. } | Self::Service { .. } | Self::Agent { .. } => Blocking::Silent,
        }
    }

    /// Who no longer reaches whom.
    fn pairs(self) -> Vec<(IpAddr, IpAddr)> {
        let pair = |source: Player, target: &str| (source.address(), cast::named(target).address());
        match self {
            Self::Border { countries, server } => {
                let cut_off = countries.iter().flat_map(|country| cast::of_country(country));
                cut_off.map(|source| pair(source, server)).collect()
            }
            Self::Pair { witness, server } | Self::Verifier { verifier: witness, server } => {
                vec![pair(cast::named(witness), server)]
            }
            Self::HalfBlind { witness, servers } => {
                servers.iter().map(|server| pair(cast::named(witness), server)).collect()
            }
            Self::Service { .. } | Self::Agent { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_in_the_script_is_of_the_cast() {
        let ids: BTreeSet<&str> = cast::PLAYERS.iter().map(|player| player.id).collect();
        for trouble in SCRIPT {
            let named: Vec<&str> = match trouble {
                Trouble::Border { countries, server } => {
                    assert!(countries.iter().all(|country| cast::of_country(country).count() >= 2));
                    vec![server]
                }
                Trouble::Pair { witness, server } => vec![witness, server],
                Trouble::Verifier { verifier, server } => {
                    assert!(cast::named(verifier).verifier);
                    vec![verifier, server]
                }
                Trouble::Service { server } | Trouble::Agent { server } => vec![server],
                Trouble::HalfBlind { witness, servers } => [&[witness], servers].concat(),
            };
            assert!(named.iter().all(|name| ids.contains(name)), "{trouble:?}");
        }
    }

    #[test]
    fn the_script_promises_every_finding_once() {
        let words: BTreeSet<&str> = SCRIPT.iter().map(|trouble| trouble.promise().finding.as_str()).collect();
        let promised = ["blocked", "down", "half-blind", "marked", "no_data", "unreachable"];
        assert_eq!(words, BTreeSet::from(promised));
        assert_eq!(SCRIPT.len(), promised.len());
    }

    #[test]
    fn a_border_cuts_off_every_server_behind_it_and_healing_undoes_all_of_it() {
        let border = SCRIPT[0];
        assert_eq!(border.raise().len(), 4);
        let undone = border.heal();
        for deed in border.raise() {
            let Deed::Block { source, target, .. } = deed else { panic!("a border blocks: {deed:?}") };
            assert!(undone.contains(&Deed::Unblock { source, target }));
        }
    }
}
