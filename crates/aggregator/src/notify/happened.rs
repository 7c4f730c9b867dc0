//! What happened and is over at once, read from the events as the store has them: it is told to each channel from where
//! that one left off, also over a restart.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate_core::notify::{Severity, Topic};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;

use crate::engine::Event;
use crate::store::{EventQuery, Store, StoreError};

/// Events read at a time.
const STEP: usize = 256;
/// Notes kept at most; what is older has been told, or is told no more.
const NOTES_MAX: usize = 1_024;

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub event: Event,
    pub topic: Topic,
    pub severity: Severity,
}

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Happened {
    notes: BTreeMap<u64, Note>,
    /// The store was read up to here; none before the first time.
    through: Option<u64>,
    /// The newest event that there is.
    newest: u64,
}

impl Happened {
    /// Notices that there are new events, without reading any.
    pub fn hear(&mut self, events: &mut broadcast::Receiver<Arc<Event>>) {
        loop {
            match events.try_recv() {
                Ok(event) => self.newest = self.newest.max(event.id),
                // What was missed is in the store.
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Reads on; from where the channel that is furthest behind left off, the first time.
    pub async fn read(&mut self, store: &Store, from: Option<u64>) -> Result<(), StoreError> {
        let Some(from) = from else { return Ok(()) };
        let mut through = if let Some(through) = self.through {
            through
        } else {
            self.newest = store.last_event_id().await?;
            from
        };
        while through < self.newest {
            let query = EventQuery { after: Some(through), limit: STEP, ..EventQuery::default() };
            let events = store.events(query).await?;
            let Some(last) = events.last() else { break };
            through = last.id;
            for event in events {
                if let Some((topic, severity)) = note_of(&event) {
                    self.notes.insert(event.id, Note { event, topic, severity });
                }
            }
            while self.notes.len() > NOTES_MAX {
                self.notes.pop_first();
            }
            self.through = Some(through);
        }
        self.through = Some(through);
        Ok(())
    }

    /// The store was read up to here.
    pub fn through(&self) -> u64 {
        self.through.unwrap_or(0)
    }

    /// Notes behind an id, in order.
    pub fn after(&self, id: u64) -> impl Iterator<Item = &Note> {
        self.notes.range(id.saturating_add(1)..).map(|(_, note)| note)
    }

    /// One note.
    pub fn get(&self, id: u64) -> Option<&Note> {
        self.notes.get(&id)
    }
}

/// What kind of note an event is; none for what is told otherwise, or not at all.
fn note_of(event: &Event) -> Option<(Topic, Severity)> {
    match (event.kind.as_str(), event.to.as_deref()?) {
        ("aggregator", "resumed") => Some((Topic::Aggregator, Severity::Warning)),
        ("session", "identity_twice" | "enrolment_refused") => Some((Topic::Session, Severity::Warning)),
        ("session", "reports_lost") => Some((Topic::Session, Severity::Info)),
        _ => None,
    }
}
