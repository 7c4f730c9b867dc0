//! The edges in force: those of the newest inventory, looked at when a connection comes.

use quorate_core::time::Moment;

use crate::engine::Snapshot;
use crate::inventory::Edges;

/// The edges, as of one version of the inventory. A change is in force for the next connection.
#[derive(Debug, Default)]
pub(super) struct InForce {
    version: Option<u64>,
    edges: Edges,
}

impl InForce {
    /// The edges as of `snapshot`.
    pub(super) fn of(&mut self, snapshot: &Snapshot) -> &Edges {
        if self.version != Some(snapshot.inventory_version) {
            self.version = Some(snapshot.inventory_version);
            match snapshot.inventory.edges() {
                Ok(edges) => self.edges = edges,
                // Only what was checked comes into force, unless somebody wrote into the database.
                Err(error) => tracing::error!(%error, "the edges of the inventory are refused, those before stay"),
            }
        }
        &self.edges
    }
}

/// Tells at start what an operator should know of an edge.
pub(super) fn warn(snapshot: &Snapshot, now: Moment) {
    for edge in &snapshot.inventory.edges {
        if let Some(warning) = edge.warning(now) {
            tracing::warn!(edge = edge.id, "{warning}");
        }
    }
}
