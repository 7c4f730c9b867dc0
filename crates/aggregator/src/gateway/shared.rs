//! What all connections of a gateway share, and how the list of pins follows the store.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_core::renewal::Stage;
use quorate_core::time::Moment;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::arrival::Arrival;
use super::enrol::Pace;
use super::gate::Gate;
use super::limits::{COMPLAINT_BURST, COMPLAINT_EVERY};
use super::outage::Outage;
use super::pins::{Fingerprint, Pin, Pins};
use super::registry::{Ending, Opened, Sessions};
use super::tls::Tls;
use super::writer::Writer;
use crate::authority::{AgentCertificate, Authority};
use crate::clock::{Clock, wall};
use crate::engine::EngineHandle;
use crate::event::{Event, Kind};
use crate::rate::{Meter, Meters};
use crate::store::{CertificateState, NewCertificate, NewSession, PinnedCertificate, Store, StoreError};

/// How a certificate lets its agent in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Admission {
    /// It was not used before.
    pub(super) first_use: bool,
    /// What it is good for.
    pub(super) stage: Stage,
}

/// Shared by all connections.
pub(super) struct Shared {
    pub(super) store: Store,
    pub(super) engine: EngineHandle,
    pub(super) authority: Arc<Authority>,
    pub(super) clock: Clock,
    pub(super) tls: Tls,
    pub(super) pins: Arc<Pins>,
    pub(super) sessions: Sessions,
    pub(super) gate: Arc<Gate>,
    pub(super) writer: Writer,
    /// Whether the store takes what comes.
    pub(super) outage: Arc<Outage>,
    /// Every task of a connection or session.
    pub(super) tasks: TaskTracker,
    /// Cancelled when no new work is taken.
    pub(super) stop: CancellationToken,
    /// Cancelled when those who have not ended by then are cut.
    pub(super) kill: CancellationToken,
    /// Held while certificates change in the store and in the list, so that a refresh undoes no change.
    pub(super) changing: tokio::sync::Mutex<()>,
    /// Held while an enrolment beyond the pace is looked up.
    pub(super) looking: tokio::sync::Mutex<()>,
    pace: Mutex<Pace>,
    renewals: Mutex<Meters<String>>,
    complaints: Mutex<Meter>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("sessions", &self.sessions).finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn new(
        store: Store,
        engine: EngineHandle,
        authority: Arc<Authority>,
        clock: Clock,
        tls: Tls,
        pins: Arc<Pins>,
        writer: Writer,
    ) -> Self {
        Self {
            store,
            engine,
            authority,
            clock,
            tls,
            pins,
            sessions: Sessions::default(),
            gate: Arc::default(),
            writer,
            outage: Arc::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            changing: tokio::sync::Mutex::default(),
            looking: tokio::sync::Mutex::default(),
            pace: Mutex::default(),
            renewals: Mutex::default(),
            complaints: Mutex::default(),
        }
    }

    pub(super) fn enrolment_pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How fast renewals may come, by server.
    pub(super) fn renewal_pace(&self) -> MutexGuard<'_, Meters<String>> {
        self.renewals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line about a connection that came to nothing; when there are many, the counters tell of the rest.
    pub(super) fn complain(&self, arrival: &Arrival, problem: &str) {
        if self.may_complain() {
            let (peer_addr, edge, claimed_addr) = (arrival.peer_addr, arrival.edge(), arrival.claimed());
            tracing::info!(%peer_addr, edge, claimed_addr, problem, "connection refused");
        }
    }

    pub(super) fn complain_of_accept(&self, error: &io::Error) {
        if self.may_complain() {
            tracing::error!(%error, "no connections can be accepted: raise the limit on open files if they ran out");
        }
    }

    fn may_complain(&self) -> bool {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        complaints.take(self.clock.now(), COMPLAINT_BURST, COMPLAINT_EVERY).is_ok()
    }

    /// An event about a server's credentials.
    pub(super) async fn tell(&self, server: &str, to: &str, reason: &str) {
        let event = Event {
            id: 0,
            at_ms: self.clock.now().as_ms(),
            kind: Kind::Session.as_str().to_owned(),
            subject: server.to_owned(),
            from: None,
            to: Some(to.to_owned()),
            reason: reason.to_owned(),
        };
        // Without an engine there is nobody to tell: the process is going.
        let _ = self.engine.tell(event).await;
    }

    /// What the store says of a certificate at this moment; none if it lets nobody in.
    pub(super) async fn admission(&self, fingerprint: &Fingerprint) -> Result<Option<Admission>, StoreError> {
        let certificate = self.store.certificate(fingerprint).await.inspect_err(|error| self.outage.failed(error))?;
        Ok(certificate.and_then(|certificate| {
            let first_use = match certificate.state {
                CertificateState::Pending => true,
                CertificateState::Active => false,
                CertificateState::Retired | CertificateState::Revoked => return None,
            };
            Some(Admission { first_use, stage: certificate.lifetime.stage(wall()) })
        }))
    }

    /// A session begins under a pending certificate: it becomes the server's only one.
    pub(super) async fn first_use(&self, server: &str, fingerprint: &Fingerprint) -> Result<(), StoreError> {
        let _changing = self.changing.lock().await;
        self.store.activate_certificate(fingerprint).await.inspect_err(|error| self.outage.failed(error))?;
        self.take_over_pins().await.inspect_err(|error| self.outage.failed(error))?;
        tracing::info!(server, "certificate in use; older ones of this server are retired");
        Ok(())
    }

    /// A certificate from an enrolment, pending until its first use.
    pub(super) async fn add_certificate(&self, server: &str, issued: &AgentCertificate) -> Result<(), StoreError> {
        let AgentCertificate { fingerprint, der, lifetime } = issued;
        let new = NewCertificate { fingerprint: *fingerprint, server, der, lifetime: *lifetime };
        let replaced = self.store.add_certificate(&new).await?;
        let pin = Pin { server: server.into(), lifetime: *lifetime, state: CertificateState::Pending };
        self.pins.insert(*fingerprint, pin, &replaced);
        Ok(())
    }

    pub(super) async fn stored_sequence(&self, server: &str, outbox: &[u8]) -> Result<u64, StoreError> {
        self.store.stored_sequence(server, outbox).await.inspect_err(|error| self.outage.failed(error))
    }

    pub(super) async fn session_opened(&self, opened: &Opened) -> Result<u64, StoreError> {
        let row = NewSession {
            server: opened.server.clone(),
            peer_addr: opened.arrival.peer_addr.to_string(),
            edge: opened.arrival.edge().map(str::to_owned),
            claimed_addr: opened.arrival.claimed_addr().map(ToString::to_string),
            agent_version: opened.agent_version.clone(),
            opened_at: opened.since,
        };
        let opened = self.store.open_session(&row).await.inspect_err(|error| self.outage.failed(error))?;
        self.outage.worked();
        Ok(opened)
    }

    pub(super) async fn session_closed(&self, row: u64, reason: &str) {
        // A row that stays open is closed by the next start.
        let _ = self.store.close_session(row, self.now(), reason).await.inspect_err(|error| self.outage.failed(error));
    }

    fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(super) async fn refresh_pins(&self) -> Result<(), StoreError> {
        let _changing = self.changing.lock().await;
        self.take_over_pins().await
    }

    /// Reads the list and ends sessions whose certificate is no longer on it, or has ended.
    async fn take_over_pins(&self) -> Result<(), StoreError> {
        let pins: HashMap<_, _> = self
            .store
            .pinned_certificates()
            .await?
            .into_iter()
            .map(|certificate| {
                let PinnedCertificate { fingerprint, server, lifetime, state } = certificate;
                (fingerprint, Pin { server: server.into(), lifetime, state })
            })
            .collect();
        let served: BTreeSet<&str> = pins.values().map(|pin| &*pin.server).collect();
        let now = wall();
        self.sessions.end_where(|fingerprint, server| match pins.get(fingerprint) {
            Some(pin) => pin.is_over(now).then_some(Ending::Expired),
            None if served.contains(server) => Some(Ending::Replaced),
            None => Some(Ending::Revoked),
        });
        drop(served);
        self.pins.replace(pins);
        Ok(())
    }

    pub(super) async fn revoke(&self, server: &str) -> Result<(), StoreError> {
        {
            let _changing = self.changing.lock().await;
            self.store.revoke(server).await?;
            self.pins.remove_server(server);
        }
        self.sessions.revoke(server);
        tracing::info!(server, "revoked");
        self.tell(server, "revoked", "its certificates and open enrolment tokens are void").await;
        Ok(())
    }
}
