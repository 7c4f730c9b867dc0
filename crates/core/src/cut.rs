//! R12 · Country cut: a border closes on most of the fleet, and R3 alone would only say that a country's witnesses went
//! blind.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::fleet::{Country, EntryIx, Fleet, Intent, ServerIx};
use crate::lane::Lane;
use crate::ledger::Ledger;
use crate::policy::Policy;
use crate::presence::Presence;
use crate::tally::Tally;
use crate::verdict::CountryCut;

/// All cuts, by country and lane.
pub(crate) fn cuts(
    fleet: &Fleet,
    policy: &Policy,
    ledger: &Ledger,
    presence: &[Presence],
    tallies: &[Tally],
) -> Vec<CountryCut> {
    let countries: BTreeSet<Country> = fleet.servers().iter().filter_map(|server| server.country).collect();
    let pass = Pass { fleet, policy, ledger, presence, tallies };
    let places = countries.into_iter().flat_map(|country| Lane::ALL.map(|lane| (country, lane)));
    places.filter_map(|(country, lane)| pass.cut(country, lane)).collect()
}

struct Pass<'a> {
    fleet: &'a Fleet,
    policy: &'a Policy,
    ledger: &'a Ledger,
    presence: &'a [Presence],
    tallies: &'a [Tally],
}

impl Pass<'_> {
    fn cut(&self, country: Country, lane: Lane) -> Option<CountryCut> {
        let discredited: Vec<ServerIx> = self
            .fleet
            .server_ixs()
            .filter(|ix| self.fleet.server(*ix).country == Some(country) && self.presence[ix.at()].may_vouch)
            .filter(|ix| self.ledger.server(*ix).round[lane.index()].discredited)
            .collect();
        if !self.is_quorum(&discredited) {
            return None;
        }
        let is_cut_off = |target: &ServerIx| {
            let lost = |ix: &ServerIx| self.ledger.server(*ix).round[lane.index()].unseen.binary_search(target).is_ok();
            let witnesses: Vec<ServerIx> = discredited.iter().copied().filter(lost).collect();
            self.fleet.server(*target).intent != Intent::Disabled
                && self.is_quorum(&witnesses)
                && !self.is_seen_from(country, lane, *target)
        };
        let targets: Vec<ServerIx> = self.fleet.server_ixs().filter(is_cut_off).collect();
        let lost_half = |ix: &ServerIx| {
            let neighbours = &self.ledger.server(*ix).round[lane.index()].neighbours;
            let lost = neighbours.iter().filter(|target| targets.binary_search(target).is_ok()).count();
            lost > 0 && 2 * lost >= neighbours.len()
        };
        let witnesses: Vec<ServerIx> = discredited.iter().copied().filter(lost_half).collect();
        self.is_quorum(&witnesses).then_some(CountryCut { country, lane, witnesses, targets })
    }

    fn is_quorum(&self, witnesses: &[ServerIx]) -> bool {
        self.fleet.sites_of(witnesses.iter().copied()).len() >= self.policy.quorum as usize
    }

    /// Whether any server of the country that is not silent sees an entry point of the target on the lane.
    fn is_seen_from(&self, country: Country, lane: Lane, target: ServerIx) -> bool {
        let on_lane = |ix: &&EntryIx| self.fleet.entry_point(**ix).lane == lane;
        let from_there = |ix: &EntryIx| {
            self.tallies[ix.at()].vouchers.iter().any(|voucher| self.fleet.server(voucher).country == Some(country))
        };
        self.fleet.server(target).entry_points.iter().filter(on_lane).any(from_there)
    }
}

#[cfg(test)]
mod tests;
