//! The fleet at a glance, and the inventory as a document.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::Reader;
use super::policy::Effective;
use super::problem::Problem;
use super::view::{self, CutView};
use super::{Api, etag};
use crate::inventory::Inventory;

/// Numbers of a fleet.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// Of the aggregator.
    pub version: String,
    /// The evaluation that this is of.
    pub generation: u64,
    /// When that was, Unix milliseconds.
    pub evaluated_at_ms: u64,
    /// When this aggregator began to listen, or resumed after a pause of its own (R6).
    pub evaluation_started_at_ms: u64,
    /// Version of the inventory.
    pub inventory_version: u64,
    /// `api`, or the file that declares the inventory.
    pub inventory_source: String,
    /// Changes with the policy in force.
    pub policy_digest: String,
    /// Servers by status; statuses that nobody has are absent.
    pub servers: BTreeMap<String, usize>,
    /// Entry points by state; likewise.
    pub entry_points: BTreeMap<String, usize>,
    /// How many routes.
    pub routes: usize,
    /// Witnesses that are half-blind (R10).
    pub half_blind: Vec<String>,
    /// R12.
    pub country_cuts: Vec<CutView>,
    /// Groups of servers that see each other both ways, and nobody of another group, largest first: none, or at least two of
    /// at least two servers each.
    #[serde(default)]
    pub islands: Vec<Vec<String>>,
    /// Certificates that their agents should have renewed by now.
    #[serde(default)]
    pub late_certificates: Vec<LateCertificate>,
    /// Servers whose agent refuses its plan: it goes on with the one before.
    #[serde(default)]
    pub plan_refused: Vec<String>,
    /// Whether there is something that somebody should look at: a server's status, a country cut, islands or a
    /// refused plan.
    pub verdicts_stand: bool,
}

/// A certificate whose agent does not renew it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LateCertificate {
    /// Whose.
    pub server: String,
    /// `late`, `expired` (can be renewed and nothing else), or `lost` (enrol again).
    pub stage: String,
    /// Its last moment.
    pub not_after_ms: u64,
}

/// Numbers of the fleet, country cuts, islands, and as of when.
#[utoipa::path(get, path = "/fleet", tag = "fleet", responses((status = 200, body = Summary)))]
pub async fn get_fleet(State(api): State<Api>, _: Reader, headers: HeaderMap) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let mut servers: BTreeMap<String, usize> = BTreeMap::new();
    for verdict in &snapshot.verdicts.servers {
        *servers.entry(verdict.status.as_str().to_owned()).or_default() += 1;
    }
    let mut entry_points: BTreeMap<String, usize> = BTreeMap::new();
    for ix in snapshot.fleet.entry_ixs() {
        let state = view::state(&snapshot.fleet, &snapshot.verdicts, ix);
        *entry_points.entry(state.to_owned()).or_default() += 1;
    }
    let is_half_blind = |ix: &_| view::half_blind(&snapshot, *ix).is_some();
    let half_blind: Vec<_> = snapshot.fleet.server_ixs().filter(is_half_blind).collect();
    let islands = snapshot.islands().await.iter().map(|island| view::names(&snapshot, island)).collect::<Vec<_>>();
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        generation: snapshot.generation,
        evaluated_at_ms: snapshot.at.as_ms(),
        evaluation_started_at_ms: snapshot.evaluation_started_at.as_ms(),
        inventory_version: snapshot.inventory_version,
        inventory_source: api.source.to_string(),
        policy_digest: Effective::of(&snapshot.policy).digest(),
        verdicts_stand: snapshot.verdicts.servers.iter().any(|verdict| verdict.status.stands())
            || !snapshot.verdicts.cuts.is_empty()
            || !islands.is_empty()
            || !snapshot.refusals.is_empty(),
        servers,
        entry_points,
        routes: snapshot.fleet.routes().len(),
        half_blind: view::names(&snapshot, &half_blind),
        country_cuts: view::cuts(&snapshot),
        islands,
        late_certificates: api.late_certificates(),
        plan_refused: snapshot.refusals.keys().cloned().collect(),
    };
    let content = Summary { generation: 0, evaluated_at_ms: 0, ..summary.clone() };
    etag::answer(&headers, &content, &summary)
}

/// The inventory as written; its `ETag` is what `If-Match` of a change takes.
#[utoipa::path(get, path = "/inventory", tag = "fleet", responses((status = 200, body = Inventory)))]
pub async fn get_inventory(State(api): State<Api>, _: Reader) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let mut response = axum::response::IntoResponse::into_response(axum::Json(&*snapshot.inventory));
    let tag = HeaderValue::from_str(&etag::of_inventory(snapshot.inventory_version));
    response.headers_mut().insert(header::ETAG, tag.map_err(|error| Problem::internal(&error))?);
    Ok(response)
}
