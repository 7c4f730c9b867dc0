//! R7 · How the votes on an entry point are counted: by sites, in the whole fleet and in each country that accuses.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Teller;
use crate::fleet::{Country, EntryIx, ServerIx, SiteIx};
use crate::verdict::{Accord, EntryVerdict, Scope};
use crate::words;

impl Teller<'_> {
    /// Sites against and for it, where that matters, and what a verdict takes.
    pub(super) fn count(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        if verdict.accusers.is_empty() || verdict.down {
            return;
        }
        let mut counts =
            alloc::vec![in_words(verdict.against_sites.len(), verdict.for_sites(self.fleet).len(), Scope::Fleet)];
        for country in self.accusing_countries(verdict) {
            let (against, vouching) = self.sites_in(verdict, country);
            // A single site of a country decides nothing there.
            if against >= self.policy.quorum as usize {
                counts.push(in_words(against, vouching, Scope::Country(country)));
            }
        }
        let (quorum, share) = (self.policy.quorum, words::percent(self.policy.quorum_share));
        let mut text = format!(
            "By sites (servers of one site have one vote): {}. A verdict takes at least {quorum} sites against it, and \
             at least {share} of those that say anything; within one country, more than {share}.",
            counts.join("; ")
        );
        if verdict.accord == Accord::None {
            text.push_str(if verdict.blocked.is_empty() {
                " That is no quorum."
            } else {
                " That is no quorum, but a verifier's word needs none."
            });
        }
        self.say(&["R7"], text);
        self.one_vote_of_many(ix);
        self.torn_sites(ix);
    }

    /// Accusers that share a site, which a reader would count one by one.
    fn one_vote_of_many(&mut self, ix: EntryIx) {
        let shared: Vec<String> = self
            .sharing(ix)
            .map(|(site, servers)| {
                let servers = words::all_placed(self.fleet, servers);
                format!("{servers} share the site {}", self.fleet.site(site))
            })
            .collect();
        if !shared.is_empty() {
            self.say(&["R7"], format!("{}, and so have one vote together.", shared.join("; ")));
        }
    }

    /// The sites of which more than one server accuses it.
    pub(super) fn sharing(&self, ix: EntryIx) -> impl Iterator<Item = (SiteIx, Vec<ServerIx>)> + use<> {
        let mut by_site: BTreeMap<SiteIx, Vec<ServerIx>> = BTreeMap::new();
        for accuser in &self.entry_verdict(ix).accusers {
            by_site.entry(self.fleet.server(accuser.witness).site).or_default().push(accuser.witness);
        }
        by_site.into_iter().filter(|(_, servers)| servers.len() > 1)
    }

    /// Accusers whose site is not against it, because another server there reaches it.
    fn torn_sites(&mut self, ix: EntryIx) {
        let verdict = self.entry_verdict(ix);
        let site = |server: &ServerIx| self.fleet.server(*server).site;
        let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
        let for_sites = verdict.for_sites(self.fleet);
        let torn: Vec<ServerIx> = accusers.filter(|witness| for_sites.binary_search(&site(witness)).is_ok()).collect();
        if torn.is_empty() {
            return;
        }
        let torn_sites: BTreeSet<SiteIx> = torn.iter().map(site).collect();
        let seeing = verdict.vouchers.iter().filter(|server| torn_sites.contains(&site(server)));
        let text = format!(
            "The site of {} is not counted against it: {} of the same site can reach it.",
            words::all_placed(self.fleet, torn.iter().copied()),
            words::all_placed(self.fleet, seeing)
        );
        self.say(&["R7"], text);
    }

    fn accusing_countries(&self, verdict: &EntryVerdict) -> BTreeSet<Country> {
        verdict.accusers.iter().filter_map(|accuser| self.fleet.server(accuser.witness).country).collect()
    }

    /// Sites against and for it where only one country's servers accuse and vouch.
    fn sites_in(&self, verdict: &EntryVerdict, country: Country) -> (usize, usize) {
        let within = |server: &ServerIx| self.fleet.server(*server).country == Some(country);
        let vouching = self.fleet.sites_of(verdict.vouchers.iter().filter(within));
        let accusers = verdict.accusers.iter().map(|accuser| accuser.witness);
        let mut against = self.fleet.sites_of(accusers.filter(within));
        against.retain(|site| vouching.binary_search(site).is_err());
        (against.len(), vouching.len())
    }

    /// R8: the countries that as a whole cannot reach it.
    pub(super) fn coherent_countries(&self, ix: EntryIx) -> String {
        let verdict = self.entry_verdict(ix);
        let coherent = self.accusing_countries(verdict).into_iter().filter(|country| {
            let (against, vouching) = self.sites_in(verdict, *country);
            against >= self.policy.quorum as usize && vouching == 0
        });
        words::names(&coherent.map(|country| country.to_string()).collect::<Vec<_>>())
    }
}

fn in_words(against: usize, vouching: usize, scope: Scope) -> String {
    format!("{against} against and {vouching} for it {}", words::scope(scope))
}
