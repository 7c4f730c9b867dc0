//! Knocks on one entry point as a client's app would, up to the point where a user's secret would be needed.
//!
//! Like ringing a doorbell with a stopwatch in hand: one ring, one note in the book. [`Knocker::knock`] ends in exactly
//! one [`Outcome`] within the probe's budget, whatever the other side does, and leaves no socket behind. It decides
//! between "they did not answer" and "I could not ask" (R1); what an outcome means is for others.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use quorate_core::lane::Lane;
use quorate_core::one_line::OneLine;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_core::probe::{Probe, ProbeKind};
use rustls::RootCertStore;

use crate::clock::Stopwatch;
use crate::limits::AddressLimits;

mod dial;
pub(crate) mod failure;
mod https;
mod quic;
mod quic_http3;
mod quic_ration;
mod quic_tasks;
mod tls;
mod udp;
mod verify;

#[cfg(test)]
pub(crate) mod testbed;
#[cfg(test)]
mod tests;

pub(crate) use dial::may_bind;

/// A certificate that fails because of its dates says nothing if the own clock is off by more than this.
const CLOCK_OFFSET_MAX: Duration = Duration::from_secs(60);

/// How long a goodbye may take after the outcome is known: a round trip around the world and a lost packet.
const GOODBYE: Duration = Duration::from_millis(500);

/// How a probe went, step by step.
#[derive(Debug, Clone)]
pub struct Trace {
    /// How it ended.
    pub outcome: Outcome,
    /// What was dialled.
    pub address: Option<SocketAddr>,
    /// TCP connect.
    pub connect: Option<Duration>,
    /// TLS or QUIC handshake, from the end of the connect.
    pub handshake: Option<Duration>,
    /// First byte of the response, from the request.
    pub first_byte: Option<Duration>,
    /// Body bytes received.
    pub bytes: u32,
    /// The negotiated ALPN protocol.
    pub alpn: Option<String>,
    /// The TLS version.
    pub tls_version: Option<&'static str>,
    /// Last second of the certificate, Unix seconds.
    pub certificate_ends_s: Option<i64>,
    /// What the system or library said about a failure.
    pub detail: Option<String>,
}

/// What makes probes of one agent alike. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Knocker {
    /// Addresses to knock from; the system chooses when there is none of the lane's family.
    pub sources: Vec<IpAddr>,
    /// Which addresses may be dialled.
    pub addresses: AddressLimits,
    /// What to do with destinations that are own addresses.
    pub own: OwnAddresses,
    /// Roots of [`quorate_core::probe::Verify::WebPki`].
    pub roots: Arc<RootCertStore>,
    /// Budgets are divided by this.
    pub speed: u32,
    /// Own wall clock minus the aggregator's, as far as known.
    pub clock_offset_ms: Option<i64>,
}

/// What to do with destinations that are addresses of this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnAddresses {
    /// Not dialled: reaching oneself proves nothing to others.
    Refused,
    /// Dialled like any other: for people.
    Allowed,
    /// Nothing else is dialled: for the self-check, so that no list of "own" entry points leads elsewhere.
    Only,
}

/// The public roots.
pub fn public_roots() -> Arc<RootCertStore> {
    Arc::new(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
}

/// Where a probe stopped short of its proof.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The other side's doing, or the network's.
    Failed { operation: Operation, kind: FailureKind, detail: String },
    /// The own trouble.
    Own { reason: Reason, detail: String },
}

impl Stop {
    fn failed(operation: Operation, kind: FailureKind, detail: impl std::fmt::Display) -> Self {
        Self::Failed { operation, kind, detail: told(detail) }
    }

    fn own(reason: Reason, detail: impl std::fmt::Display) -> Self {
        Self::Own { reason, detail: told(detail) }
    }

    fn timeout(operation: Operation) -> Self {
        Self::Failed { operation, kind: FailureKind::Timeout, detail: "nothing came within the budget".to_owned() }
    }
}

/// Most characters of a detail: a sentence. A certificate alone can name a thousand hosts.
const DETAIL_CHARS_MAX: usize = 240;

/// A detail in one line. It repeats what the peer said: names of its certificate, the reason of its goodbye.
fn told(detail: impl std::fmt::Display) -> String {
    OneLine(detail).to_string().chars().take(DETAIL_CHARS_MAX).collect()
}

/// What is known of a running probe; the parts fill it in as they go.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    probe: &'a Probe,
    knocker: &'a Knocker,
    watch: Stopwatch,
    budget: Duration,
    trace: Trace,
}

impl Run<'_> {
    /// What is left of the budget.
    fn left(&self) -> Duration {
        self.budget.saturating_sub(self.watch.elapsed())
    }

    /// `span` at the agent's speed, at least long enough for loopback on a busy machine.
    fn scaled(&self, span: Duration) -> Duration {
        (span / self.knocker.speed.max(1)).max(Duration::from_millis(20))
    }

    /// Runs one step within what is left of the budget.
    async fn step<T>(&self, operation: Operation, step: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
        match tokio::time::timeout(self.left(), step).await {
            Ok(done) => done,
            Err(_) => Err(Stop::timeout(operation)),
        }
    }

    /// The name for the ClientHello and for HTTP.
    fn name(&self) -> &str {
        self.probe.sni.as_deref().unwrap_or(&self.probe.host)
    }

    fn clock_is_off(&self) -> bool {
        self.knocker.clock_offset_ms.is_some_and(|ms| u128::from(ms.unsigned_abs()) > CLOCK_OFFSET_MAX.as_millis())
    }
}

impl Knocker {
    /// Runs one probe to its end.
    pub async fn knock(&self, probe: &Probe, lane: Lane) -> Trace {
        let trace = Trace {
            outcome: Outcome::Inconclusive(Reason::NotRun),
            address: None,
            connect: None,
            handshake: None,
            first_byte: None,
            bytes: 0,
            alpn: None,
            tls_version: None,
            certificate_ends_s: None,
            detail: None,
        };
        let budget = probe.kind.budget() / self.speed.max(1);
        let mut run = Run { probe, knocker: self, watch: Stopwatch::start(), budget, trace };
        let ended = run.knock(lane).await;
        let Run { watch, mut trace, .. } = run;
        trace.outcome = match ended {
            Ok(latency) => Outcome::Reached { latency },
            Err(Stop::Failed { operation, kind, detail }) => {
                trace.detail = Some(detail);
                Outcome::Failed(Failure { operation, kind, after: watch.elapsed(), bytes: trace.bytes })
            }
            Err(Stop::Own { reason, detail }) => {
                trace.detail = Some(detail);
                Outcome::Inconclusive(reason)
            }
        };
        trace
    }
}

impl Run<'_> {
    async fn knock(&mut self, lane: Lane) -> Result<Duration, Stop> {
        let address = self.step_resolve(lane).await?;
        self.trace.address = Some(address);
        // From the first packet on: neither the resolver's time nor its budget is the target's.
        self.watch = Stopwatch::start();
        let ended = match self.probe.kind {
            ProbeKind::Tcp => self.tcp(address).await,
            ProbeKind::Tls => self.tls(address).await,
            ProbeKind::Https => self.https(address).await,
            ProbeKind::Quic => self.quic(address).await,
            ProbeKind::QuicHttp3 => self.quic_http3(address).await,
        };
        match ended {
            Err(Stop::Failed { kind: FailureKind::ExpiredCertificate, detail, .. }) if self.clock_is_off() => {
                Err(Stop::Own { reason: Reason::ClockOff, detail })
            }
            ended => ended,
        }
    }

    async fn tcp(&mut self, address: SocketAddr) -> Result<Duration, Stop> {
        self.connect(address).await?;
        Ok(self.watch.elapsed())
    }
}
