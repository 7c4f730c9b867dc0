//! R7, R8 · Quorum: whether enough independent sites accuse an entry point, where, and what it means when the accusers are
//! accused themselves.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::fleet::{Country, EntryIx, Fleet, Intent, ServerIx, SiteIx};
use crate::policy::Policy;
use crate::tally::Tally;
use crate::verdict::{Accord, Scope, Scopes};

/// One entry point's case: who accuses it validly, and who vouches for it.
pub(crate) struct Case<'a> {
    pub fleet: &'a Fleet,
    pub policy: &'a Policy,
    pub tally: &'a Tally,
}

impl Case<'_> {
    /// The sites against it in the whole fleet: the accusers' less those where somebody vouches (R7).
    pub fn against_sites(&self, accusers: &[ServerIx]) -> Vec<SiteIx> {
        self.sites(accusers, |_| true).0
    }

    /// The scopes in which it is quorate under these accusers.
    pub fn scopes(&self, accusers: &[ServerIx]) -> Scopes {
        if accusers.len() < self.policy.quorum as usize {
            return Scopes::new();
        }
        let countries: BTreeSet<Country> =
            accusers.iter().filter_map(|accuser| self.fleet.server(*accuser).country).collect();
        let places = countries.into_iter().map(Scope::Country).chain([Scope::Fleet]);
        places.filter(|scope| self.is_quorate_in(*scope, accusers)).collect()
    }

    /// Whether it is quorate in one scope under these accusers.
    pub fn is_quorate_in(&self, scope: Scope, accusers: &[ServerIx]) -> bool {
        let (against, vouching) = self.count_in(scope, accusers);
        let asked = against + vouching;
        let share = self.policy.quorum_share;
        let enough = match scope {
            Scope::Fleet => !share.is_above(against, asked),
            Scope::Country(_) => share.is_below(against, asked),
        };
        against >= self.policy.quorum as usize && enough
    }

    /// R8: a whole country cannot reach it, which is how a block looks.
    pub fn is_coherent(&self, accusers: &[ServerIx]) -> bool {
        let countries: BTreeSet<Country> =
            accusers.iter().filter_map(|accuser| self.fleet.server(*accuser).country).collect();
        countries.into_iter().any(|country| {
            let (against, vouching) = self.count_in(Scope::Country(country), accusers);
            against >= self.policy.quorum as usize && vouching == 0
        })
    }

    /// How many sites are against it and for it where only this scope's servers accuse and vouch.
    fn count_in(&self, scope: Scope, accusers: &[ServerIx]) -> (usize, usize) {
        let (against, vouching) = match scope {
            Scope::Fleet => self.sites(accusers, |_| true),
            Scope::Country(country) => {
                self.sites(accusers, |server| self.fleet.server(*server).country == Some(country))
            }
        };
        (against.len(), vouching.len())
    }

    /// The sites against it and those for it, where only the servers `within` accuse and vouch.
    fn sites(&self, accusers: &[ServerIx], within: impl Fn(&ServerIx) -> bool) -> (Vec<SiteIx>, Vec<SiteIx>) {
        let mut against = self.fleet.sites_of(accusers.iter().copied().filter(&within));
        if against.is_empty() && accusers.is_empty() {
            return (against, Vec::new());
        }
        let vouching = self.fleet.sites_of(self.tally.vouchers.iter().filter(within));
        against.retain(|site| vouching.binary_search(site).is_err());
        (against, vouching)
    }
}

/// How R8 decides on every entry point. `accusers` are the valid ones by entry point; `quorate` are the scopes in which
/// each is quorate under all of them, empty for servers that are down.
pub(crate) fn accords(
    fleet: &Fleet,
    policy: &Policy,
    tallies: &[Tally],
    accusers: &[Vec<ServerIx>],
    quorate: &[Scopes],
) -> Vec<Accord> {
    let case = |ix: EntryIx| Case { fleet, policy, tally: &tallies[ix.at()] };
    let accused = |ix: &EntryIx| !quorate[ix.at()].is_empty();
    let coherent: Vec<bool> =
        fleet.entry_ixs().map(|ix| accused(&ix) && case(ix).is_coherent(&accusers[ix.at()])).collect();
    let any_entry_point = |server: ServerIx, holds: &dyn Fn(EntryIx) -> bool| {
        fleet.server(server).entry_points.iter().any(|ix| holds(*ix))
    };
    let in_doubt: Vec<bool> = fleet.server_ixs().map(|server| any_entry_point(server, &|ix| accused(&ix))).collect();
    let cut_away: Vec<bool> =
        fleet.server_ixs().map(|server| any_entry_point(server, &|ix| coherent[ix.at()])).collect();

    let first = fleet.entry_ixs().map(|ix| {
        if !accused(&ix) {
            return Accord::None;
        }
        let all = &accusers[ix.at()];
        let outside: Vec<ServerIx> = all.iter().copied().filter(|accuser| !in_doubt[accuser.at()]).collect();
        if !case(ix).scopes(&outside).is_empty() {
            Accord::Outside
        } else if coherent[ix.at()] && !all.iter().any(|accuser| in_doubt[accuser.at()] && cut_away[accuser.at()]) {
            Accord::Coherent
        } else {
            Accord::Contested
        }
    });
    let first: Vec<Accord> = first.collect();
    let lost: Vec<bool> = fleet
        .server_ixs()
        .map(|server| any_entry_point(server, &|ix| matches!(first[ix.at()], Accord::Outside | Accord::Coherent)))
        .collect();
    let decide = |ix: EntryIx| {
        if first[ix.at()] != Accord::Contested {
            return first[ix.at()];
        }
        let standing: Vec<ServerIx> = accusers[ix.at()].iter().copied().filter(|accuser| !lost[accuser.at()]).collect();
        if case(ix).scopes(&standing).is_empty() { Accord::Explained } else { Accord::Contested }
    };
    fleet.entry_ixs().map(decide).collect()
}

/// Whether rules about verdicts apply to the entry point at all: not those of disabled servers.
pub(crate) fn is_judged(fleet: &Fleet, ix: EntryIx) -> bool {
    fleet.owner(ix).intent != Intent::Disabled
}

#[cfg(test)]
mod tests;
