//! What must hold of the archive at any time, and of everything once all is quiet again.

use std::collections::{BTreeMap, BTreeSet};

use quorate_aggregator::event::{Event, Kind};
use quorate_aggregator::store::{ArchivedReport, EventQuery};
use quorate_core::verdict::Status;
use quorate_proto::outcomes::unpack;

use crate::letter;
use crate::twin::Said;
use crate::world::World;

/// Each report is there once, whole, under its own server, and in the order of its outbox.
pub fn archive(rows: &[ArchivedReport], said: &BTreeMap<u64, Said>) -> Result<(), String> {
    let mut last: BTreeMap<(&str, &[u8]), u64> = BTreeMap::new();
    let mut places: BTreeMap<u64, u64> = BTreeMap::new();
    let mut before = None::<&ArchivedReport>;
    for row in rows {
        let letter = letter::read(&row.payload)?;
        let of = format!("report {} of {} (number {})", letter.serial, row.server, row.sequence);
        if let Some(first) = places.insert(letter.serial, row.id) {
            return Err(format!("{of} is stored twice, as {first} and {}", row.id));
        }
        let known = said.get(&letter.serial).ok_or_else(|| format!("{of} was never made"))?;
        let found: Vec<_> = known.outcomes.iter().map(|(_, _, outcome)| *outcome).collect();
        let expected = if letter.report.outcomes.is_empty() { 0 } else { found.len() };
        if known.server != row.server || unpack(&letter.report.outcomes, expected).ok().as_ref() != Some(&found) {
            return Err(format!("{of} is not what was made: {known:?}"));
        }
        let number = last.entry((&row.server, &row.outbox)).or_default();
        if row.sequence <= *number {
            return Err(format!("{of} comes behind number {number} of its outbox"));
        }
        *number = row.sequence;
        if row.observed_at > row.received_at {
            return Err(format!("{of} was received before it was observed"));
        }
        if let Some(before) = before.filter(|before| before.received_at > row.received_at || before.id >= row.id) {
            return Err(format!("{of} was received before report {} in front of it", before.id));
        }
        before = Some(row);
    }
    Ok(())
}

/// The numbers of all reports in the archive.
pub fn serials(rows: &[ArchivedReport]) -> Result<BTreeSet<u64>, String> {
    rows.iter().map(|row| letter::read(&row.payload).map(|letter| letter.serial)).collect()
}

/// All is well and time has passed: nothing waits, nothing is left over, and every verdict is gone (invariant 7).
pub async fn quiet(world: &World) -> Result<(), String> {
    world.is_drained()?;
    let aggregator = world.aggregator.as_ref().ok_or("the aggregator does not run")?;
    let snapshot = aggregator.engine.snapshot();
    let book = world.reader.book();
    let text = |error: quorate_aggregator::store::StoreError| error.to_string();
    let last = book.reports_after(0, usize::MAX).await.map_err(text)?.last().map_or(0, |row| row.id);
    if snapshot.through != last {
        return Err(format!("report {last} is stored, and {} was the last one folded", snapshot.through));
    }
    if *snapshot.inventory != *world.declared() {
        return Err("the inventory in force is not the one declared".to_owned());
    }
    for (server, verdict) in snapshot.fleet.servers().iter().zip(&snapshot.verdicts.servers) {
        if !matches!(verdict.status, Status::Ok | Status::Disabled) {
            return Err(format!("all is well again, and {} is {:?}", server.id, verdict.status));
        }
    }
    let version = aggregator.engine.plans().borrow().version;
    for server in world.servers.iter().filter(|server| snapshot.fleet.find_server(&server.id).is_some()) {
        let held = server.plan().map_or(0, |plan| plan.version);
        if held != version {
            return Err(format!("{} goes by plan {held}, and {version} is in force", server.id));
        }
    }
    let statuses = book.status_since().await.map_err(text)?;
    for (server, since) in snapshot.fleet.servers().iter().zip(snapshot.since.iter()) {
        let status = snapshot.fleet.find_server(&server.id).map(|ix| snapshot.verdicts.servers[ix.at()].status);
        let written = statuses.get(&server.id).copied();
        if written != status.map(|status| (status, *since)) {
            return Err(format!("{} is {status:?} since {since:?}, and {written:?} is written down", server.id));
        }
    }
    let all = EventQuery { after: Some(0), limit: usize::MAX, ..EventQuery::default() };
    let stored: BTreeMap<u64, _> =
        book.events(all).await.map_err(text)?.into_iter().map(|event| (event.id, event)).collect();
    told_once(stored.values())?;
    for (id, heard) in &world.reader.lock().heard {
        match stored.get(id) {
            Some(event) if event == heard => {}
            other => return Err(format!("event {id} was told as {heard:?}, and {other:?} is written down")),
        }
    }
    Ok(())
}

/// What is told of a subject begins where the last that was told of it ended: nothing is told twice, or left out.
fn told_once<'a>(events: impl Iterator<Item = &'a Event>) -> Result<(), String> {
    let mut last: BTreeMap<(&str, &str), &Event> = BTreeMap::new();
    for event in events.filter(|event| Kind::OF_VERDICTS.iter().any(|kind| kind.as_str() == event.kind)) {
        let before = last.insert((&event.kind, &event.subject), event);
        if let Some(before) = before.filter(|before| before.to != event.from) {
            return Err(format!("event {} was told as {before:?}, and then {event:?}", before.id));
        }
    }
    Ok(())
}
