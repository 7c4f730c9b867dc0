//! R15, R16, R18, R19 · Balancing: what a route delivers. It never turns a verdict into an empty route.

use alloc::vec::Vec;

use crate::fleet::{Country, EntryIx, Fleet, Intent, RouteIx};
use crate::verdict::{Accord, EntryVerdict, Scope, Scopes, Verdicts};

/// What one route delivers to one audience, and what it withholds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slate {
    /// Best first.
    pub deliver: Vec<Offer>,
    /// Entry points of the route that are not delivered, in its order.
    pub withheld: Vec<Offer>,
    /// Nothing good was left: this is the best of the bad (R16).
    pub last_resort: bool,
}

/// An entry point with its tier for an audience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    /// Which.
    pub entry_point: EntryIx,
    /// R15 after R18 and R19: 0 is best, 4 worst.
    pub tier: u8,
}

/// The highest tier that is delivered beside better ones (R16).
const GOOD_ENOUGH: u8 = 1;

/// What the route delivers. `country` is the client's, if the reader of the feed names one (R18); else the route's own
/// audience counts.
pub fn slate(fleet: &Fleet, verdicts: &Verdicts, route: RouteIx, country: Option<Country>) -> Slate {
    let route = fleet.route(route);
    let named = country.map(|country| [country]);
    let audience: &[Country] = named.as_ref().map_or(&route.audience, |country| country);
    let offers = |intent: Intent| -> Vec<Offer> {
        let of_intent = route.entry_points.iter().copied().filter(|ix| fleet.owner(*ix).intent == intent);
        let entry_points: Vec<EntryIx> = of_intent.collect();
        let spared =
            audience.is_empty() && intent == Intent::Active && is_emptied_by_countries(verdicts, &entry_points);
        let tier = |entry_point: EntryIx| {
            if audience.is_empty() {
                tier(&verdicts.entry_points[entry_point.at()], spared)
            } else {
                audience_tier(fleet, verdicts, entry_point, audience)
            }
        };
        entry_points.iter().map(|ix| Offer { entry_point: *ix, tier: tier(*ix) }).collect()
    };
    let active = offers(Intent::Active);
    let (candidates, only_drained) = if active.is_empty() { (offers(Intent::Drained), true) } else { (active, false) };
    let (deliver, last_resort) = choose(fleet, verdicts, &candidates, only_drained);
    let delivered = |ix: EntryIx| deliver.iter().any(|offer: &Offer| offer.entry_point == ix);
    let rest =
        [Intent::Active, Intent::Drained].into_iter().flat_map(offers).filter(|offer| !delivered(offer.entry_point));
    let mut withheld: Vec<Offer> = rest.collect();
    withheld.sort_by_key(|offer| route.entry_points.iter().position(|ix| *ix == offer.entry_point));
    Slate { deliver, withheld, last_resort }
}

/// R16, on the candidates in the route's order.
fn choose(fleet: &Fleet, verdicts: &Verdicts, candidates: &[Offer], only_drained: bool) -> (Vec<Offer>, bool) {
    let Some(lowest) = candidates.iter().map(|offer| offer.tier).min() else { return (Vec::new(), false) };
    let worst = lowest.max(GOOD_ENOUGH);
    let mut deliver: Vec<Offer> = candidates.iter().copied().filter(|offer| offer.tier <= worst).collect();
    deliver.sort_by_key(|offer| offer.tier);
    if lowest == 3 {
        let sites_for = |offer: &Offer| verdicts.entry_points[offer.entry_point.at()].for_sites(fleet).len();
        deliver.sort_by_cached_key(|offer| core::cmp::Reverse(sites_for(offer)));
    }
    (deliver, only_drained || lowest > GOOD_ENOUGH)
}

/// R15; with `spared`, `unreachable` in countries only is disregarded (R19).
fn tier(verdict: &EntryVerdict, spared: bool) -> u8 {
    if spared && is_unreachable_in_countries_only(verdict) {
        without(verdict, true, false).max(1)
    } else {
        verdict.state().tier()
    }
}

/// R18.
fn audience_tier(fleet: &Fleet, verdicts: &Verdicts, ix: EntryIx, audience: &[Country]) -> u8 {
    let verdict = &verdicts.entry_points[ix.at()];
    let is_home = |country: Option<Country>| country.is_some_and(|country| audience.contains(&country));
    let seen_at_home = verdict.vouchers.iter().any(|voucher| is_home(fleet.server(voucher).country));
    let is_foreign = |scopes: &Scopes| {
        let named = |scope: &Scope| matches!(scope, Scope::Country(country) if audience.contains(country));
        !scopes.is_empty() && !scopes.iter().any(named) && (!scopes.contains(&Scope::Fleet) || seen_at_home)
    };
    let (no_unreachable, no_blocked) = (is_foreign(&verdict.unreachable), is_foreign(&verdict.blocked));
    let tier = without(verdict, no_unreachable, no_blocked);
    let (server, lane) = (fleet.entry_point(ix).server, fleet.entry_point(ix).lane);
    let is_cut_from_home = verdicts
        .cuts
        .iter()
        .any(|cut| cut.lane == lane && audience.contains(&cut.country) && cut.targets.binary_search(&server).is_ok());
    let doubtful = (no_unreachable || no_blocked) && !seen_at_home;
    if doubtful || is_cut_from_home { tier.max(1) } else { tier }
}

/// The tier that the rest gives when a verdict is disregarded.
fn without(verdict: &EntryVerdict, unreachable: bool, blocked: bool) -> u8 {
    if verdict.down {
        4
    } else if !verdict.unreachable.is_empty() && !unreachable {
        3
    } else if !verdict.blocked.is_empty() && !blocked || verdict.cut_off {
        2
    } else {
        u8::from(verdict.accord == Accord::Contested || !verdict.marks.is_empty())
    }
}

/// R19: at least four active entry points, more than half of them unreachable in countries only.
fn is_emptied_by_countries(verdicts: &Verdicts, active: &[EntryIx]) -> bool {
    let local = active.iter().filter(|ix| is_unreachable_in_countries_only(&verdicts.entry_points[ix.at()])).count();
    active.len() >= 4 && 2 * local > active.len()
}

fn is_unreachable_in_countries_only(verdict: &EntryVerdict) -> bool {
    !verdict.unreachable.is_empty() && !verdict.unreachable.contains(&Scope::Fleet)
}

#[cfg(test)]
mod tests;
