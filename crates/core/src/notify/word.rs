//! What alarms are about, and how bad they are.

use core::fmt;
use core::str::FromStr;

/// What kind of thing is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// The aggregator itself: it hears nobody, or was away.
    Aggregator,
    /// What a route delivers, where that is not good.
    Route,
    /// A country whose servers lost sight of others at once (R12).
    CountryCut,
    /// A server's status.
    ServerStatus,
    /// Two servers of which one cannot reach the other, and nobody can say whose trouble it is (R10).
    Pair,
    /// A witness that fails to see too many (R10).
    HalfBlind,
    /// An edge, or the set of them.
    Edge,
    /// An agent that refuses its plan.
    PlanRefused,
    /// A certificate that its agent does not renew.
    Certificate,
    /// What happens between agents and gateway, and is over at once.
    Session,
}

impl Topic {
    /// All of them, in the order in which a message tells of them.
    pub const ALL: [Self; 10] = [
        Self::Aggregator,
        Self::Route,
        Self::CountryCut,
        Self::ServerStatus,
        Self::Pair,
        Self::HalfBlind,
        Self::Edge,
        Self::PlanRefused,
        Self::Certificate,
        Self::Session,
    ];

    /// The word used in rules and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aggregator => "aggregator",
            Self::Route => "route",
            Self::CountryCut => "country_cut",
            Self::ServerStatus => "server_status",
            Self::Pair => "pair",
            Self::HalfBlind => "half_blind",
            Self::Edge => "edge",
            Self::PlanRefused => "plan_refused",
            Self::Certificate => "certificate",
            Self::Session => "session",
        }
    }
}

/// How bad something is. Whether somebody is woken by it is what it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing: nothing was taken out of a route for it.
    Info,
    /// A person has to act, and users are served meanwhile: what is bad is taken out of routes, or may soon be.
    Warning,
    /// Users get what does not work, or nobody watches: get up.
    Critical,
}

impl Severity {
    /// All of them, mildest first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Critical];

    /// The word used in rules and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// A word that is none of those known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown word")]
pub struct NoWord;

impl FromStr for Topic {
    type Err = NoWord;

    fn from_str(word: &str) -> Result<Self, NoWord> {
        Self::ALL.into_iter().find(|topic| topic.as_str() == word).ok_or(NoWord)
    }
}

impl FromStr for Severity {
    type Err = NoWord;

    fn from_str(word: &str) -> Result<Self, NoWord> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == word).ok_or(NoWord)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
