//! The mesh: witnesses in rows, entry points in columns, and what each says of the other.

pub mod captions;
pub mod packed;

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::fleet::{EntryIx, Intent, ServerIx};
use quorate_core::outcome::Outcome;
use quorate_core::streak::{Pair, Word};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Reader;
use super::extract::Params;
use super::last_report::ms;
use super::page::PageQuery;
use super::problem::Problem;
use super::{Api, etag, view};
use crate::engine::{LedgerView, Snapshot};

/// Most cells of one page: some 10 MB of JSON, and a few milliseconds of the engine's time.
pub const CELLS_MAX: usize = 200_000;

/// Which part of the mesh.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MatrixQuery {
    /// Only this witness.
    pub witness: Option<String>,
    /// Only this server's entry points.
    pub target: Option<String>,
    /// Witnesses, 1 to 1,000; 100 when absent, fewer where rows are long.
    pub limit: Option<usize>,
    /// `next` of the page before.
    pub after: Option<String>,
}

/// A part of the mesh.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Matrix {
    /// When it was read.
    pub evaluated_at_ms: u64,
    /// Ids of the columns.
    pub entry_points: Vec<String>,
    /// One for each witness.
    pub rows: Vec<Row>,
    /// `after` of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What one witness sees.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Row {
    /// The witness.
    pub witness: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// Lanes on which its last round was discredited (R3).
    pub discredited: Vec<String>,
    /// Whether it is silent: its row says what was.
    pub silent: bool,
    /// By column.
    pub cells: Vec<Cell>,
}

/// What one witness sees of one entry point.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Cell {
    /// `sees`, `failing`, `sustained`, `held`, `unknown` or `not_probed`.
    pub state: PairWord,
    /// Failures in a row.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub streak: u16,
    /// Of the last knock, if it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Of the last knock, if it was not: the step and how it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Of the last knock, if it is evidence for nobody and against nobody (R1): why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inconclusive: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if hands a reference")]
const fn is_zero(streak: &u16) -> bool {
    *streak == 0
}

/// The word on a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairWord {
    /// The last knock that counts was answered.
    Sees,
    /// Failures, not enough for a vote.
    Failing,
    /// Enough failures for a vote (R5).
    Sustained,
    /// An earlier vote that still holds (R14).
    Held,
    /// Nothing fresh.
    Unknown,
    /// Not in the witness's plan.
    NotProbed,
}

impl PairWord {
    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sees => "sees",
            Self::Failing => "failing",
            Self::Sustained => "sustained",
            Self::Held => "held",
            Self::Unknown => "unknown",
            Self::NotProbed => "not_probed",
        }
    }

    /// The number in a packed matrix: the graver the word, the higher, so that a picture too small for each cell shows the
    /// highest of several.
    pub const fn code(self) -> u8 {
        match self {
            Self::NotProbed => 0,
            Self::Unknown => 1,
            Self::Sees => 2,
            Self::Failing => 3,
            Self::Held => 4,
            Self::Sustained => 5,
        }
    }
}

/// What each witness sees of each entry point, paged by witness.
#[utoipa::path(get, path = "/matrix", tag = "fleet", params(MatrixQuery),
    responses((status = 200, body = Matrix), (status = 404, body = Problem)))]
pub async fn get_matrix(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<MatrixQuery>,
) -> Result<Response, Problem> {
    let plans = api.engine.plans().borrow().clone();
    let mut matrix = api.engine.read(move |view| page(view, &query)).await??;
    add_knocks(&mut matrix, &api.engine.snapshot(), |witness| {
        let plan = plans.by_server.get(witness)?;
        Some(plan.targets.iter().map(|target| target.entry_point.as_str()).collect())
    });
    etag::answer(&headers, &(&matrix.entry_points, &matrix.rows, &matrix.next), &matrix)
}

/// Adds what each witness's last knocks found, and which it was never to make. `planned` gives the entry points in a
/// witness's plan; none where its plan is not known.
pub fn add_knocks<'a>(matrix: &mut Matrix, snapshot: &Snapshot, planned: impl Fn(&str) -> Option<BTreeSet<&'a str>>) {
    for row in &mut matrix.rows {
        let Some(ix) = snapshot.fleet.find_server(&row.witness) else { continue };
        let planned = planned(&row.witness);
        let last = snapshot.last_reports.get(ix.at()).and_then(Option::as_deref);
        let outcomes: BTreeMap<&str, &Outcome> =
            last.iter().flat_map(|last| &last.outcomes).map(|(id, outcome)| (id.as_str(), outcome)).collect();
        for (cell, id) in row.cells.iter_mut().zip(&matrix.entry_points) {
            let in_plan = planned.as_ref().is_none_or(|planned| planned.contains(id.as_str()));
            if cell.state == PairWord::Unknown && !in_plan {
                cell.state = PairWord::NotProbed;
            }
            match outcomes.get(id.as_str()) {
                Some(Outcome::Reached { latency }) => cell.latency_ms = Some(ms(*latency)),
                Some(Outcome::Failed(failure)) => {
                    cell.failure = Some(format!("{} {}", failure.operation, failure.kind));
                }
                Some(Outcome::Inconclusive(reason)) => cell.inconclusive = Some(reason.to_string()),
                None => {}
            }
        }
    }
}

/// A page of the mesh, as far as the ledger tells.
pub fn page(view: &LedgerView<'_>, query: &MatrixQuery) -> Result<Matrix, Problem> {
    let rows_max = PageQuery { limit: query.limit, after: None }.rows()?;
    let find = |id: &String| view.fleet.find_server(id).ok_or_else(|| Problem::not_found("server", id));
    let witness = query.witness.as_ref().map(find).transpose()?;
    let target = query.target.as_ref().map(find).transpose()?;
    let columns: Vec<EntryIx> = match target {
        Some(target) => view.fleet.server(target).entry_points.clone(),
        None => view.fleet.entry_ixs().collect(),
    };
    let witnesses: Vec<ServerIx> = match witness {
        Some(witness) => vec![witness],
        None => view.fleet.server_ixs().collect(),
    };
    let limit = rows_max.min((CELLS_MAX / columns.len().max(1)).max(1));
    let page = PageQuery { limit: Some(limit), after: query.after.clone() };
    let (page, next) = page.of(witnesses, |ix| &view.fleet.server(*ix).id)?;
    Ok(Matrix {
        evaluated_at_ms: view.now.as_ms(),
        entry_points: columns.iter().map(|ix| view.fleet.entry_point(*ix).id.clone()).collect(),
        rows: page.into_iter().map(|witness| row(view, witness, &columns)).collect(),
        next,
    })
}

fn row(view: &LedgerView<'_>, witness: ServerIx, columns: &[EntryIx]) -> Row {
    let server = view.fleet.server(witness);
    let verdict = &view.verdicts.servers[witness.at()];
    let cell = |ix: &EntryIx| Cell {
        state: word(view, witness, *ix),
        streak: view.ledger.pair(witness, *ix).streak(),
        latency_ms: None,
        failure: None,
        inconclusive: None,
    };
    Row {
        witness: server.id.clone(),
        country: server.country.map(|country| country.to_string()),
        site: view.fleet.site(server.site).to_owned(),
        discredited: view::lanes(verdict.discredited),
        silent: verdict.silent,
        cells: columns.iter().map(cell).collect(),
    }
}

/// The word on a pair, as far as the ledger tells: whether it is planned is the caller's to say.
pub fn word(view: &LedgerView<'_>, witness: ServerIx, entry_point: EntryIx) -> PairWord {
    word_of(view, witness, entry_point, view.ledger.pair(witness, entry_point))
}

/// The same, for who has looked the pair up.
fn word_of(view: &LedgerView<'_>, witness: ServerIx, entry_point: EntryIx, pair: Pair) -> PairWord {
    let is_disabled = |ix: ServerIx| view.fleet.server(ix).intent == Intent::Disabled;
    let target = view.fleet.entry_point(entry_point).server;
    if target == witness || is_disabled(target) || is_disabled(witness) {
        return PairWord::NotProbed;
    }
    match pair.word(view.policy, view.now) {
        Word::Sees => PairWord::Sees,
        Word::Sustained => PairWord::Sustained,
        Word::Unknown if view.verdicts.entry_points[entry_point.at()].held.contains(&witness) => PairWord::Held,
        Word::Unknown if pair.streak() > 0 && pair.is_within(view.policy.stale_after, view.now) => PairWord::Failing,
        Word::Unknown => PairWord::Unknown,
    }
}
