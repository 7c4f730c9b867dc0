//! Servers: list, one with all its evidence, and the votes on it.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::fleet::{Country, ServerIx};
use quorate_core::time::Moment;
use quorate_core::verdict::Status;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Reader;
use super::evidence::{self, EntryDetail};
use super::explain::SentenceView;
use super::extract::{Named, Params};
use super::last_report::ReportView;
use super::page::{Listing, PageQuery};
use super::problem::Problem;
use super::view::{self, Condition, HalfBlindView, ServerRow, SightView};
use super::{Api, etag};
use crate::engine::Snapshot;
use crate::inventory::ServerEntry;

/// Which servers.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ServerFilter {
    /// Only these statuses, separated by commas.
    pub status: Option<String>,
    /// Only those of this country.
    pub country: Option<String>,
    /// Rows, 1 to 1,000; 100 when absent.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// A server with all that was found.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ServerDetail {
    /// The evaluation that this is of.
    pub generation: u64,
    /// When that was.
    pub evaluated_at_ms: u64,
    /// Version of the inventory: what `If-Match` of a change takes, as `"inventory-‹n›"`.
    pub inventory_version: u64,
    /// As in a list.
    #[serde(flatten)]
    pub row: ServerRow,
    /// All conditions that hold, strongest first.
    pub conditions: Vec<Condition>,
    /// Why, in sentences.
    pub explanation: Vec<SentenceView>,
    /// Its entry points with their evidence.
    pub evidence: Vec<EntryDetail>,
    /// What it saw of its neighbours in its last round (R3).
    pub sight: Vec<SightView>,
    /// R10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_blind_witness: Option<HalfBlindView>,
    /// Its last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_report: Option<ReportView>,
    /// Its agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
    /// The certificates by which its agent is known: the active one, and a pending one until its first use. None: the
    /// server was never enrolled, or was revoked.
    pub certificates: Vec<CertificateView>,
    /// As it is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<ServerEntry>,
}

/// A session of an agent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    /// The outer socket's address: a measurement. The edge's own, if the session came through one.
    pub peer_addr: String,
    /// The edge that it came through, by its id when it came; absent if it came straight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<String>,
    /// Whose connection the edge says it is: a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_addr: Option<String>,
    /// What that claim is worth: `edge` (the edge's own word), `unverified` (a header is optional there, so it may be forged)
    /// or `absent`; for sessions through an edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The address that the agent says it dialled: a claim too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialled_addr: Option<String>,
    /// Since when.
    pub since_ms: u64,
    /// The agent's version.
    pub agent_version: String,
}

/// A certificate of an agent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CertificateView {
    /// `pending` or `active`.
    pub state: String,
    /// `fresh`, `due` to be renewed, `late`, `expired` (can be renewed and nothing else), or `lost` (enrol again).
    pub stage: String,
    /// Its first moment.
    pub not_before_ms: u64,
    /// Its last moment.
    pub not_after_ms: u64,
}

/// Who says what of a server's entry points.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Votes {
    /// When.
    pub evaluated_at_ms: u64,
    /// The server.
    pub server: String,
    /// By entry point and witness.
    pub votes: Vec<Vote>,
}

/// One witness's word on one entry point.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Vote {
    /// On which.
    pub entry_point: String,
    /// Whose.
    pub witness: String,
    /// Where the witness stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// `sees`, `failing`, `sustained`, `held` or `unknown`.
    pub word: String,
    /// What it counts as: `accuses`, `vouches`, `void`, `discarded`, `held` or `nothing`.
    pub counts_as: String,
    /// Failures in a row.
    pub streak: u16,
    /// When the series began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failed_at_ms: Option<u64>,
    /// When the last counted evidence was observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_evidence_at_ms: Option<u64>,
}

/// The servers, by id.
#[utoipa::path(get, path = "/servers", tag = "servers", params(ServerFilter),
    responses((status = 200, body = Listing<ServerRow>)))]
pub async fn list_servers(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(filter): Params<ServerFilter>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let wanted = Wanted::parse(&filter)?;
    let now = api.clock.now();
    let found = snapshot.fleet.server_ixs().filter(|ix| wanted.includes(&snapshot, *ix));
    let page = PageQuery { limit: filter.limit, after: filter.after };
    let (page, next) = page.of(found, |ix| snapshot.name(*ix))?;
    let items: Vec<ServerRow> = page.into_iter().map(|ix| view::server_row(&snapshot, ix, now)).collect();
    let listing = Listing { generation: snapshot.generation, evaluated_at_ms: snapshot.at.as_ms(), items, next };
    etag::answer(&headers, &(&listing.items, &listing.next), &listing)
}

struct Wanted {
    statuses: Vec<Status>,
    country: Option<Country>,
}

impl Wanted {
    fn parse(filter: &ServerFilter) -> Result<Self, Problem> {
        let statuses = filter.status.as_deref().unwrap_or_default().split(',').filter(|word| !word.is_empty());
        let country = filter
            .country
            .as_deref()
            .map(|word| word.parse().map_err(|error| Problem::bad_request(format!("country is '{word}': {error}"))));
        Ok(Self { statuses: statuses.map(status).collect::<Result<_, _>>()?, country: country.transpose()? })
    }

    fn includes(&self, snapshot: &Snapshot, ix: ServerIx) -> bool {
        let status = snapshot.verdicts.servers[ix.at()].status;
        (self.statuses.is_empty() || self.statuses.contains(&status))
            && (self.country.is_none() || snapshot.fleet.server(ix).country == self.country)
    }
}

fn status(word: &str) -> Result<Status, Problem> {
    Status::ALL.into_iter().find(|status| status.as_str() == word).ok_or_else(|| {
        let words: Vec<_> = Status::ALL.iter().map(|status| status.as_str()).collect();
        Problem::bad_request(format!("status '{word}' is unknown: use {}", words.join(", ")))
    })
}

/// A server with its conditions, evidence, last report and session.
#[utoipa::path(get, path = "/servers/{id}", tag = "servers", params(("id" = String, Path, description = "The server")),
    responses((status = 200, body = ServerDetail), (status = 404, body = Problem)))]
pub async fn get_server(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    let (snapshot, ix) = find(&api, &id)?;
    let points = snapshot.fleet.server(ix).entry_points.iter();
    let mut found: Vec<EntryDetail> = points.map(|ix| evidence::entry_detail(&snapshot, *ix)).collect();
    evidence::tell_since(&api, &mut found).await?;
    let detail = ServerDetail {
        generation: snapshot.generation,
        evaluated_at_ms: snapshot.at.as_ms(),
        inventory_version: snapshot.inventory_version,
        row: view::server_row(&snapshot, ix, api.clock.now()),
        conditions: view::conditions(&snapshot, ix),
        explanation: super::explain::server(&snapshot, ix),
        evidence: found,
        sight: view::sight(&snapshot, ix),
        half_blind_witness: view::half_blind(&snapshot, ix),
        last_report: snapshot.last_reports.get(ix.at()).and_then(Option::as_deref).map(ReportView::of),
        session: api.session(&id),
        certificates: api.certificates(&id),
        declared: snapshot.inventory.servers.iter().find(|server| server.id == id).cloned(),
    };
    let content = ServerDetail { generation: 0, evaluated_at_ms: 0, ..detail.clone() };
    etag::answer(&headers, &content, &detail)
}

/// What each witness says of each of a server's entry points, and what that counts as.
#[utoipa::path(get, path = "/servers/{id}/votes", tag = "servers",
    params(("id" = String, Path, description = "The server")),
    responses((status = 200, body = Votes), (status = 404, body = Problem)))]
pub async fn get_votes(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    find(&api, &id)?;
    let server = id.clone();
    let found = api.engine.read(move |view| {
        let ix = view.fleet.find_server(&server)?;
        Some((view.now, votes(view, ix)))
    });
    let (now, votes) = found.await?.ok_or_else(|| Problem::not_found("server", &id))?;
    let body = Votes { evaluated_at_ms: now.as_ms(), server: id, votes };
    etag::answer(&headers, &body.votes, &body)
}

fn votes(view: &crate::engine::LedgerView<'_>, server: ServerIx) -> Vec<Vote> {
    let mut votes = Vec::new();
    for ix in &view.fleet.server(server).entry_points {
        let verdict = &view.verdicts.entry_points[ix.at()];
        for (witness, pair) in view.ledger.column(*ix).filter(|(witness, _)| *witness != server) {
            let of = view.fleet.server(witness);
            votes.push(Vote {
                entry_point: view.fleet.entry_point(*ix).id.clone(),
                witness: of.id.clone(),
                country: of.country.map(|country| country.to_string()),
                site: view.fleet.site(of.site).to_owned(),
                word: super::matrix::word(view, witness, *ix).as_str().to_owned(),
                counts_as: counts_as(verdict, witness).to_owned(),
                streak: pair.streak(),
                first_failed_at_ms: pair.first_failed_at().map(Moment::as_ms),
                last_evidence_at_ms: pair.last_evidence_at().map(Moment::as_ms),
            });
        }
    }
    votes
}

fn counts_as(verdict: &quorate_core::verdict::EntryVerdict, witness: ServerIx) -> &'static str {
    if verdict.accusers.iter().any(|accuser| accuser.witness == witness) {
        "accuses"
    } else if verdict.vouchers.contains(witness) {
        "vouches"
    } else if verdict.void.contains(&witness) {
        "void"
    } else if verdict.discarded.contains(&witness) {
        "discarded"
    } else if verdict.held.contains(&witness) {
        "held"
    } else {
        "nothing"
    }
}

/// The snapshot and the server of that id in it.
pub fn find(api: &Api, id: &str) -> Result<(std::sync::Arc<Snapshot>, ServerIx), Problem> {
    let snapshot = api.engine.snapshot();
    let ix = snapshot.fleet.find_server(id).ok_or_else(|| Problem::not_found("server", id))?;
    Ok((snapshot, ix))
}
