//! One session of one agent, from Hello to its end.
//!
//! Order of a session: Hello → Welcome, Plan; then reports and acknowledgements, and a Plan at each change; at the end a
//! Goodbye from the agent or a Close from here, with a reason. A report is acknowledged after it is stored and in the
//! order in which it came, so an acknowledged number stands for all before it.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use quorate_core::renewal::Stage;
use quorate_proto::v1::{self, to_agent::Kind};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use super::Shared;
use super::arrival::Arrival;
use super::ending::{End, PLAN_REFUSED};
use super::gaps::{Gaps, REPORTS_LOST};
use super::intake;
use super::limits::{
    IDLE_BUDGET, LINGER, OUTBOUND_QUEUE, SEND_BUDGET, SETTLE_BUDGET, UNCOMMITTED_PER_SESSION_MAX, WORD_CHARS_MAX,
};
use super::pins::Fingerprint;
use super::plan::plan_of;
use super::registry::{Ending, Opened, Registered};
use super::shared::Admission;
use super::twins::{self, IDENTITY_TWICE};
use super::wire::Incoming;
use super::writer::{NotStored, Order, Submission};
use crate::clock::wall;

/// The other end of a connection, as its certificate and the way it came show it.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) shared: Arc<Shared>,
    pub(super) arrival: Arrival,
    pub(super) server: Arc<str>,
    pub(super) fingerprint: Fingerprint,
    /// Of the reports of this connection's one session.
    pub(super) order: Order,
    /// Cancelled when the first message came.
    pub(super) heard: CancellationToken,
    /// Cancelled when the session ended.
    pub(super) over: CancellationToken,
}

/// What goes to the agent.
pub(super) type Outbound = mpsc::Sender<Result<v1::ToAgent, Status>>;

/// The reports of a session.
struct Reports {
    /// On their way into the store, oldest first.
    pending: VecDeque<Pending>,
    gaps: Gaps,
    /// Once in a session: what follows is in the counter.
    loss_told: bool,
}

/// A report on its way into the store.
struct Pending {
    outbox_id: Vec<u8>,
    sequence: u64,
    stored: oneshot::Receiver<Result<(), NotStored>>,
}

impl Peer {
    /// Begins the session that `inbound` carries; returns what goes the other way.
    pub(super) fn open(self: Arc<Self>, inbound: Streaming<Bytes>) -> ReceiverStream<Result<v1::ToAgent, Status>> {
        let (outbound, stream) = mpsc::channel(OUTBOUND_QUEUE);
        let tasks = self.shared.tasks.clone();
        tasks.spawn(async move { self.run(inbound, outbound).await });
        ReceiverStream::new(stream)
    }

    async fn run(&self, mut inbound: Streaming<Bytes>, outbound: Outbound) {
        let _over = self.over.clone().drop_guard();
        let end = match self.greet(&mut inbound, &outbound).await {
            Ok((hello, admission)) => self.live(hello, admission, &mut inbound, &outbound).await,
            Err(end) => end,
        };
        end.log(&self.server, &self.arrival);
        if let End::Goodbye { reason, detail } = &end
            && reason == PLAN_REFUSED
        {
            // Without an engine there is nobody to tell: the process is going.
            let _ = self.shared.engine.plan_refused(&self.server, detail).await;
        }
        if let Some(close) = end.close() {
            // An agent that does not read it notices the end of the connection all the same.
            let _ = timeout(LINGER, outbound.send(Ok(message(Kind::Close(close))))).await;
        }
        drop(outbound);
        // Until the agent hangs up too, or long enough for it to have read the last message.
        let _ = timeout(LINGER, async { while let Ok(Some(_)) = inbound.message().await {} }).await;
    }

    /// Reads Hello and looks the certificate up once more; answers those who come for less than a session.
    async fn greet(&self, inbound: &mut Streaming<Bytes>, outbound: &Outbound) -> Result<(v1::Hello, Admission), End> {
        let first = self.receive(inbound).await?;
        self.heard.cancel();
        let Incoming::Hello(hello) = first else {
            return Err(End::Protocol("the first message of a session is Hello".to_owned()));
        };
        let shared = &self.shared;
        let admission = shared.admission(&self.fingerprint).await.map_err(|_| End::StoreFailed)?;
        let Some(admission) = admission else { return Err(End::Ours(Ending::Revoked)) };
        shared.sessions.came(&self.arrival);
        let purpose = v1::Purpose::try_from(hello.purpose);
        if admission.stage >= Stage::Expired && purpose != Ok(v1::Purpose::Renew) {
            return Err(End::Ours(Ending::Expired));
        }
        match purpose {
            Ok(v1::Purpose::Session) => {
                intake::check_outbox(&hello.outbox_id).map_err(|refusal| End::Protocol(format!("Hello: {refusal}")))?;
                Ok((hello, admission))
            }
            Ok(v1::Purpose::Probe) => {
                shared.sessions.counters().probes.one();
                self.send(outbound, Kind::Welcome(self.welcome(0))).await?;
                Err(End::Probe)
            }
            Ok(v1::Purpose::Renew) => Err(self.renew_only(admission, inbound, outbound).await),
            Ok(v1::Purpose::Unspecified) | Err(_) => {
                Err(End::Protocol(format!("Hello: purpose {} is unknown: use session, probe or renew", hello.purpose)))
            }
        }
    }

    pub(super) fn welcome(&self, stored_sequence: u64) -> v1::Welcome {
        v1::Welcome {
            server: self.server.to_string(),
            stored_sequence,
            wall_ms: wall().as_ms(),
            aggregator_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    async fn live(
        &self,
        hello: v1::Hello,
        admission: Admission,
        inbound: &mut Streaming<Bytes>,
        outbound: &Outbound,
    ) -> End {
        let shared = &self.shared;
        let Ok(stored_sequence) = shared.stored_sequence(&self.server, &hello.outbox_id).await else {
            return End::StoreFailed;
        };
        if admission.first_use && shared.first_use(&self.server, &self.fingerprint).await.is_err() {
            return End::StoreFailed;
        }
        let opened = Opened {
            server: self.server.to_string(),
            since: shared.clock.now(),
            arrival: self.arrival.clone(),
            dialled: Some(word(&hello.edge)).filter(|dialled| !dialled.is_empty()),
            agent_version: word(&hello.agent_version),
            plan_version: hello.plan_version,
            outbox: hello.outbox_id,
        };
        let Ok(row) = shared.session_opened(&opened).await else { return End::StoreFailed };
        shared.sessions.counters().sessions.one();
        let Arrival { peer_addr, .. } = self.arrival;
        let (edge, claimed_addr) = (self.arrival.edge(), self.arrival.claimed());
        let (server, agent_version) = (&*self.server, &opened.agent_version);
        tracing::info!(server, %peer_addr, edge, claimed_addr, agent_version, "session opened");
        let gaps = Gaps::after(&opened.outbox, stored_sequence);
        let mut reports = Reports { pending: VecDeque::new(), gaps, loss_told: false };
        let registered = shared.sessions.open(self.fingerprint, opened);
        let end = tokio::select! {
            biased;
            ending = registered.ending() => End::Ours(ending),
            end = self.converse(stored_sequence, hello.plan_version, inbound, outbound, &registered, &mut reports) => end,
        };
        drop(registered);
        if end.settles() {
            // What is not acknowledged by then comes again in the next session.
            let _ = timeout(SETTLE_BUDGET, self.settle(outbound, &mut reports.pending)).await;
        }
        shared.session_closed(row, end.reason()).await;
        end
    }

    /// Both directions at once, until the agent ends it or cannot go on.
    async fn converse(
        &self,
        stored_sequence: u64,
        mut held_plan: u64,
        inbound: &mut Streaming<Bytes>,
        outbound: &Outbound,
        registered: &Registered,
        reports: &mut Reports,
    ) -> End {
        let mut plans = self.shared.engine.plans();
        plans.mark_changed();
        let mut twin_told = false;
        let turn = async {
            self.send(outbound, Kind::Welcome(self.welcome(stored_sequence))).await?;
            loop {
                tokio::select! {
                    biased;
                    Ok(()) = plans.changed() => {
                        let plan = plan_of(&plans.borrow_and_update(), &self.server);
                        if let Some(plan) = plan.filter(|plan| plan.version != held_plan) {
                            held_plan = plan.version;
                            registered.planned(plan.version);
                            self.send(outbound, Kind::Plan(plan)).await?;
                        }
                    }
                    ack = oldest_stored(&mut reports.pending), if !reports.pending.is_empty() => {
                        self.send(outbound, Kind::Ack(ack?)).await?;
                    }
                    message = timeout(IDLE_BUDGET, self.receive(inbound)),
                        if reports.pending.len() < UNCOMMITTED_PER_SESSION_MAX =>
                    {
                        let message = message.map_err(|_| End::Idle)??;
                        let now = self.shared.clock.now();
                        registered.heard(now);
                        if !twin_told && let Some(other) = registered.twin(now) {
                            twin_told = true;
                            self.tell_of_twin(&other).await;
                        }
                        self.handle(message, outbound, reports).await?;
                    }
                }
            }
        };
        match turn.await {
            Err(end) => end,
            Ok(never) => never,
        }
    }

    async fn tell_of_twin(&self, other: &Arrival) {
        let told = twins::sentence(&self.server, &self.arrival.to_string(), &other.to_string());
        tracing::warn!(server = &*self.server, "{told}");
        self.shared.tell(&self.server, IDENTITY_TWICE, &told).await;
    }

    async fn handle(&self, message: Incoming, outbound: &Outbound, reports: &mut Reports) -> Result<(), End> {
        match message {
            Incoming::Report(report, payload) => {
                let (outbox_id, sequence) = (report.outbox_id.clone(), report.sequence);
                reports.pending.push_back(self.submit(*report, payload).await?);
                if let Some(gap) = reports.gaps.note(&outbox_id, sequence) {
                    self.shared.sessions.counters().reports_lost.add(gap.reports());
                    if !core::mem::replace(&mut reports.loss_told, true) {
                        self.shared.tell(&self.server, REPORTS_LOST, &gap.to_string()).await;
                    }
                }
            }
            Incoming::Goodbye(goodbye) => {
                return Err(End::Goodbye { reason: word(&goodbye.reason), detail: word(&goodbye.detail) });
            }
            Incoming::Hello(_) => return Err(End::Protocol("a second Hello in one session".to_owned())),
            Incoming::Renew(request) => self.send(outbound, Kind::Renewed(self.renewed(&request).await)).await?,
            // From a newer agent, which must not count on an answer.
            Incoming::Unknown => {}
        }
        Ok(())
    }

    async fn submit(&self, report: v1::Report, payload: Bytes) -> Result<Pending, End> {
        let shared = &self.shared;
        if let Err(refusal) = intake::check(&report) {
            shared.sessions.counters().reports_refused.one();
            return Err(End::Protocol(format!("report: {refusal}")));
        }
        let received_at = shared.clock.now();
        let (outbox_id, sequence) = (report.outbox_id.clone(), report.sequence);
        let observed_at = intake::observed_at(&report, received_at);
        let (server, order) = (self.server.to_string(), self.order.clone());
        let submission = Submission { server, received_at, observed_at, report, payload, order };
        let stored = shared.writer.submit(submission).await.map_err(|NotStored| End::StoreFailed)?;
        Ok(Pending { outbox_id, sequence, stored })
    }

    /// Acknowledges what is still being stored.
    async fn settle(&self, outbound: &Outbound, pending: &mut VecDeque<Pending>) -> Result<(), End> {
        while !pending.is_empty() {
            let ack = oldest_stored(pending).await?;
            self.send(outbound, Kind::Ack(ack)).await?;
        }
        Ok(())
    }

    pub(super) async fn receive(&self, inbound: &mut Streaming<Bytes>) -> Result<Incoming, End> {
        match inbound.message().await {
            Ok(Some(bytes)) => {
                self.shared.sessions.counters().bytes_received.add(bytes.len() as u64);
                Incoming::decode(&bytes).map_err(|error| End::Protocol(format!("a message cannot be read: {error}")))
            }
            Ok(None) => Err(End::HungUp),
            Err(status) => Err(End::of_stream(&status)),
        }
    }

    pub(super) async fn send(&self, outbound: &Outbound, kind: Kind) -> Result<(), End> {
        match timeout(SEND_BUDGET, outbound.send(Ok(message(kind)))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Lost("the connection is gone".to_owned())),
            Err(_) => Err(End::Stalled),
        }
    }
}

fn message(kind: Kind) -> v1::ToAgent {
    v1::ToAgent { kind: Some(kind) }
}

/// Waits for the oldest report's commit; all that are committed by then share one acknowledgement.
async fn oldest_stored(pending: &mut VecDeque<Pending>) -> Result<v1::Ack, End> {
    let Some(oldest) = pending.front_mut() else { return std::future::pending().await };
    let stored = (&mut oldest.stored).await;
    let Some(oldest) = pending.pop_front() else { return std::future::pending().await };
    // A writer that is gone is a store that failed.
    if !matches!(stored, Ok(Ok(()))) {
        return Err(End::StoreFailed);
    }
    let mut ack = v1::Ack { outbox_id: oldest.outbox_id, sequence: oldest.sequence };
    while let Some(next) = pending.front_mut().filter(|next| next.outbox_id == ack.outbox_id) {
        let Ok(Ok(())) = next.stored.try_recv() else { break };
        ack.sequence = next.sequence;
        pending.pop_front();
    }
    Ok(ack)
}

/// An agent's words, cut and on one line.
pub(super) fn word(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(WORD_CHARS_MAX).collect()
}
