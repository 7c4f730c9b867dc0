//! One line to the gateway, from Hello to its end.

use std::sync::Arc;

use quorate_core::edge::{Backoff, Move};
use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent, to_agent};
use rustls::ClientConfig;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use super::{End, GOODBYE_BUDGET};
use crate::clock::{self, Reference};
use crate::edges::Edges;
use crate::gateway::{Answer, GatewayError, Opened, words};
use crate::shared::Shared;

/// One attempt at a session.
pub(super) struct Line<'a> {
    pub(super) shared: &'a Shared,
    /// Told when the gateway lets this agent in.
    pub(super) backoff: &'a mut Backoff,
    /// The version of a plan that was refused and told.
    pub(super) refused: &'a mut Option<u64>,
}

impl Line<'_> {
    pub(super) async fn session(
        &mut self,
        edges: &mut Edges,
        tls: &Arc<ClientConfig>,
        shutdown: &CancellationToken,
    ) -> Result<End, GatewayError> {
        let hello = self.hello();
        let answer = tokio::select! {
            answer = edges.open(tls, &hello) => answer?,
            () = shutdown.cancelled() => return Ok(End::Shutdown),
        };
        match answer {
            Answer::Welcome(opened) => {
                self.welcome(&opened).await;
                let leave = edges.watch(tls);
                Ok(self.converse(opened.inbound, opened.outbound, leave, shutdown).await)
            }
            Answer::Close(close) => Ok(ended(close)),
        }
    }

    fn hello(&self) -> v1::Hello {
        v1::Hello {
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            purpose: v1::Purpose::Session.into(),
            plan_version: self.shared.plan_version(),
            outbox_id: self.shared.outbox.id(),
            wall_ms: clock::wall().as_ms(),
            // Filled in where it is said.
            edge: String::new(),
        }
    }

    async fn welcome(&mut self, opened: &Opened) {
        self.backoff.handle_opened(clock::since_boot());
        let welcome = &opened.welcome;
        let their_wall = Moment::from_ms(welcome.wall_ms).after(opened.round_trip / 2);
        self.shared.set_reference(Reference { their_wall, since_boot: clock::since_boot() });
        tracing::info!(
            server = welcome.server,
            edge = %opened.address,
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
                (permit, self.shared.outbox.after(sent).await)
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
                        Some(end) => return end,
                    },
                    Ok(None) => return End::Broken("the gateway hung up".to_owned()),
                    Err(status) => return End::Broken(words(&status)),
                },
                (permit, report) = next => match permit {
                    Ok(permit) => {
                        sent = report.sequence;
                        permit.send(message(from_agent::Kind::Report(report)));
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
            // A second Welcome says nothing new; renewal is not asked for.
            to_agent::Kind::Welcome(_) | to_agent::Kind::Renewed(_) => {}
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
                tracing::error!(version, why, "plan refused: going on with the one before");
                let told = *self.refused == Some(version);
                *self.refused = Some(version);
                if told { None } else { Some(End::PlanRefused(format!("plan {version}: {why}"))) }
            }
        }
    }
}

/// Says why it ends and reads on until the gateway hangs up, so that receipts under way are not lost.
async fn goodbye(
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

fn ended(close: v1::Close) -> End {
    if close.reason == "draining" { End::Planned(close) } else { End::Closed(close) }
}

fn message(kind: from_agent::Kind) -> v1::FromAgent {
    v1::FromAgent { kind: Some(kind) }
}
