//! How verdicts and their evidence look in JSON: indices become ids, moments Unix milliseconds.

use quorate_core::fleet::{EntryIx, Fleet, Intent, ServerIx};
use quorate_core::lane::{Lane, LaneSet};
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::label::{self, Badge, LabelView};
use crate::engine::Snapshot;

/// A server in a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[allow(clippy::struct_excessive_bools, reason = "a row of facts that hang on nothing of each other")]
pub struct ServerRow {
    /// Its name.
    pub id: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// R9.
    pub verifier: bool,
    /// `active`, `drained` or `disabled`.
    pub intent: String,
    /// R11.
    pub status: String,
    /// The badge's text.
    pub text: String,
    /// What the text is made of.
    pub label: LabelView,
    /// What a pointer over the badge shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The text is older than three intervals.
    pub stale: bool,
    /// Since when it has this status.
    pub since_ms: u64,
    /// When its last report was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_report_at_ms: Option<u64>,
    /// R6.
    pub silent: bool,
    /// Lanes on which its last round was discredited (R3).
    pub discredited: Vec<String>,
    /// R10.
    pub half_blind: bool,
    /// Why its agent refuses its plan, if it does: it goes on with the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_refused: Option<String>,
    /// Its entry points.
    pub entry_points: Vec<EntryRow>,
}

/// An entry point in a list.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntryRow {
    /// Its name.
    pub id: String,
    /// Transport and address family.
    pub lane: String,
    /// What is dialled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The strongest word that applies; `disabled` with its server.
    pub state: String,
    /// R15, before R18 and R19.
    pub tier: u8,
}

/// One condition of a server.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Condition {
    /// The word, as in `status`.
    pub status: String,
    /// R11's text of it.
    pub text: String,
}

/// A country cut (R12).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CutView {
    /// The country.
    pub country: String,
    /// The lane.
    pub lane: String,
    /// Its witnesses that tell of it.
    pub witnesses: Vec<String>,
    /// Servers that they lost.
    pub targets: Vec<String>,
}

/// What a witness saw of its neighbours on one lane in its last round (R3).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SightView {
    /// The lane.
    pub lane: String,
    /// Neighbours that are alive.
    pub neighbours: u32,
    /// How many of them it saw.
    pub seen: u32,
    /// Whether that is too few to be believed.
    pub discredited: bool,
}

/// R10.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HalfBlindView {
    /// The servers it cannot see.
    pub unseen: Vec<String>,
    /// How many it judges.
    pub judged: u32,
}

/// A server as of a snapshot.
pub fn server_row(snapshot: &Snapshot, ix: ServerIx, now: Moment) -> ServerRow {
    let server = snapshot.fleet.server(ix);
    let verdict = &snapshot.verdicts.servers[ix.at()];
    let Badge { label, reason, stale } = label::badge(snapshot, ix, now);
    ServerRow {
        id: server.id.clone(),
        country: server.country.map(|country| country.to_string()),
        site: snapshot.fleet.site(server.site).to_owned(),
        verifier: server.verifier,
        intent: server.intent.as_str().to_owned(),
        status: label.status().as_str().to_owned(),
        text: label.to_string(),
        label: LabelView::from(&label),
        reason,
        stale,
        since_ms: snapshot.since.get(ix.at()).copied().unwrap_or_default().as_ms(),
        last_report_at_ms: verdict.last_report_at.map(Moment::as_ms),
        silent: verdict.silent,
        discredited: lanes(verdict.discredited),
        half_blind: verdict.half_blind.is_some(),
        plan_refused: snapshot.refusal(ix).map(|refusal| refusal.reason.clone()),
        entry_points: server.entry_points.iter().map(|ix| entry_row(snapshot, *ix)).collect(),
    }
}

/// The word for an entry point: its state, or `disabled` with its server, of which nothing is known.
pub fn state(fleet: &Fleet, verdicts: &Verdicts, ix: EntryIx) -> &'static str {
    match fleet.owner(ix).intent {
        Intent::Disabled => Status::Disabled.as_str(),
        Intent::Active | Intent::Drained => verdicts.entry_points[ix.at()].state().as_str(),
    }
}

/// An entry point as of a snapshot.
pub fn entry_row(snapshot: &Snapshot, ix: EntryIx) -> EntryRow {
    let entry_point = snapshot.fleet.entry_point(ix);
    EntryRow {
        id: entry_point.id.clone(),
        lane: entry_point.lane.to_string(),
        address: entry_point.address.clone(),
        state: state(&snapshot.fleet, &snapshot.verdicts, ix).to_owned(),
        tier: snapshot.verdicts.entry_points[ix.at()].state().tier(),
    }
}

/// All conditions that hold of a server, strongest first.
pub fn conditions(snapshot: &Snapshot, ix: ServerIx) -> Vec<Condition> {
    let condition =
        |status: &Status| Condition { status: status.as_str().to_owned(), text: label::text(snapshot, ix, *status) };
    snapshot.verdicts.servers[ix.at()].conditions.iter().map(condition).collect()
}

/// What a server saw of its neighbours, on the lanes on which it has any.
pub fn sight(snapshot: &Snapshot, ix: ServerIx) -> Vec<SightView> {
    let verdict = &snapshot.verdicts.servers[ix.at()];
    let view = |lane: Lane| {
        let sight = verdict.sight[lane.index()];
        SightView {
            lane: lane.to_string(),
            neighbours: sight.neighbours,
            seen: sight.seen,
            discredited: verdict.discredited.contains(lane),
        }
    };
    Lane::ALL.into_iter().map(view).filter(|sight| sight.neighbours > 0 || sight.discredited).collect()
}

/// R10, if it is half-blind.
pub fn half_blind(snapshot: &Snapshot, ix: ServerIx) -> Option<HalfBlindView> {
    let half_blind = snapshot.verdicts.servers[ix.at()].half_blind.as_ref()?;
    Some(HalfBlindView { unseen: names(snapshot, &half_blind.unseen), judged: half_blind.judged })
}

/// The country cuts of an evaluation.
pub fn cuts(snapshot: &Snapshot) -> Vec<CutView> {
    let view = |cut: &quorate_core::verdict::CountryCut| CutView {
        country: cut.country.to_string(),
        lane: cut.lane.to_string(),
        witnesses: names(snapshot, &cut.witnesses),
        targets: names(snapshot, &cut.targets),
    };
    snapshot.verdicts.cuts.iter().map(view).collect()
}

/// Ids of servers.
pub fn names(snapshot: &Snapshot, servers: &[ServerIx]) -> Vec<String> {
    servers.iter().map(|ix| snapshot.name(*ix).to_owned()).collect()
}

/// Words of lanes.
pub fn lanes(lanes: LaneSet) -> Vec<String> {
    lanes.iter().map(|lane| lane.to_string()).collect()
}
