//! One line to the gateway, from Hello to its end.

use std::time::Duration;

use quorate_core::edge::{Backoff, Move};
use quorate_core::renewal::Errand;
use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use super::{End, GOODBYE_BUDGET};
use crate::clock::{self, Reference, Stopwatch};
use crate::edges::Edges;
use crate::gateway::{Answer, GatewayError, Opened, words};
use crate::identity::Shown;
use crate::renewal;
use crate::shared::Shared;

/// One attempt at a session.
pub(super) struct Line<'a> {
    pub(super) shared: &'a Shared,
    /// What it shows, and what it comes for.
    pub(super) shown: &'a Shown,
    /// Told when the gateway lets this agent in.
    pub(super) backoff: &'a mut Backoff,
    /// The version of a plan that was refused and told.
    pub(super) refused: &'a mut Option<u64>,
    /// The gateway let this agent in.
    pub(super) welcomed: bool,
}

impl Line<'_> {
    pub(super) async fn session(
        &mut self,
        edges: &mut Edges,
        shutdown: &CancellationToken,
    ) -> Result<End, GatewayError> {
        let hello = self.hello();
        let connecting = Stopwatch::start();
        let answer = tokio::select! {
            biased;
            answer = edges.open(&self.shown.credentials, &hello) => answer?,
            () = shutdown.cancelled() => return Ok(End::Shutdown),
        };
        match answer {
            Answer::Welcome(opened) => {
                self.welcome(&opened, connecting.elapsed()).await;
                Ok(match self.shown.errand {
                    Errand::Session => {
                        let leave = edges.watch(&self.shown.credentials);
                        self.converse(opened.inbound, opened.outbound, leave, shutdown).await
                    }
                    Errand::Renewal => self.renew_only(opened.inbound, opened.outbound, shutdown).await,
                })
            }
            Answer::Close(close) => Ok(ended(close)),
        }
    }

    fn hello(&self) -> v1::Hello {
        let purpose = match self.shown.errand {
            Errand::Session => v1::Purpose::Session,
            Errand::Renewal => v1::Purpose::Renew,
        };
        v1::Hello {
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            purpose: purpose.into(),
            plan_version: self.shared.plan_version(),
            outbox_id: self.shared.outbox.id(),
            wall_ms: clock::wall().as_ms(),
            // Filled in where it is said.
            edge: String::new(),
        }
    }

    async fn welcome(&mut self, opened: &Opened, connecting: Duration) {
        self.welcomed = true;
        if self.shown.errand == Errand::Session {
            self.backoff.handle_opened(clock::since_boot());
        }
        self.shared.wallet().welcomed(clock::since_boot());
        let welcome = &opened.welcome;
        let their_wall = Moment::from_ms(welcome.wall_ms).after(opened.round_trip / 2);
        self.shared.set_reference(Reference { their_wall, since_boot: clock::since_boot() });
        tracing::info!(
            server = welcome.server,
            edge = %opened.address,
            connect_ms = connecting.as_millis() as u64,
            aggregator_version = welcome.aggregator_version,
            stored_sequence = welcome.stored_sequence,
            "session opened"
        );
        self.shared.outbox.acknowledge(self.shared.outbox.id(), welcome.stored_sequence).await;
    }

    /// Both directions at once, until one side ends it, or there is a reason to leave this edge.
    async fn converse(
        &mut self,
        mut inbound: Streaming<v1::ToAgent>,
        outbound: mpsc::Sender<v1::FromAgent>,
        leave: impl Future<Output = Move>,
        shutdown: &CancellationToken,
    ) -> End {
        let inbound = &mut inbound;
        tokio::pin!(leave);
        let mut sent = 0;
        loop {
            let room = outbound.clone().reserve_owned();
            let next = async {
                let permit = room.await;
                let kind = tokio::select! {
                    biased;
                    renew = renewal::due(self.shared) => from_agent::Kind::Renew(renew),
                    report = self.shared.outbox.after(sent) => from_agent::Kind::Report(report),
                };
                (permit, kind)
            };
            tokio::select! {
                biased;
                () = shutdown.cancelled() => {
                    goodbye("shutdown", "", inbound, outbound, self.shared).await;
                    return End::Shutdown;
                }
                Move { reason, to } = leave.as_mut() => {
                    goodbye(reason.as_str(), &format!("for {to}"), inbound, outbound, self.shared).await;
                    return End::Left(Move { reason, to });
                }
                received = inbound.message() => match received {
                    Ok(Some(message)) => match self.handle(message).await {
                        None => {}
                        Some(End::PlanRefused(why)) => {
                            goodbye("plan_refused", &why, inbound, outbound, self.shared).await;
                            return End::PlanRefused(why);
                        }
                        Some(End::Renewed) => {
                            goodbye("renewed", "", inbound, outbound, self.shared).await;
                            return End::Renewed;
                        }
                        Some(end) => return end,
                    },
                    Ok(None) => return End::Broken("the gateway hung up".to_owned()),
                    Err(status) => return End::Broken(words(&status)),
                },
                (permit, kind) = next => match permit {
                    Ok(permit) => {
                        if let from_agent::Kind::Report(report) = &kind {
                            sent = report.sequence;
                        }
                        permit.send(message(kind));
                    }
                    Err(_) => return End::Broken("the connection is gone".to_owned()),
                },
            }
        }
    }

    async fn handle(&mut self, message: v1::ToAgent) -> Option<End> {
        match message.kind? {
            to_agent::Kind::Ack(ack) => self.shared.outbox.acknowledge(ack.outbox_id, ack.sequence).await,
            to_agent::Kind::Plan(plan) => return self.plan(plan),
            to_agent::Kind::Close(close) => return Some(ended(close)),
            to_agent::Kind::Renewed(answer) => match renewal::keep(self.shared, &answer) {
                Ok(()) => return Some(End::Renewed),
                Err(problem) => tracing::warn!(problem, "no new certificate: trying again later"),
            },
            // A second Welcome says nothing new.
            to_agent::Kind::Welcome(_) => {}
        }
        None
    }

    /// Takes a plan up, or refuses it: whole, aloud once, and going on with the one before.
    fn plan(&mut self, plan: v1::Plan) -> Option<End> {
        let version = plan.version;
        let checked = quorate_proto::plan::from_wire(plan).map_err(|error| error.to_string());
        match checked.and_then(|plan| self.shared.adopt(plan).map_err(|refusal| refusal.to_string())) {
            Ok(()) => {
                tracing::info!(version, "new plan");
                *self.refused = None;
                None
            }
            Err(why) => {
                // The gateway sends it again in the next session: neither the log nor the gateway is told again.
                if self.refused.replace(version) == Some(version) {
                    return None;
                }
                tracing::error!(version, why, "plan refused: going on with the one before");
                Some(End::PlanRefused(format!("plan {version}: {why}")))
            }
        }
    }
}

/// Says why it ends and reads on until the gateway hangs up, so that receipts under way are not lost.
pub(super) async fn goodbye(
    reason: &str,
    detail: &str,
    inbound: &mut Streaming<v1::ToAgent>,
    outbound: mpsc::Sender<v1::FromAgent>,
    shared: &Shared,
) {
    let goodbye = v1::Goodbye { reason: reason.to_owned(), detail: detail.to_owned() };
    let leave = async {
        let _ = outbound.send(message(from_agent::Kind::Goodbye(goodbye))).await;
        drop(outbound);
        while let Ok(Some(last)) = inbound.message().await {
            if let Some(to_agent::Kind::Ack(ack)) = last.kind {
                shared.outbox.acknowledge(ack.outbox_id, ack.sequence).await;
            }
        }
    };
    let _ = tokio::time::timeout(GOODBYE_BUDGET, leave).await;
}

pub(super) fn ended(close: v1::Close) -> End {
    match close.reason.as_str() {
        "draining" => End::Planned(close),
        "expired" => End::Expired(close),
        _ => End::Closed(close),
    }
}

pub(super) fn message(kind: from_agent::Kind) -> v1::FromAgent {
    v1::FromAgent { kind: Some(kind) }
}
