//! Who watches whom where not everyone can watch everyone: verifiers first, then some of each country, then rings.
//!
//! Each layer gives a target what its witnesses have room for; what a layer could not give is left to the next. Layers
//! choose by hashes of names (highest first), so a choice stands or falls with the names in it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::Hasher as _;

use siphasher::sip::SipHasher24;

use super::Thickness;
use super::ring;
use super::town::Town;
use crate::fleet::{Country, Fleet, ServerIx, SiteIx};

/// Witnesses of each target that are left to the rings, whatever the other layers could take: rings alone give every
/// witness its share, and one with fewer than two targets cannot tell its own blindness from theirs (R3).
const RINGS_LEAST: usize = 2;

/// Which servers each server watches, by [`ServerIx`].
pub(super) fn watched(fleet: &Fleet, servers: &[ServerIx], thickness: &Thickness) -> Vec<Vec<ServerIx>> {
    let mut town = Town::new(fleet, servers, thickness);
    town.add_verifiers();
    town.add_countries();
    town.add_rings();
    town.watched
}

impl Town<'_> {
    /// Each target gets as many verifiers as they have room for, at least one wish; each verifier grants those wishes
    /// that rank highest with it.
    fn add_verifiers(&mut self) {
        let verifiers: Vec<ServerIx> =
            self.servers.iter().copied().filter(|ix| self.fleet.server(*ix).verifier).collect();
        let room = verifiers.len() * self.thickness.capacity * 4;
        let each = room / (self.servers.len() * self.thickness.mean_quarters).max(1);
        let each = each.max(1).min(self.layered());
        let mut wished: BTreeMap<ServerIx, Vec<(u64, ServerIx)>> = BTreeMap::new();
        for target in self.servers.iter().copied() {
            let ranked = ranked(&verifiers, |verifier| self.rank("verifier", self.id(verifier), target));
            for (rank, verifier) in ranked.into_iter().filter(|(_, verifier)| *verifier != target).take(each) {
                wished.entry(verifier).or_default().push((rank, target));
            }
        }
        for (verifier, mut targets) in wished {
            targets.sort_unstable_by(|a, b| b.cmp(a));
            for (_, target) in targets {
                self.add(verifier, target);
            }
        }
    }

    /// Each target gets `quorum` + 1 sites of as many countries as it has room for; each country takes on the targets
    /// that rank highest with it, so that its sites agree on them.
    fn add_countries(&mut self) {
        let sites_wanted = self.thickness.quorum + 1;
        let mut countries: BTreeMap<Country, BTreeMap<SiteIx, Vec<ServerIx>>> = BTreeMap::new();
        for ix in self.servers.iter().copied() {
            let server = self.fleet.server(ix);
            if let Some(country) = server.country {
                countries.entry(country).or_default().entry(server.site).or_default().push(ix);
            }
        }
        countries.retain(|_, sites| sites.len() >= sites_wanted);

        let mut offers: BTreeMap<ServerIx, Vec<(u64, Country)>> = BTreeMap::new();
        let mut taken_on: BTreeMap<Country, Vec<(u64, ServerIx)>> = BTreeMap::new();
        for (country, sites) in &countries {
            let servers: usize = sites.values().map(Vec::len).sum();
            let room = servers * self.thickness.capacity * 4 / (sites_wanted * self.thickness.mean_quarters);
            let targets = ranked(self.servers, |target| self.rank("country", country.as_str(), target));
            for (rank, target) in targets.into_iter().take(room) {
                offers.entry(target).or_default().push((rank, *country));
            }
        }
        for (target, mut countries) in offers {
            countries.sort_unstable_by(|a, b| b.cmp(a));
            let room = self.layered().saturating_sub(self.witnesses[target.at()].len()) / sites_wanted;
            for (rank, country) in countries.into_iter().take(room) {
                taken_on.entry(country).or_default().push((rank, target));
            }
        }
        for (country, mut targets) in taken_on {
            targets.sort_unstable_by(|a, b| b.cmp(a));
            for (_, target) in targets {
                self.add_sites(&countries[&country], target, sites_wanted);
            }
        }
    }

    /// Adds a witness of each site until there are `wanted` sites, counting those that the target has.
    fn add_sites(&mut self, sites: &BTreeMap<SiteIx, Vec<ServerIx>>, target: ServerIx, wanted: usize) {
        let has = |witness: &ServerIx| self.witnesses[target.at()].contains(witness);
        let (served, open): (Vec<SiteIx>, Vec<SiteIx>) =
            sites.keys().copied().partition(|site| sites[site].iter().any(has));
        let mut missing = wanted.saturating_sub(served.len());
        for (_, site) in ranked(&open, |site| self.rank("site", self.fleet.site(site), target)) {
            if missing == 0 {
                return;
            }
            let servers = ranked(&sites[&site], |server| self.rank("server", self.id(server), target));
            if servers.into_iter().any(|(_, witness)| self.add(witness, target)) {
                missing -= 1;
            }
        }
    }

    /// Fills up with neighbours on rings, one ring for each witness that a target still lacks.
    fn add_rings(&mut self) {
        let lacks: Vec<usize> =
            self.witnesses.iter().map(|witnesses| self.thickness.witnesses.saturating_sub(witnesses.len())).collect();
        let rings = self.servers.iter().map(|target| lacks[target.at()]).max().unwrap_or(0);
        for number in 0..rings.min(self.servers.len()) {
            let key = number.to_le_bytes();
            let order = ranked(self.servers, |server| hash(&[b"ring", &key, self.id(server).as_bytes()]));
            let order: Vec<ServerIx> = order.into_iter().map(|(_, server)| server).collect();
            let pairs = ring::neighbours(self, &order, |target| lacks[target.at()] > number);
            for (witness, target) in pairs {
                self.add(witness, target);
            }
        }
    }

    /// Witnesses of a target that are not left to the rings.
    fn layered(&self) -> usize {
        self.thickness.witnesses.saturating_sub(RINGS_LEAST)
    }

    fn id(&self, server: ServerIx) -> &str {
        &self.fleet.server(server).id
    }

    fn rank(&self, layer: &str, chooser: &str, target: ServerIx) -> u64 {
        hash(&[layer.as_bytes(), chooser.as_bytes(), self.id(target).as_bytes()])
    }
}

/// Highest rank first; equal ones by index, which is the order of names.
fn ranked<T: Copy + Ord>(items: &[T], rank: impl Fn(T) -> u64) -> Vec<(u64, T)> {
    let mut ranked: Vec<(u64, T)> = items.iter().map(|item| (rank(*item), *item)).collect();
    ranked.sort_unstable_by(|(a, a_item), (b, b_item)| b.cmp(a).then(a_item.cmp(b_item)));
    ranked
}

/// A fixed hash of words, each ended by a zero byte.
fn hash(words: &[&[u8]]) -> u64 {
    let mut hasher = SipHasher24::new_with_keys(0x6173_7369_676e, 0x0071_756f_7261_7465);
    for word in words {
        hasher.write(word);
        hasher.write(&[0]);
    }
    hasher.finish()
}
