//! The gateway: where agents come in.
//!
//! One listener, two doors told apart by ALPN: sessions of agents with a pinned certificate, and enrolment for those who
//! have none yet. What passes is stored first, handed to the engine second and acknowledged last, so nothing acknowledged
//! is lost. Identity is the certificate; addresses are measurements.
//!
//! Always true: the accept loop awaits no peer; every wait and every size has a bound ([`limits`]); nothing that comes in
//! ends the process. It refuses to know what a report means: that is the engine's.

mod arrival;
mod connection;
mod counters;
mod edges;
mod ending;
mod enrol;
mod gaps;
mod gate;
mod handshake;
mod header;
pub mod intake;
pub mod limits;
mod outage;
mod pins;
mod plan;
mod registry;
mod renewal;
mod service;
mod session;
mod shared;
#[cfg(test)]
mod tests;
mod tls;
mod twins;
pub mod wire;
mod writer;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use quorate_core::renewal::Stage;
use quorate_core::time::Moment;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use self::arrival::{Arrival, Through, Worth};
pub use self::counters::Totals;
pub use self::enrol::{MintError, mint_enrolment};
use self::gate::{Entry, Place};
use self::limits::{ACCEPT_PAUSE, DRAIN_BUDGET, LINGER, PINS_REFRESH};
pub use self::pins::Pin;
pub use self::registry::{SessionView, Sessions};
use self::shared::Shared;
use self::tls::Tls;
pub use self::tls::{ALPN_ENROLMENT, ALPN_SESSION};
use self::writer::{Queue, Writer};
use crate::authority::{Authority, AuthorityError};
use crate::clock::Clock;
use crate::engine::EngineHandle;
use crate::store::{CertificateState, Store, StoreError};

/// What the gateway is told.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Host names and IP addresses that agents dial: the names in the gateway's certificate, at least one.
    pub names: Vec<String>,
}

/// Why the gateway does not start.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Nobody could check its certificate.
    #[error("the gateway has no name: give the host name or address that agents dial")]
    NoName,
    /// The port is taken, privileged, or the address is not this machine's.
    #[error("the gateway cannot listen on {addr}: {problem}: give another address, or stop what listens there")]
    Listen {
        /// Where.
        addr: SocketAddr,
        /// What the system said.
        problem: io::Error,
    },
    /// Its certificate.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The list of pins.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A gateway that listens; agents wait in the backlog until it runs.
#[derive(Debug)]
pub struct Gateway {
    listener: TcpListener,
    local_addr: SocketAddr,
    shared: Arc<Shared>,
    queue: Queue,
}

/// What others may ask of a running gateway. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GatewayHandle(Arc<Shared>);

impl Gateway {
    /// Takes the port, reads the pins, and closes the books on sessions that a process which died has left open.
    pub async fn bind(
        config: GatewayConfig,
        store: Store,
        engine: EngineHandle,
        authority: Arc<Authority>,
        clock: Clock,
    ) -> Result<Self, GatewayError> {
        if config.names.is_empty() {
            return Err(GatewayError::NoName);
        }
        raise_file_limit();
        let refused = |problem| GatewayError::Listen { addr: config.listen, problem };
        let listener = TcpListener::bind(config.listen).await.map_err(refused)?;
        let local_addr = listener.local_addr().map_err(refused)?;
        store.close_left_sessions(clock.now(), "aggregator_died").await?;
        let pins = Arc::default();
        let tls = Tls::new(Arc::clone(&authority), config.names, Arc::clone(&pins))?;
        let (writer, queue) = Writer::new();
        let shared = Arc::new(Shared::new(store, engine, authority, clock, tls, pins, writer));
        shared.refresh_pins().await?;
        edges::warn(&shared.engine.snapshot(), shared.clock.now());
        Ok(Self { listener, local_addr, shared, queue })
    }

    /// Where it listens: the port is a real one though 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Who is connected, and the counters.
    pub fn sessions(&self) -> Sessions {
        self.shared.sessions.clone()
    }

    /// For those who outlive the call to [`Gateway::run`].
    pub fn handle(&self) -> GatewayHandle {
        GatewayHandle(Arc::clone(&self.shared))
    }

    /// Serves until `shutdown`, then tells every session to go and ends within 5 s.
    pub async fn run(self, shutdown: CancellationToken) {
        let Self { listener, shared, queue, .. } = self;
        let written = CancellationToken::new();
        let writer = tokio::spawn(queue.run(
            shared.store.clone(),
            shared.engine.clone(),
            shared.sessions.clone(),
            Arc::clone(&shared.outage),
            written.clone(),
        ));
        tokio::select! {
            biased;
            () = shutdown.cancelled() => {}
            () = accept(&listener, &shared) => {}
            () = keep_pins_fresh(&shared) => {}
        }
        drop(listener);
        shared.sessions.drain();
        shared.stop.cancel();
        shared.tasks.close();
        if timeout(DRAIN_BUDGET, shared.tasks.wait()).await.is_err() {
            tracing::warn!("some sessions did not end in time and were cut");
        }
        shared.kill.cancel();
        written.cancel();
        if timeout(LINGER, writer).await.is_err() {
            tracing::warn!("the last reports were not stored in time; their agents keep them");
        }
    }
}

impl GatewayHandle {
    /// Who is connected, and the counters.
    pub fn sessions(&self) -> Sessions {
        self.0.sessions.clone()
    }

    /// The certificates by which a server's agent is known: the active one, and a pending one.
    pub fn certificates(&self, server: &str) -> Vec<Pin> {
        self.0.pins.filter(|pin| &*pin.server == server)
    }

    /// The active certificates that their agents should have renewed by `now`, of the wall clock.
    pub fn late_certificates(&self, now: Moment) -> Vec<Pin> {
        self.0.pins.filter(|pin| pin.state == CertificateState::Active && pin.lifetime.stage(now) >= Stage::Late)
    }

    /// A connection that needs no socket, with a certificate that was looked at elsewhere.
    #[cfg(feature = "simulation")]
    pub(crate) async fn connected<S>(&self, stream: S, from: SocketAddr, fingerprint: [u8; 32])
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let arrival = Arrival::of(from, edges::InForce::default().of(&self.0.engine.snapshot()));
        connection::known(&self.0, stream, arrival, fingerprint).await;
    }

    /// Lets a certificate in that was issued elsewhere.
    #[cfg(feature = "simulation")]
    pub(crate) async fn enrolled(
        &self,
        server: &str,
        issued: &crate::authority::AgentCertificate,
    ) -> Result<(), StoreError> {
        self.0.add_certificate(server, issued).await
    }

    /// Ends it all for a server: its certificates and open enrolments in the store, then its live sessions.
    pub async fn revoke(&self, server: &str) -> Result<(), StoreError> {
        self.0.revoke(server).await
    }

    /// See [`mint_enrolment`].
    pub async fn mint_enrolment(&self, server: &str) -> Result<String, MintError> {
        mint_enrolment(&self.0.store, &self.0.authority, server, self.0.clock.now()).await
    }
}

/// Every agent takes a descriptor, and the usual soft limit of 1024 is there for programs that use `select`.
fn raise_file_limit() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // Where it is refused, the soft limit is what the operator wants.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

async fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut edges = edges::InForce::default();
    loop {
        match listener.accept().await {
            Ok((stream, addr)) => {
                let arrival = Arrival::of(addr, edges.of(&shared.engine.snapshot()));
                let place = place(shared, &arrival);
                // Reports are small and wait for an answer.
                let _ = stream.set_nodelay(true);
                shared.tasks.spawn(connection::serve(Arc::clone(shared), stream, arrival, place));
            }
            // The peer was gone before we came.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                shared.complain_of_accept(&error);
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// A newcomer's place.
fn place(shared: &Shared, arrival: &Arrival) -> Place {
    let counters = shared.sessions.counters();
    counters.connections.one();
    match shared.gate.enter(arrival.origin()) {
        Entry::Free(place) => place,
        Entry::Shed(place) => {
            counters.connections_shed.one();
            place
        }
    }
}

async fn keep_pins_fresh(shared: &Shared) {
    loop {
        sleep(PINS_REFRESH).await;
        if let Err(error) = shared.refresh_pins().await {
            tracing::warn!(%error, "the list of certificates was not read anew");
        }
    }
}
