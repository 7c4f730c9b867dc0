//! Why a verdict is as it is, in sentences: core's, over the ledger as it lies.

use quorate_core::fleet::{EntryIx, ServerIx};

use super::Api;
use super::problem::Problem;
use crate::engine::Snapshot;

/// Why a server is as it is.
pub async fn server(api: &Api, snapshot: &Snapshot, ix: ServerIx) -> Result<Vec<String>, Problem> {
    let id = snapshot.name(ix).to_owned();
    Ok(api.engine.read(move |view| view.fleet.find_server(&id).map(|ix| sentences::server(view, ix))).await?.unwrap_or_default())
}

/// Why an entry point is as it is.
pub async fn entry_point(api: &Api, snapshot: &Snapshot, ix: EntryIx) -> Result<Vec<String>, Problem> {
    let id = snapshot.fleet.entry_point(ix).id.clone();
    let found = api.engine.read(move |view| view.fleet.find_entry_point(&id).map(|ix| sentences::entry_point(view, ix)));
    Ok(found.await?.unwrap_or_default())
}
