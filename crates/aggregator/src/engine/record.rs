//! What the engine writes down when a verdict changes: standing verdicts, statuses and events. What the store does not take
//! waits, in order, and is written when it does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};

use super::Event;
use super::standing::{standing, words};
use crate::store::{StandingRow, StatusChange, Store, StoreError};

/// Where the store keeps what was told.
pub(super) const TOLD: &str = "told";

/// Events that wait for the store at most; a day of trouble in a large fleet. The oldest go first.
const WAITING_EVENTS_MAX: usize = 10_000;

pub(super) struct Record {
    /// As the store has it, and as it should have it.
    saved: BTreeMap<String, StandingRow>,
    standing: BTreeMap<String, StandingRow>,
    /// Each server's status and since when.
    statuses: BTreeMap<String, (Status, Moment)>,
    waiting_statuses: Vec<StatusChange>,
    waiting_events: VecDeque<Event>,
    next_event: u64,
    /// What was told, for the next start, when it changed.
    pub told: Option<String>,
}

impl Record {
    /// Goes on from what the store has.
    pub fn resume(
        saved: BTreeMap<String, StandingRow>,
        statuses: BTreeMap<String, (Status, Moment)>,
        last_event: u64,
    ) -> Self {
        Self {
            standing: saved.clone(),
            saved,
            statuses,
            waiting_statuses: Vec::new(),
            waiting_events: VecDeque::new(),
            next_event: last_event + 1,
            told: None,
        }
    }

    /// Takes over what an evaluation found.
    pub fn note(&mut self, fleet: &Fleet, ledger: &Ledger, verdicts: &Verdicts, now: Moment) {
        let before = std::mem::take(&mut self.standing);
        for (id, standing) in standing(fleet, ledger) {
            let since = before.get(id).map_or(now, |row| row.since);
            let row =
                StandingRow { unreachable: words(&standing.unreachable), blocked: words(&standing.blocked), since };
            self.standing.insert(id.to_owned(), row);
        }
        for (server, verdict) in fleet.servers().iter().zip(&verdicts.servers) {
            let status = verdict.status;
            if self.statuses.get(&server.id).is_none_or(|(before, _)| *before != status) {
                self.statuses.insert(server.id.clone(), (status, now));
                self.waiting_statuses.push(StatusChange { server: server.id.clone(), status, since: now });
            }
        }
        self.statuses.retain(|server, _| fleet.find_server(server).is_some());
    }

    /// Numbers and dates events, and queues them for the store.
    pub fn number(&mut self, events: VecDeque<Event>, now: Moment) {
        for event in events {
            self.waiting_events.push_back(Event { id: self.next_event, at_ms: now.as_ms(), ..event });
            self.next_event += 1;
        }
        while self.waiting_events.len() > WAITING_EVENTS_MAX {
            self.waiting_events.pop_front();
        }
    }

    /// Since when each server has its status, by server index.
    pub fn since(&self, fleet: &Fleet, now: Moment) -> Vec<Moment> {
        fleet.servers().iter().map(|server| self.statuses.get(&server.id).map_or(now, |(_, since)| *since)).collect()
    }

    /// Writes what waits; what fails waits on. Returns the events that are written from here on: whoever is told of one
    /// before could find another under its number after a restart.
    pub async fn save(&mut self, store: &Store, now: Moment) -> Vec<Arc<Event>> {
        let mut written = Vec::new();
        if let Err(error) = self.try_save(store, now, &mut written).await {
            tracing::warn!("verdicts wait for the database: {error}");
        }
        written
    }

    async fn try_save(&mut self, store: &Store, now: Moment, written: &mut Vec<Arc<Event>>) -> Result<(), StoreError> {
        if self.standing != self.saved {
            let changed: Vec<(String, StandingRow)> = self
                .standing
                .iter()
                .filter(|(id, row)| self.saved.get(*id) != Some(*row))
                .map(|(id, row)| (id.clone(), row.clone()))
                .collect();
            let removed: Vec<String> =
                self.saved.keys().filter(|id| !self.standing.contains_key(*id)).cloned().collect();
            store.save_standing(&changed, &removed, now).await?;
            self.saved = self.standing.clone();
        }
        if !self.waiting_statuses.is_empty() {
            store.record_status(&self.waiting_statuses).await?;
            self.waiting_statuses.clear();
        }
        if !self.waiting_events.is_empty() {
            // In one stroke: a process that died between the two would tell it all again.
            let told = self.told.as_deref().map(|told| (TOLD, told));
            store.append_events(self.waiting_events.make_contiguous(), told).await?;
            written.extend(self.waiting_events.drain(..).map(Arc::new));
            self.told = None;
        }
        Ok(())
    }
}
