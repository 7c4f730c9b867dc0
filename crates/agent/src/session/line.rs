//! One line to the gateway, from Hello to its end.

use std::time::Duration;

use quorate_core::renewal::Errand;
use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use super::{End, GOODBYE_BUDGET};
use crate::clock::{self, Reference, Stopwatch};
use crate::gateway::{self, GatewayError};
use crate::identity::Shown;
use crate::renewal;
use crate::shared::Shared;

/// Time for Welcome: the gateway answers from memory and one row.
const WELCOME_BUDGET: Duration = Duration::from_secs(10);
/// Reports that are sent and not yet taken by the connection.
const OUTBOUND_QUEUE: usize = 8;

/// One attempt at a session.
pub(super) struct Line<'a> {
    pub(super) shared: &'a Shared,
    /// What it shows, and what it comes for.
    pub(super) shown: &'a Shown,
    /// The version of a plan that was refused and told.
    pub(super) refused: &'a mut Option<u64>,
    /// The gateway let this agent in.
    pub(super) welcomed: bool,
}

impl Line<'_> {
    pub(super) async fn session(&mut self, shutdown: &CancellationToken) -> Result<End, GatewayError> {
        let (config, tls) = (&self.shared.config, self.shown.tls.clone());
        let connecting = gateway::connect(&config.gateway, &config.source_addresses, tls, &self.shown.alert);
        let channel = tokio::select! {
            channel = connecting => channel?,
            () = shutdown.cancelled() => return Ok(End::Shutdown),
        };
        let mut client = v1::agents_client::AgentsClient::new(channel)
            .max_decoding_message_size(quorate_proto::PLAN_BYTES_MAX)
            .max_encoding_message_size(quorate_proto::REPORT_BYTES_MAX);
        let (outbound, messages) = mpsc::channel(OUTBOUND_QUEUE);
        let asked = Stopwatch::start();
        // The channel has room: nobody else sends yet.
        let _ = outbound.send(message(from_agent::Kind::Hello(self.hello()))).await;
        let opening = async {
            let mut inbound = client.session(ReceiverStream::new(messages)).await?.into_inner();
            let first = inbound.message().await?;
            Ok::<_, tonic::Status>((inbound, first))
        };
        let opened = tokio::select! {
            opened = tokio::time::timeout(WELCOME_BUDGET, opening) => opened,
            () = shutdown.cancelled() => return Ok(End::Shutdown),
        };
        let (mut inbound, first) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(status)) => return Ok(End::Broken(words(&status))),
            Err(_) => return Ok(End::Broken("no Welcome from the gateway in 10 s".to_owned())),
        };
        match first.and_then(|message| message.kind) {
            Some(to_agent::Kind::Welcome(welcome)) => self.welcome(welcome, asked.elapsed()).await,
            Some(to_agent::Kind::Close(close)) => return Ok(ended(close)),
            _ => return Ok(End::Broken("the gateway's first message was no Welcome".to_owned())),
        }
        Ok(match self.shown.errand {
            Errand::Session => self.converse(&mut inbound, outbound, shutdown).await,
            Errand::Renewal => self.renew_only(&mut inbound, outbound, shutdown).await,
        })
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
        }
    }

    async fn welcome(&mut self, welcome: v1::Welcome, round_trip: Duration) {
        self.welcomed = true;
        self.shared.wallet().welcomed(clock::since_boot());
        let their_wall = Moment::from_ms(welcome.wall_ms).after(round_trip / 2);
        self.shared.set_reference(Reference { their_wall, since_boot: clock::since_boot() });
        tracing::info!(
            server = welcome.server,
            aggregator_version = welcome.aggregator_version,
            stored_sequence = welcome.stored_sequence,
            "session opened"
        );
        self.shared.outbox.acknowledge(self.shared.outbox.id(), welcome.stored_sequence).await;
    }

    /// Both directions at once, until one side ends it.
    async fn converse(
        &mut self,
        inbound: &mut Streaming<v1::ToAgent>,
        outbound: mpsc::Sender<v1::FromAgent>,
        shutdown: &CancellationToken,
    ) -> End {
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
            to_agent::Kind::Renewed(answer) => return renewal::keep(self.shared, &answer).then_some(End::Renewed),
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
                tracing::error!(version, why, "plan refused: going on with the one before");
                let told = *self.refused == Some(version);
                *self.refused = Some(version);
                if told { None } else { Some(End::PlanRefused(format!("plan {version}: {why}"))) }
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

/// What a status says, and beneath it what the connection said: the last cause is the one that a person can act on.
pub(super) fn words(status: &tonic::Status) -> String {
    let mut words = status.message().to_owned();
    let mut source = std::error::Error::source(status);
    while let Some(error) = source {
        let cause = error.to_string();
        if !words.ends_with(&cause) {
            words = format!("{words}: {cause}");
        }
        source = error.source();
    }
    words
}
