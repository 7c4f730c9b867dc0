//! What holds of the verdicts of any one moment.

use std::collections::BTreeSet;

use quorate_core::balance;
use quorate_core::fleet::{Country, EntryIx, Fleet, Intent, ServerIx, SiteIx};
use quorate_core::streak::Pair;
use quorate_core::time::Moment;
use quorate_core::verdict::{EntryVerdict, State, Status, Verdicts};
use quorate_core::{explain, islands, label, pattern};

use super::{Breach, shadow};
use crate::engine::Engine;

/// Removing void votes changes nothing that is said. Whether anybody knocked, whether a pair is broken both ways and whether a
/// hop of a chain is dead, is said of void votes too: it is about a path, and blames nobody.
pub(super) fn void_votes(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    if verdicts.entry_points.iter().all(|verdict| verdict.void.is_empty()) {
        return Ok(());
    }
    let mut without = shadow::forgetful(engine);
    for (ix, verdict) in engine.fleet.entry_ixs().zip(&verdicts.entry_points) {
        for witness in &verdict.void {
            without.ledger.restore_pair(*witness, ix, Pair::UNKNOWN);
        }
    }
    let bare = |verdicts: &Verdicts| {
        let mut bare = verdicts.clone();
        for verdict in &mut bare.entry_points {
            verdict.void.clear();
            verdict.knocked = false;
            verdict.cut_off = false;
            verdict.marks.iter_mut().for_each(|mark| mark.mutual = false);
        }
        bare
    };
    shadow::same("void votes change no verdict", at, &bare(verdicts), &bare(without.evaluate(at)))
}

/// Nothing is unreachable without a quorum of sites, each with a server whose own evidence says so.
pub(super) fn quorum(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    let invariant = "nothing is unreachable without a quorum of sites that gave evidence for it";
    for (ix, verdict) in engine.fleet.entry_ixs().zip(&verdicts.entry_points) {
        if verdict.unreachable.is_empty() {
            continue;
        }
        let against = against(verdict);
        let gave_evidence = |witness: &ServerIx| engine.ledger.pair(*witness, ix).has_full_series(&engine.policy);
        let sites: BTreeSet<SiteIx> =
            against.iter().filter(|ix| gave_evidence(ix)).map(|ix| engine.fleet.server(*ix).site).collect();
        if sites.len() < engine.policy.quorum as usize || verdict.down {
            return Err(Breach::new(invariant, at, format!("entry point {ix:?}: {verdict:?}")));
        }
    }
    Ok(())
}

/// Accusers and holders.
pub(super) fn against(verdict: &EntryVerdict) -> BTreeSet<ServerIx> {
    verdict.accusers.iter().map(|accuser| accuser.witness).chain(verdict.held.iter().copied()).collect()
}

/// No route with an active or drained entry point is empty, for anybody, and nothing that is withheld would be better.
pub(super) fn routes(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    let fleet = &engine.fleet;
    for ix in fleet.route_ixs() {
        for reader in readers(fleet) {
            let slate = balance::slate(fleet, verdicts, ix, reader);
            let of = |intent| fleet.route(ix).entry_points.iter().any(|ix| fleet.owner(*ix).intent == intent);
            let has_any = of(Intent::Active) || of(Intent::Drained);
            let told = |what: &str| format!("{what} on {} for {reader:?}: {slate:?}", fleet.route(ix).id);
            if slate.deliver.is_empty() == has_any {
                return Err(Breach::new(
                    "a route with an entry point of an active server is never empty",
                    at,
                    told(""),
                ));
            }
            let worst = slate.deliver.iter().map(|offer| offer.tier).max();
            let active = |offer: &&balance::Offer| fleet.owner(offer.entry_point).intent == Intent::Active;
            if slate.withheld.iter().filter(active).any(|offer| Some(offer.tier) < worst) {
                return Err(Breach::new("nothing that is withheld is better than what is delivered", at, told("")));
            }
        }
    }
    Ok(())
}

/// Nobody, and one of each country.
fn readers(fleet: &Fleet) -> BTreeSet<Option<Country>> {
    fleet.servers().iter().map(|server| server.country).chain([None]).collect()
}

/// Whatever is said can be put into words.
pub(super) fn words(at: Moment, engine: &Engine, verdicts: &Verdicts) -> Result<(), Breach> {
    let (fleet, policy) = (&*engine.fleet, &engine.policy);
    let clock = |at: Moment| at.as_ms().to_string();
    for (ix, verdict) in fleet.entry_ixs().zip(&verdicts.entry_points) {
        let said = explain::entry_point(fleet, policy, verdicts, ix, &clock);
        if verdict.state() != State::Clear && said.findings.is_empty() {
            return Err(Breach::new("whatever is said can be explained", at, format!("{ix:?}: {verdict:?}")));
        }
    }
    for ix in fleet.server_ixs() {
        if label::badge(fleet, verdicts, ix).to_string().is_empty() {
            return Err(Breach::new("every status has a badge", at, format!("{ix:?}")));
        }
        explain::server(fleet, policy, verdicts, ix, &clock);
    }
    islands::islands(fleet, verdicts);
    pattern::captions(fleet, verdicts);
    Ok(())
}

/// Nothing is said of anybody.
pub(super) fn all_well(
    invariant: &'static str,
    at: Moment,
    engine: &Engine,
    verdicts: &Verdicts,
) -> Result<(), Breach> {
    let fleet = &engine.fleet;
    for (ix, verdict) in fleet.server_ixs().zip(&verdicts.servers) {
        let disabled = fleet.server(ix).intent == Intent::Disabled;
        let expected = if disabled { Status::Disabled } else { Status::Ok };
        if verdict.status != expected || !verdict.discredited.is_empty() || verdict.half_blind.is_some() {
            return Err(Breach::new(invariant, at, format!("{}: {verdict:?}", fleet.server(ix).id)));
        }
    }
    for (ix, verdict) in fleet.entry_ixs().zip(&verdicts.entry_points) {
        let expected = if leads_nowhere(fleet, ix) { State::CutOff } else { State::Clear };
        if verdict.state() != expected {
            return Err(Breach::new(invariant, at, format!("{}: {verdict:?}", fleet.entry_point(ix).id)));
        }
    }
    Ok(())
}

/// Whether an entry point forwards to disabled servers alone, at the end of every chain.
fn leads_nowhere(fleet: &Fleet, ix: EntryIx) -> bool {
    let upstreams = &fleet.entry_point(ix).upstreams;
    let dead = |to: &ServerIx| {
        let server = fleet.server(*to);
        server.intent == Intent::Disabled || server.entry_points.iter().all(|own| leads_nowhere(fleet, *own))
    };
    fleet.owner(ix).intent != Intent::Disabled && !upstreams.is_empty() && upstreams.iter().all(dead)
}
