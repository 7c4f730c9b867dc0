//! The last hour in small, as the archive has it: for an engine that has just started and heard nothing yet.

use quorate_core::fleet::Fleet;
use quorate_core::time::Moment;

use super::base::{ArchiveError, as_in_force};
use super::walk::{Entry, From, Walk};
use crate::engine::{EngineHandle, intake};
use crate::lines::{Lines, SPAN};
use crate::store::Store;

/// Brings it into the small lines; what came since the start stays on top.
pub async fn bring(engine: EngineHandle, store: Store, now: Moment) {
    match last_hour(&store, &engine.snapshot().fleet, now).await {
        Ok(older) => engine.put_lines_under(older),
        Err(error) => tracing::warn!("the lines of the last hour begin empty: {error}"),
    }
}

/// Reports read at a start at most: an hour of a fleet of three hundred. Of a larger one the newest of the hour.
const READ_MAX: u64 = 20_000;

/// The hour before `now` as the archive has it.
async fn last_hour(store: &Store, fleet: &Fleet, now: Moment) -> Result<Lines, ArchiveError> {
    let newest = store.last_report_id(now).await?;
    let read_after = store.report_id_before(now.before(SPAN)).await?.max(newest.saturating_sub(READ_MAX));
    // Whoever is in the fleet is asked for; how it was declared meanwhile does not matter.
    let from = From { at: now, inventory_version: u64::MAX, read_after };
    let mut walk = Walk::open(store, from, now, as_in_force()).await?;
    let mut lines = Lines::default();
    while let Some(page) = walk.next().await? {
        for entry in page.entries {
            let Entry::Heard(heard) = entry else { continue };
            if let Some(metrics) = heard.report.self_check.as_ref().and_then(|check| check.metrics.as_ref()) {
                lines.note_self(&heard.server, heard.observed_at, metrics);
            }
            for (entry_point, outcome) in intake::read_named(&heard.server, &page.plans, &heard.report) {
                if let Some(ix) = fleet.find_entry_point(entry_point) {
                    lines.note_knock(&fleet.owner(ix).id, heard.observed_at, &outcome);
                }
            }
        }
    }
    Ok(lines)
}
