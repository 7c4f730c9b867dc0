//! Who is connected: the live sessions of each server, for the API, and the strings to pull to end one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_core::time::Moment;
use tokio::sync::watch;

use super::arrival::Arrival;
use super::counters::{Counters, Totals};
use super::limits::{CONNECTIONS_PER_SERVER_MAX, SESSIONS_PER_SERVER_MAX};
use super::pins::Fingerprint;
use super::twins::is_twin;
use crate::digest::hex;

/// A live session, as readers see it.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// Whose, by its certificate.
    pub server: String,
    /// When it said Hello.
    pub since: Moment,
    /// How its connection came in.
    pub arrival: Arrival,
    /// The address that the agent says it dialled: a claim.
    pub dialled: Option<String>,
    /// What the agent says it is.
    pub agent_version: String,
    /// The plan it was last known to hold: from Hello, then as sent; 0 for none.
    pub plan_version: u64,
    /// When its last message came.
    pub last_message_at: Moment,
    /// The outbox that its reports come from, in hex.
    pub outbox: String,
}

/// Why a session is ended from this side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    /// This process is going.
    Draining,
    /// The certificate is no longer good.
    Revoked,
    /// The certificate has ended.
    Expired,
    /// The server has newer sessions.
    Replaced,
}

/// The registry; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    counters: Counters,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    draining: bool,
    /// By server, oldest first.
    live: BTreeMap<String, Vec<Arc<Live>>>,
    connections: BTreeMap<String, usize>,
    /// Edges through which a Hello came since somebody asked; as many as there ever were declared, at most.
    came: BTreeSet<Arc<str>>,
}

#[derive(Debug)]
struct Live {
    id: u64,
    fingerprint: Fingerprint,
    opened: Opened,
    plan_version: AtomicU64,
    last_message_at: AtomicU64,
    ending: watch::Sender<Option<Ending>>,
}

/// What a session is when it opens.
#[derive(Debug, Clone)]
pub(super) struct Opened {
    pub(super) server: String,
    pub(super) since: Moment,
    pub(super) arrival: Arrival,
    pub(super) dialled: Option<String>,
    pub(super) agent_version: String,
    pub(super) plan_version: u64,
    pub(super) outbox: Vec<u8>,
}

/// A session's own entry; taken out when dropped.
#[derive(Debug)]
pub(super) struct Registered {
    sessions: Sessions,
    live: Arc<Live>,
}

/// One connection under a server's certificate; given back when dropped.
#[derive(Debug)]
pub(super) struct Connected {
    sessions: Sessions,
    server: String,
}

impl Sessions {
    /// All live sessions, by server and age.
    pub fn list(&self) -> Vec<SessionView> {
        self.state().live.values().flatten().map(|live| live.view()).collect()
    }

    /// The live sessions of one server, oldest first.
    pub fn of(&self, server: &str) -> Vec<SessionView> {
        self.state().live.get(server).into_iter().flatten().map(|live| live.view()).collect()
    }

    /// How many live sessions came through each edge.
    pub fn by_edge(&self) -> BTreeMap<Arc<str>, usize> {
        let mut by_edge: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for through in self.state().live.values().flatten().filter_map(|live| live.opened.arrival.through.as_ref()) {
            *by_edge.entry(Arc::clone(&through.edge)).or_default() += 1;
        }
        by_edge
    }

    /// Edges through which an agent has said Hello, if only to measure, since this was asked last.
    pub fn take_came(&self) -> BTreeSet<Arc<str>> {
        std::mem::take(&mut self.state().came)
    }

    /// An agent has said Hello.
    pub(super) fn came(&self, arrival: &Arrival) {
        if let Some(through) = &arrival.through {
            self.state().came.insert(Arc::clone(&through.edge));
        }
    }

    /// The gateway's counters.
    pub fn totals(&self) -> Totals {
        self.0.counters.totals()
    }

    pub(super) fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Counts a connection; none if the server has too many.
    pub(super) fn connect(&self, server: &str) -> Option<Connected> {
        let mut state = self.state();
        let count = state.connections.entry(server.to_owned()).or_default();
        if *count >= CONNECTIONS_PER_SERVER_MAX {
            return None;
        }
        *count += 1;
        Some(Connected { sessions: self.clone(), server: server.to_owned() })
    }

    /// Enters a session; the server's oldest ones end if they are too many.
    pub(super) fn open(&self, fingerprint: Fingerprint, opened: Opened) -> Registered {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        let live = Arc::new(Live {
            id,
            fingerprint,
            plan_version: opened.plan_version.into(),
            last_message_at: opened.since.as_ms().into(),
            opened,
            ending: watch::Sender::new(state.draining.then_some(Ending::Draining)),
        });
        let of_server = state.live.entry(live.opened.server.clone()).or_default();
        of_server.push(Arc::clone(&live));
        let surplus = of_server.len().saturating_sub(SESSIONS_PER_SERVER_MAX);
        for replaced in &of_server[..surplus] {
            replaced.end(Ending::Replaced);
        }
        Registered { sessions: self.clone(), live }
    }

    /// Ends all sessions of a server.
    pub(super) fn revoke(&self, server: &str) {
        for live in self.state().live.get(server).into_iter().flatten() {
            live.end(Ending::Revoked);
        }
    }

    /// Ends the sessions for which `ending` has a reason, by certificate and server.
    pub(super) fn end_where(&self, ending: impl Fn(&Fingerprint, &str) -> Option<Ending>) {
        for live in self.state().live.values().flatten() {
            if let Some(ending) = ending(&live.fingerprint, &live.opened.server) {
                live.end(ending);
            }
        }
    }

    /// Ends all sessions, and those that open from here on at once.
    pub(super) fn drain(&self) {
        let mut state = self.state();
        state.draining = true;
        for live in state.live.values().flatten() {
            live.end(Ending::Draining);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is whole before anything could panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    fn view(&self) -> SessionView {
        SessionView {
            server: self.opened.server.clone(),
            since: self.opened.since,
            arrival: self.opened.arrival.clone(),
            dialled: self.opened.dialled.clone(),
            agent_version: self.opened.agent_version.clone(),
            plan_version: self.plan_version.load(Relaxed),
            last_message_at: Moment::from_ms(self.last_message_at.load(Relaxed)),
            outbox: hex(&self.opened.outbox),
        }
    }

    /// The first reason stands.
    fn end(&self, ending: Ending) {
        self.ending.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                *current = Some(ending);
            }
            first
        });
    }
}

impl Registered {
    /// A message came.
    pub(super) fn heard(&self, at: Moment) {
        self.live.last_message_at.store(at.as_ms(), Relaxed);
    }

    /// How another machine comes in that uses the same identity, if one shows by this session's speaking at `now`.
    pub(super) fn twin(&self, now: Moment) -> Option<Arrival> {
        let state = self.sessions.state();
        let of_server = state.live.get(&self.live.opened.server)?;
        let newer = of_server.iter().find(|other| other.id > self.live.id && is_twin(other.opened.since, now))?;
        Some(newer.opened.arrival.clone())
    }

    /// A plan was sent.
    pub(super) fn planned(&self, version: u64) {
        self.live.plan_version.store(version, Relaxed);
    }

    /// Waits until this side wants the session to end.
    pub(super) async fn ending(&self) -> Ending {
        let mut ending = self.live.ending.subscribe();
        match ending.wait_for(Option::is_some).await.map(|ending| ending.clone()) {
            Ok(Some(ending)) => ending,
            // `self.live` holds the sender.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut state = self.sessions.state();
        let server = &self.live.opened.server;
        if let Some(of_server) = state.live.get_mut(server) {
            of_server.retain(|live| live.id != self.live.id);
            if of_server.is_empty() {
                state.live.remove(server);
            }
        }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut state = self.sessions.state();
        if let Some(count) = state.connections.get_mut(&self.server) {
            *count -= 1;
            if *count == 0 {
                state.connections.remove(&self.server);
            }
        }
    }
}
