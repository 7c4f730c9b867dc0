//! One earlier moment: verdicts, mesh and sentences as they were known then, beside what was said.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use quorate_core::balance::{self, Offer};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::access::Reader;
use crate::api::explain::{self, SentenceView};
use crate::api::extract::Params;
use crate::api::matrix::{self, Matrix, MatrixQuery};
use crate::api::problem::Problem;
use crate::api::view::{self, CutView, ServerRow};
use crate::api::{Api, etag};
use crate::archive::{self, Found};
use crate::engine::Snapshot;
use crate::when;

/// When.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MomentQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
}

/// Which part of the mesh, and when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PastMatrixQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// Only this witness.
    pub witness: Option<String>,
    /// Only this server's entry points.
    pub target: Option<String>,
    /// Witnesses, 1 to 1,000; 100 when absent, fewer where rows are long.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// Of what, and when.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PastExplainQuery {
    /// Unix milliseconds.
    pub at_ms: u64,
    /// A server or an entry point.
    pub id: String,
}

/// One earlier moment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastMoment {
    /// The moment asked for.
    pub at_ms: u64,
    /// What the reports of that time say, folded again.
    pub known: PastKnown,
    /// What was said: the status of each server as it was written down then.
    pub said: Vec<PastSaid>,
    /// Servers whose known status is not the one that was said, though it had been known for over a second.
    pub differs: Vec<String>,
    /// What the answer rests on.
    pub footing: Footing,
}

/// What was known.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastKnown {
    /// Version of the inventory in force then.
    pub inventory_version: u64,
    /// Servers by status; statuses that nobody had are absent.
    pub counts: BTreeMap<String, usize>,
    /// R12.
    pub country_cuts: Vec<CutView>,
    /// Witnesses that were half-blind (R10).
    pub half_blind: Vec<String>,
    /// The servers of that time, by id. `plan_refused` is never there: refusals are not archived.
    pub servers: Vec<ServerRow>,
    /// What each route delivered.
    pub routes: Vec<PastRoute>,
}

/// What a route delivered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastRoute {
    /// The route.
    pub id: String,
    /// Entry points, best first.
    pub deliver: Vec<String>,
    /// Entry points held back.
    pub withheld: Vec<String>,
    /// Nothing good was left (R16).
    pub last_resort: bool,
}

/// What was said of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastSaid {
    /// Which.
    pub server: String,
    /// Its status.
    pub status: String,
    /// Since when.
    pub since_ms: u64,
}

/// What an answer about an earlier moment rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Footing {
    /// `exact`: from a state that the aggregator wrote down itself. `warmed_up`: from reports alone, over longer than a
    /// verdict outlives its evidence. `short`: from fewer reports than that, because the archive has no earlier ones.
    pub kind: FootingKind,
    /// Where folding began.
    pub from_ms: u64,
    /// Set if the aggregator did not run at that moment: since when. What is shown is the last that it knew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_since_ms: Option<u64>,
    /// What to bear in mind, in a sentence; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// How sure an answer about an earlier moment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FootingKind {
    /// From a state that the aggregator wrote down itself.
    Exact,
    /// From reports alone, enough of them.
    WarmedUp,
    /// From fewer reports than it takes.
    Short,
}

/// Why something was as it was.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PastExplanation {
    /// The moment asked for.
    pub at_ms: u64,
    /// The server or entry point.
    pub id: String,
    /// Why, in sentences.
    pub sentences: Vec<SentenceView>,
}

/// How long after it is known a status is said at the latest: an evaluation follows a report within a quarter of a second,
/// and may itself take as long in a large fleet.
const SAID_WITHIN: Duration = Duration::from_secs(1);

/// What was known at an earlier moment, and what was said.
#[utoipa::path(get, path = "/history/moment", tag = "history", params(MomentQuery),
    responses((status = 200, body = PastMoment), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_moment(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<MomentQuery>,
) -> Result<Response, Problem> {
    let (at, found) = moment(&api, query.at_ms).await?;
    let said = api.store.statuses_at(at).await?;
    let snapshot = found.past.snapshot(&said);
    let servers: Vec<ServerRow> = snapshot.fleet.server_ixs().map(|ix| view::server_row(&snapshot, ix, at)).collect();
    let said = snapshot.fleet.servers().iter().filter_map(|server| {
        let (status, since) = said.get(&server.id)?;
        Some(PastSaid { server: server.id.clone(), status: status.as_str().to_owned(), since_ms: since.as_ms() })
    });
    let said: Vec<PastSaid> = said.collect();
    let spoken: BTreeMap<&str, &str> = said.iter().map(|said| (said.server.as_str(), said.status.as_str())).collect();
    // What has only just become so is said a moment later.
    let lasts = |row: &&ServerRow| at.since(Moment::from_ms(row.since_ms)) > SAID_WITHIN;
    let differs = servers.iter().filter(lasts);
    let differs = differs.filter(|row| spoken.get(row.id.as_str()).is_some_and(|said| *said != row.status));
    let body = PastMoment {
        at_ms: at.as_ms(),
        differs: differs.map(|row| row.id.clone()).collect(),
        known: known(&snapshot, servers),
        said,
        footing: Footing::of(&found),
    };
    etag::answer(&headers, &body, &body)
}

fn known(snapshot: &Snapshot, servers: Vec<ServerRow>) -> PastKnown {
    let mut counts = BTreeMap::new();
    for row in &servers {
        *counts.entry(row.status.clone()).or_default() += 1;
    }
    let half_blind = servers.iter().filter(|row| row.half_blind).map(|row| row.id.clone()).collect();
    let names = |offers: &[Offer]| {
        offers.iter().map(|offer| snapshot.fleet.entry_point(offer.entry_point).id.clone()).collect()
    };
    let routes = snapshot.fleet.route_ixs().map(|ix| {
        let slate = balance::slate(&snapshot.fleet, &snapshot.verdicts, ix, None);
        PastRoute {
            id: snapshot.fleet.route(ix).id.clone(),
            deliver: names(&slate.deliver),
            withheld: names(&slate.withheld),
            last_resort: slate.last_resort,
        }
    });
    PastKnown {
        inventory_version: snapshot.inventory_version,
        counts,
        country_cuts: view::cuts(snapshot),
        half_blind,
        routes: routes.collect(),
        servers,
    }
}

/// The mesh at an earlier moment, paged by witness.
#[utoipa::path(get, path = "/history/matrix", tag = "history", params(PastMatrixQuery),
    responses((status = 200, body = Matrix), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_past_matrix(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<PastMatrixQuery>,
) -> Result<Response, Problem> {
    let PastMatrixQuery { at_ms, witness, target, limit, after } = query;
    let (_, found) = moment(&api, at_ms).await?;
    let mut matrix = matrix::page(&found.past.view(), &MatrixQuery { witness, target, limit, after })?;
    let planned = |witness: &str| Some(found.past.planned(witness)?.into_iter().collect());
    matrix::add_knocks(&mut matrix, &found.past.snapshot(&BTreeMap::new()), planned);
    etag::answer(&headers, &matrix, &matrix)
}

/// Why a server or an entry point was as it was.
#[utoipa::path(get, path = "/history/explain", tag = "history", params(PastExplainQuery),
    responses((status = 200, body = PastExplanation), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get_past_explanation(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<PastExplainQuery>,
) -> Result<Response, Problem> {
    let (at, found) = moment(&api, query.at_ms).await?;
    let snapshot = found.past.snapshot(&api.store.statuses_at(at).await?);
    let sentences = match (snapshot.fleet.find_server(&query.id), snapshot.fleet.find_entry_point(&query.id)) {
        (Some(ix), _) => explain::server(&snapshot, ix),
        (None, Some(ix)) => explain::entry_point(&snapshot, ix),
        (None, None) => {
            let told = format!("no server and no entry point was called '{}' at that moment", query.id);
            return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", told));
        }
    };
    let body = PastExplanation { at_ms: at.as_ms(), id: query.id, sentences };
    etag::answer(&headers, &body, &body)
}

/// The moment asked for, folded.
pub(super) async fn moment(api: &Api, at_ms: u64) -> Result<(Moment, Arc<Found>), Problem> {
    let (at, newest) = (Moment::from_ms(at_ms), api.engine.snapshot().at);
    if at > newest {
        let told = format!("at_ms {at_ms} lies ahead: the newest evaluation is of {}", newest.as_ms());
        return Err(Problem::bad_request(told));
    }
    Ok((at, api.history.at(at).await?))
}

impl Footing {
    fn of(found: &Found) -> Self {
        let kind = match found.footing {
            archive::Footing::Exact => FootingKind::Exact,
            archive::Footing::WarmedUp => FootingKind::WarmedUp,
            archive::Footing::Short => FootingKind::Short,
        };
        let stopped = found.stopped_since.map(|since| {
            let since = when::date_and_time(since);
            format!("The aggregator did not run at that moment: this is the last that it knew, of {since}.")
        });
        let from = when::date_and_time(found.from);
        let short = match kind {
            FootingKind::Exact | FootingKind::WarmedUp => None,
            FootingKind::Short => Some(format!(
                "The archive begins at {from}: verdicts that rest on what came before are not known here."
            )),
        };
        let caution: Vec<String> = stopped.into_iter().chain(short).collect();
        Self {
            kind,
            from_ms: found.from.as_ms(),
            stopped_since_ms: found.stopped_since.map(Moment::as_ms),
            caution: (!caution.is_empty()).then(|| caution.join(" ")),
        }
    }
}
