//! The mesh in one byte a cell, for pictures of it: a mesh of 1,000 servers is 1 MB here, and 60 MB as JSON.
//!
//! | bytes | |
//! | --- | --- |
//! | 4 | `QMX1` |
//! | 4 | length of the header, little-endian |
//! | so many | [`Header`] as JSON: what the rows and columns are |
//! | rows × columns | the cells, row by row |
//!
//! The lower three bits of a cell are its word ([`PairWord::code`]), the upper five the failures in a row, 31 for any more.
//! The tag is of all that without the moment, so a mesh that stays as it is costs a `304`.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::streak::Pair;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PairWord, word_of};
use crate::api::access::Reader;
use crate::api::extract::Params;
use crate::api::page::{LIMIT_MAX, PageQuery};
use crate::api::problem::Problem;
use crate::api::{Api, etag, view};
use crate::engine::LedgerView;

/// The type of the answer.
pub const MEDIA_TYPE: &str = "application/vnd.quorate.matrix";
/// Most cells of one page: 4 MB, and some 50 ms of the engine's time.
pub const CELLS_MAX: usize = 4_000_000;

/// Failures in a row that a cell can tell; it says this for any more.
const STREAK_MAX: u16 = 31;
const MAGIC: &[u8; 4] = b"QMX1";

/// What rows and columns are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Header {
    /// When it was read.
    pub evaluated_at_ms: u64,
    /// The witnesses, by id.
    pub rows: Vec<Witness>,
    /// The entry points, in the fleet's order.
    pub columns: Vec<Column>,
    /// `after` of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Witness {
    /// Its id.
    pub witness: String,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// R11, of the server itself.
    pub status: String,
    /// Lanes on which its last round was discredited (R3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discredited: Vec<String>,
    /// Whether it is silent: its row says what was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Column {
    /// The entry point's id.
    pub entry_point: String,
    /// Its server.
    pub server: String,
    /// Where that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Its failure domain.
    pub site: String,
    /// Transport and address family.
    pub lane: String,
    /// The strongest word on it that applies.
    pub state: String,
}

/// A matrix, or a page of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// What rows and columns are.
    pub header: Header,
    /// `header.rows.len() * header.columns.len()` cells.
    pub cells: Vec<u8>,
}

/// What each witness sees of each entry point, one byte a cell, in pages of at most 4,000,000 cells.
#[utoipa::path(get, path = "/matrix/packed", tag = "fleet", params(PageQuery),
    responses((status = 200, content_type = "application/vnd.quorate.matrix", body = Vec<u8>,
        description = "`QMX1`, the length of the header (4 bytes, little-endian), the header (JSON: PackedHeader), and the \
            cells, row by row: word in the lower three bits (0 not_probed, 1 unknown, 2 sees, 3 failing, 4 held, \
            5 sustained), failures in a row above (31: or more)")))]
pub async fn get_packed_matrix(
    State(api): State<Api>,
    _: Reader,
    headers: HeaderMap,
    Params(query): Params<PageQuery>,
) -> Result<Response, Problem> {
    let query = PageQuery { limit: Some(query.limit.unwrap_or(LIMIT_MAX)), ..query };
    query.rows()?;
    let plans = api.engine.plans().borrow().clone();
    let mut packed = api.engine.read(move |view| Packed::of(view, &query)).await??;
    let answered = tokio::task::spawn_blocking(move || {
        packed.plan(|witness| {
            let plan = plans.by_server.get(witness)?;
            Some(plan.targets.iter().map(|target| target.entry_point.as_str()).collect())
        });
        packed.answer(&headers)
    });
    answered.await.map_err(|error| Problem::internal(&error))?
}

impl Packed {
    /// The page of the mesh that `query` asks for, before anybody said what is planned.
    pub fn of(view: &LedgerView<'_>, query: &PageQuery) -> Result<Self, Problem> {
        let columns: Vec<EntryIx> = view.fleet.entry_ixs().collect();
        let limit = query.rows()?.min((CELLS_MAX / columns.len().max(1)).max(1));
        let query = PageQuery { limit: Some(limit), after: query.after.clone() };
        let (page, next) = query.of(view.fleet.server_ixs(), |ix| &view.fleet.server(*ix).id)?;
        Ok(Self {
            cells: cells(view, &page, &columns),
            header: Header {
                evaluated_at_ms: view.now.as_ms(),
                rows: page.iter().map(|ix| witness(view, *ix)).collect(),
                columns: columns.iter().map(|ix| column(view, *ix)).collect(),
                next,
            },
        })
    }

    /// Tells what is not known from what is not asked: an unknown pair outside its witness's plan is not probed. `planned`
    /// gives the ids of the entry points in a witness's plan, if that is known.
    pub fn plan<'a>(&mut self, planned: impl Fn(&str) -> Option<Vec<&'a str>>) {
        let width = self.header.columns.len();
        if width == 0 {
            return;
        }
        let places: BTreeMap<&str, usize> =
            self.header.columns.iter().enumerate().map(|(at, column)| (column.entry_point.as_str(), at)).collect();
        for (row, cells) in self.header.rows.iter().zip(self.cells.chunks_mut(width)) {
            if !cells.iter().any(|cell| is_unknown(*cell)) {
                continue;
            }
            let Some(plan) = planned(&row.witness) else { continue };
            let mut asked = vec![false; width];
            for at in plan.iter().filter_map(|target| places.get(target)) {
                asked[*at] = true;
            }
            for (cell, _) in cells.iter_mut().zip(asked).filter(|(cell, asked)| is_unknown(**cell) && !asked) {
                *cell = PairWord::NotProbed.code();
            }
        }
    }

    /// As it goes over the wire.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let header = serde_json::to_vec(&self.header)?;
        // A header of 10,000 servers and 40,000 entry points is 8 MB: its length fits.
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        Ok([MAGIC.as_slice(), &length.to_le_bytes(), &header, &self.cells].concat())
    }

    /// The answer to a reader that may have it already.
    pub fn answer(&self, headers: &HeaderMap) -> Result<Response, Problem> {
        let internal = |error: serde_json::Error| Problem::internal(&error);
        let timeless = Self { header: Header { evaluated_at_ms: 0, ..self.header.clone() }, cells: self.cells.clone() };
        let (content, body) = (timeless.bytes().map_err(internal)?, self.bytes().map_err(internal)?);
        etag::answer_bytes(headers, &content, MEDIA_TYPE, || body)
    }
}

/// Row by row, because the ledger has them so and skips pairs without evidence.
fn cells(view: &LedgerView<'_>, page: &[ServerIx], columns: &[EntryIx]) -> Vec<u8> {
    let mut cells = Vec::with_capacity(page.len() * columns.len());
    for witness in page {
        cells.extend(columns.iter().map(|column| word_of(view, *witness, *column, Pair::UNKNOWN).code()));
    }
    let mut places = vec![None; view.fleet.entry_points().len()];
    for (at, column) in columns.iter().enumerate() {
        places[column.at()] = Some(at);
    }
    for (witness, row) in page.iter().zip(cells.chunks_mut(columns.len().max(1))) {
        for (ix, pair) in view.ledger.row(*witness) {
            let Some(at) = places[ix.at()] else { continue };
            // At most 31, so it fits above the three bits of the word.
            let streak = pair.streak().min(STREAK_MAX) as u8;
            row[at] = word_of(view, *witness, ix, pair).code() | streak << 3;
        }
    }
    cells
}

const fn is_unknown(cell: u8) -> bool {
    cell & 0b111 == PairWord::Unknown.code()
}

fn witness(view: &LedgerView<'_>, ix: ServerIx) -> Witness {
    let (server, verdict) = (view.fleet.server(ix), &view.verdicts.servers[ix.at()]);
    Witness {
        witness: server.id.clone(),
        country: server.country.map(|country| country.to_string()),
        site: view.fleet.site(server.site).to_owned(),
        status: verdict.status.as_str().to_owned(),
        discredited: view::lanes(verdict.discredited),
        silent: verdict.silent,
    }
}

fn column(view: &LedgerView<'_>, ix: EntryIx) -> Column {
    let (entry_point, server) = (view.fleet.entry_point(ix), view.fleet.owner(ix));
    Column {
        entry_point: entry_point.id.clone(),
        server: server.id.clone(),
        country: server.country.map(|country| country.to_string()),
        site: view.fleet.site(server.site).to_owned(),
        lane: entry_point.lane.to_string(),
        state: view::state(view.fleet, view.verdicts, ix).to_owned(),
    }
}
