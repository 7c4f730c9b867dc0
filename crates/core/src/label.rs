//! R11 · What a badge says of a server: its status, with the numbers and names behind it.
//!
//! A badge is read by people who never saw the rules, next to a server's name; it names no address and promises nothing.
//! It is values first: [`Label`] has the numbers, and the English line is made of nothing else, so whoever words it in
//! another language says the same.

mod english;

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fleet::{Country, EntryIx, Fleet, Server, ServerIx};
use crate::verdict::{EntryVerdict, Scope, Status, Verdicts};

/// More names than these do not fit beside a server's name.
const NAMES_MAX: usize = 3;

/// A status with what a badge says of it. Its `Display` is the English text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Label {
    /// By its operator.
    Disabled,
    /// By its own word.
    Down,
    /// Nobody, or too few, can see it.
    Unreachable(Unseen),
    /// Verifiers cannot see it.
    Blocked {
        /// Ids of those verifiers.
        verifiers: Few<String>,
    },
    /// A part of it cannot be seen.
    Degraded {
        /// Ids of the entry points that are lost.
        entry_points: Few<String>,
    },
    /// It is silent.
    NoData,
    /// It was never heard of.
    Pending,
    /// Two groups accuse each other.
    Contested,
    /// Pairs are broken that are no verdict.
    Marked {
        /// Ids of both servers of each pair, in the order of ids, so that both badges of a pair say the same.
        pairs: Few<(String, String)>,
    },
    /// Nothing is to be said.
    Ok,
}

/// The first few of a list, and how many it has beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Few<T> {
    /// What fits.
    pub shown: Vec<T>,
    /// How many do not.
    pub more: usize,
}

/// How many of those that gave evidence on a server cannot see any of it. `cannot_see` is 0 where each entry point is
/// lost to servers that see another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unseen {
    /// They accuse, or their earlier accusation still holds, and they see none of its entry points.
    pub cannot_see: usize,
    /// They, and those that see at least one.
    pub asked: usize,
    /// The same within each country in which the verdict holds; none where it holds in the whole fleet alone.
    pub countries: Vec<UnseenFrom>,
}

/// [`Unseen`] within one country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnseenFrom {
    /// Where the witnesses stand.
    pub country: Country,
    /// As in [`Unseen`].
    pub cannot_see: usize,
    /// As in [`Unseen`].
    pub asked: usize,
}

/// What the badge of a server says.
pub fn badge(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> Label {
    condition(fleet, verdicts, ix, verdicts.servers[ix.at()].status)
}

/// What the badge of a server would say if `status` were the strongest of the conditions that hold.
pub fn condition(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx, status: Status) -> Label {
    let server = fleet.server(ix);
    match status {
        Status::Disabled => Label::Disabled,
        Status::Down => Label::Down,
        Status::Unreachable => Label::Unreachable(Unseen::of(fleet, verdicts, ix)),
        Status::Blocked => Label::Blocked { verifiers: verifiers(fleet, verdicts, server) },
        Status::Degraded => Label::Degraded { entry_points: lost(fleet, verdicts, server) },
        Status::NoData => Label::NoData,
        Status::Pending => Label::Pending,
        Status::Contested => Label::Contested,
        Status::Marked => Label::Marked { pairs: broken_pairs(fleet, verdicts, ix) },
        Status::Ok => Label::Ok,
    }
}

impl Label {
    /// The status that it is of.
    pub const fn status(&self) -> Status {
        match self {
            Self::Disabled => Status::Disabled,
            Self::Down => Status::Down,
            Self::Unreachable(_) => Status::Unreachable,
            Self::Blocked { .. } => Status::Blocked,
            Self::Degraded { .. } => Status::Degraded,
            Self::NoData => Status::NoData,
            Self::Pending => Status::Pending,
            Self::Contested => Status::Contested,
            Self::Marked { .. } => Status::Marked,
            Self::Ok => Status::Ok,
        }
    }
}

impl<T> Few<T> {
    /// As many of `all` as fit on a badge.
    fn of(all: impl IntoIterator<Item = T>) -> Self {
        let mut shown: Vec<T> = all.into_iter().collect();
        let more = shown.len().saturating_sub(NAMES_MAX);
        shown.truncate(NAMES_MAX);
        Self { shown, more }
    }
}

impl Unseen {
    /// Who of those that gave evidence on a server cannot see any of it.
    pub fn of(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> Self {
        let own: Vec<&EntryVerdict> = own(verdicts, fleet.server(ix)).map(|(_, verdict)| verdict).collect();
        let see: BTreeSet<ServerIx> = own.iter().flat_map(|verdict| verdict.vouchers.iter()).collect();
        let accusing = own.iter().flat_map(|verdict| {
            verdict.accusers.iter().map(|accuser| accuser.witness).chain(verdict.held.iter().copied())
        });
        let cannot_see: BTreeSet<ServerIx> = accusing.filter(|witness| !see.contains(witness)).collect();
        let scopes: BTreeSet<Scope> = own.iter().flat_map(|verdict| verdict.unreachable.iter().copied()).collect();
        let within = |servers: &BTreeSet<ServerIx>, country: Country| {
            servers.iter().filter(|ix| fleet.server(**ix).country == Some(country)).count()
        };
        let from = |country: Country| {
            let blind = within(&cannot_see, country);
            UnseenFrom { country, cannot_see: blind, asked: blind + within(&see, country) }
        };
        let countries = scopes.iter().filter_map(|scope| match scope {
            Scope::Fleet => None,
            Scope::Country(country) => Some(from(*country)),
        });
        Self {
            countries: if cannot_see.is_empty() { Vec::new() } else { countries.collect() },
            cannot_see: cannot_see.len(),
            asked: cannot_see.len() + see.len(),
        }
    }
}

fn own<'a>(verdicts: &'a Verdicts, server: &'a Server) -> impl Iterator<Item = (EntryIx, &'a EntryVerdict)> {
    server.entry_points.iter().map(|ix| (*ix, &verdicts.entry_points[ix.at()]))
}

fn verifiers(fleet: &Fleet, verdicts: &Verdicts, server: &Server) -> Few<String> {
    let verifiers: BTreeSet<ServerIx> =
        own(verdicts, server).flat_map(|(_, verdict)| verdict.blocked_by.iter().copied()).collect();
    Few::of(verifiers.into_iter().map(|ix| fleet.server(ix).id.clone()))
}

fn lost(fleet: &Fleet, verdicts: &Verdicts, server: &Server) -> Few<String> {
    let lost = own(verdicts, server)
        .filter(|(_, verdict)| !verdict.unreachable.is_empty() || !verdict.blocked.is_empty())
        .map(|(ix, _)| fleet.entry_point(ix).id.clone());
    Few::of(lost)
}

fn broken_pairs(fleet: &Fleet, verdicts: &Verdicts, ix: ServerIx) -> Few<(String, String)> {
    let marks = own(verdicts, fleet.server(ix)).flat_map(|(_, verdict)| verdict.marks.iter());
    let pairs: BTreeSet<(ServerIx, ServerIx)> =
        marks.map(|mark| (mark.witness.min(ix), mark.witness.max(ix))).collect();
    Few::of(pairs.into_iter().map(|(a, b)| (fleet.server(a).id.clone(), fleet.server(b).id.clone())))
}

#[cfg(test)]
mod tests;
