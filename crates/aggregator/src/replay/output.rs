//! The line that an evaluation prints: JSON with keys and ids sorted and no spaces.

use std::collections::BTreeMap;

use quorate_core::balance;
use quorate_core::fleet::{Fleet, Intent, ServerIx, SiteIx};
use quorate_core::verdict::{EntryVerdict, ServerVerdict, Verdicts};
use serde::Serialize;

// Fields are declared in the order of their names: serde writes them in the order of declaration.

#[derive(Serialize)]
struct Output<'a> {
    at_ms: u64,
    country_cuts: Vec<Cut<'a>>,
    entry_points: BTreeMap<&'a str, EntryPoint<'a>>,
    routes: BTreeMap<&'a str, Route<'a>>,
    servers: BTreeMap<&'a str, Server>,
}

#[derive(Serialize)]
struct Cut<'a> {
    country: String,
    lane: &'static str,
    targets: Vec<&'a str>,
    witnesses: Vec<&'a str>,
}

#[derive(Serialize)]
struct EntryPoint<'a> {
    accusers: Vec<&'a str>,
    against_sites: Vec<&'a str>,
    for_sites: Vec<&'a str>,
    held: Vec<&'a str>,
    pairs: Vec<Pair<'a>>,
    scopes: Vec<String>,
    sees: Vec<&'a str>,
    state: &'static str,
    tier: u8,
}

#[derive(Serialize)]
struct Pair<'a> {
    mutual: bool,
    witness: &'a str,
}

#[derive(Serialize)]
struct Route<'a> {
    deliver: Vec<&'a str>,
    last_resort: bool,
}

#[derive(Serialize)]
struct Server {
    discredited: Vec<&'static str>,
    half_blind: bool,
    silent: bool,
    status: &'static str,
}

/// The line, without its end.
pub(super) fn line(fleet: &Fleet, verdicts: &Verdicts) -> String {
    let output = Output {
        at_ms: verdicts.at.as_ms(),
        country_cuts: cuts(fleet, verdicts),
        entry_points: fleet
            .entry_points()
            .iter()
            .zip(&verdicts.entry_points)
            .filter(|(entry_point, _)| fleet.server(entry_point.server).intent != Intent::Disabled)
            .map(|(spec, verdict)| (spec.id.as_str(), entry_point(fleet, verdict)))
            .collect(),
        routes: routes(fleet, verdicts),
        servers: fleet
            .servers()
            .iter()
            .zip(&verdicts.servers)
            .map(|(spec, verdict)| (spec.id.as_str(), server(verdict)))
            .collect(),
    };
    serde_json::to_string(&output).expect("strings, numbers and bools have a JSON form")
}

fn names(fleet: &Fleet, servers: impl IntoIterator<Item = ServerIx>) -> Vec<&str> {
    servers.into_iter().map(|ix| fleet.server(ix).id.as_str()).collect()
}

fn sites<'a>(fleet: &'a Fleet, sites: &[SiteIx]) -> Vec<&'a str> {
    sites.iter().map(|ix| fleet.site(*ix)).collect()
}

fn cuts<'a>(fleet: &'a Fleet, verdicts: &Verdicts) -> Vec<Cut<'a>> {
    let cuts = verdicts.cuts.iter().map(|cut| Cut {
        country: cut.country.to_string(),
        lane: cut.lane.as_str(),
        targets: names(fleet, cut.targets.iter().copied()),
        witnesses: names(fleet, cut.witnesses.iter().copied()),
    });
    cuts.collect()
}

fn entry_point<'a>(fleet: &'a Fleet, verdict: &EntryVerdict) -> EntryPoint<'a> {
    let scopes = verdict.unreachable.union(&verdict.blocked).map(ToString::to_string).collect();
    let pairs = verdict.marks.iter().map(|mark| Pair { mutual: mark.mutual, witness: &fleet.server(mark.witness).id });
    let state = verdict.state();
    EntryPoint {
        accusers: names(fleet, verdict.accusers.iter().map(|accuser| accuser.witness)),
        against_sites: sites(fleet, &verdict.against_sites),
        for_sites: sites(fleet, &verdict.for_sites(fleet)),
        held: names(fleet, verdict.held.iter().copied()),
        pairs: pairs.collect(),
        scopes,
        sees: names(fleet, verdict.vouchers.iter()),
        state: state.as_str(),
        tier: state.tier(),
    }
}

fn routes<'a>(fleet: &'a Fleet, verdicts: &Verdicts) -> BTreeMap<&'a str, Route<'a>> {
    let routes = fleet.route_ixs().map(|ix| {
        let slate = balance::slate(fleet, verdicts, ix, None);
        let deliver = slate.deliver.iter().map(|offer| fleet.entry_point(offer.entry_point).id.as_str()).collect();
        (fleet.route(ix).id.as_str(), Route { deliver, last_resort: slate.last_resort })
    });
    routes.collect()
}

fn server(verdict: &ServerVerdict) -> Server {
    Server {
        discredited: verdict.discredited.iter().map(quorate_core::lane::Lane::as_str).collect(),
        half_blind: verdict.half_blind.is_some(),
        silent: verdict.silent,
        status: verdict.status.as_str(),
    }
}
