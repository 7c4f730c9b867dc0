//! The evidence on an entry point in JSON: who accuses, who vouches, whose vote does not count.

use quorate_core::fleet::{EntryIx, SiteIx};
use quorate_core::time::Moment;
use quorate_core::verdict::{Accord, EntryVerdict, Scopes};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Api;
use super::problem::Problem;
use super::view::{EntryRow, entry_row, names};
use crate::engine::Snapshot;

/// An entry point with its evidence.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntryDetail {
    /// As in a list.
    #[serde(flatten)]
    pub row: EntryRow,
    /// Whose it is.
    pub server: String,
    /// Servers that it forwards to (R13).
    pub upstreams: Vec<String>,
    /// Where it is unreachable (R8, R14).
    pub unreachable_in: Vec<String>,
    /// Where it is blocked (R9, R14).
    pub blocked_in: Vec<String>,
    /// Verifiers whose word makes it blocked.
    pub blocked_by: Vec<String>,
    /// How R8 decided: `none`, `outside`, `coherent`, `explained` or `contested`.
    pub accord: String,
    /// Who accuses it.
    pub accusers: Vec<AccuserView>,
    /// Who sees it.
    pub vouchers: Vec<String>,
    /// Sites against it in the whole fleet.
    pub against_sites: Vec<String>,
    /// Sites for it in the whole fleet.
    pub for_sites: Vec<String>,
    /// Whose accusation does not count: the accused verifier cannot see them (R9).
    pub void: Vec<String>,
    /// Whose failures do not count: their last round was discredited (R3).
    pub discarded: Vec<String>,
    /// Whose earlier accusation still holds (R14).
    pub held: Vec<HeldView>,
    /// Broken pairs (R10).
    pub pairs: Vec<PairView>,
}

/// One accusation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AccuserView {
    /// Who accuses.
    pub server: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// First failure of the series.
    pub since_ms: u64,
    /// Failures in a row.
    pub streak: u16,
}

/// One accusation that still holds.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HeldView {
    /// Whose.
    pub server: String,
    /// First failure of the series; absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<u64>,
}

/// One broken pair.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PairView {
    /// Who cannot see the entry point.
    pub witness: String,
    /// Whether the other direction is broken too.
    pub mutual: bool,
}

/// An entry point with its evidence as of a snapshot.
pub fn entry_detail(snapshot: &Snapshot, ix: EntryIx) -> EntryDetail {
    let entry_point = snapshot.fleet.entry_point(ix);
    let verdict: &EntryVerdict = &snapshot.verdicts.entry_points[ix.at()];
    let sites = |sites: &[SiteIx]| sites.iter().map(|site| snapshot.fleet.site(*site).to_owned()).collect();
    let accusers = verdict.accusers.iter().map(|accuser| {
        let server = snapshot.fleet.server(accuser.witness);
        AccuserView {
            server: server.id.clone(),
            country: server.country.map(|country| country.to_string()),
            site: snapshot.fleet.site(server.site).to_owned(),
            since_ms: accuser.since.as_ms(),
            streak: accuser.streak,
        }
    });
    let pairs = verdict
        .marks
        .iter()
        .map(|mark| PairView { witness: snapshot.name(mark.witness).to_owned(), mutual: mark.mutual });
    EntryDetail {
        row: entry_row(snapshot, ix),
        server: snapshot.name(entry_point.server).to_owned(),
        upstreams: names(snapshot, &entry_point.upstreams),
        unreachable_in: scopes(&verdict.unreachable),
        blocked_in: scopes(&verdict.blocked),
        blocked_by: names(snapshot, &verdict.blocked_by),
        accord: accord(verdict.accord).to_owned(),
        accusers: accusers.collect(),
        vouchers: verdict.vouchers.iter().map(|ix| snapshot.name(ix).to_owned()).collect(),
        against_sites: sites(&verdict.against_sites),
        for_sites: sites(&verdict.for_sites(&snapshot.fleet)),
        void: names(snapshot, &verdict.void),
        discarded: names(snapshot, &verdict.discarded),
        held: names(snapshot, &verdict.held).into_iter().map(|server| HeldView { server, since_ms: None }).collect(),
        pairs: pairs.collect(),
    }
}

/// Says since when what is held is so, which the ledger alone knows. A fleet that changed meanwhile leaves it unsaid.
pub async fn tell_since(api: &Api, details: &mut [EntryDetail]) -> Result<(), Problem> {
    if details.iter().all(|detail| detail.held.is_empty()) {
        return Ok(());
    }
    let asked: Vec<(String, Vec<String>)> = details
        .iter()
        .map(|detail| (detail.row.id.clone(), detail.held.iter().map(|held| held.server.clone()).collect()))
        .collect();
    let found = api.engine.read(move |view| {
        let since = |entry_point: &str, server: &str| {
            let (witness, ix) = (view.fleet.find_server(server)?, view.fleet.find_entry_point(entry_point)?);
            view.ledger.pair(witness, ix).first_failed_at().map(Moment::as_ms)
        };
        let each = asked.iter().map(|(id, servers)| servers.iter().map(|server| since(id, server)).collect());
        each.collect::<Vec<Vec<_>>>()
    });
    for (detail, since) in details.iter_mut().zip(found.await?) {
        for (held, since_ms) in detail.held.iter_mut().zip(since) {
            held.since_ms = since_ms;
        }
    }
    Ok(())
}

fn scopes(scopes: &Scopes) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

const fn accord(accord: Accord) -> &'static str {
    match accord {
        Accord::None => "none",
        Accord::Outside => "outside",
        Accord::Coherent => "coherent",
        Accord::Explained => "explained",
        Accord::Contested => "contested",
    }
}
