//! The session with the gateway: Hello, then reports one way and plans and receipts the other, until one side ends it.
//!
//! A telephone line with a pile of letters beside it: whenever the line is up, letters are read out in order, and each is
//! kept until the other side says that it has written it down. A line that breaks is dialled again, ever more patiently;
//! one that was ended by agreement at once.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent, to_agent};
use rustls::ClientConfig;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Streaming;

use crate::agent::Shared;
use crate::clock::{self, Reference, Stopwatch};
use crate::dice::Dice;
use crate::gateway::{self, GatewayError};

#[cfg(test)]
pub(crate) mod testbed;
#[cfg(test)]
mod tests;

/// First pause after an error; it doubles.
const PAUSE_FIRST: Duration = Duration::from_secs(1);
/// Longest pause: an aggregator that is back is seen within two minutes.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// A planned end of one aggregator ends many sessions at once: they come back spread over this long.
const REPLANNED_WITHIN: Duration = Duration::from_secs(5);
/// Time for Welcome: the gateway answers from memory and one row.
const WELCOME_BUDGET: Duration = Duration::from_secs(10);
/// Time for a Goodbye to be read, and for the receipts that are under way.
const GOODBYE_BUDGET: Duration = Duration::from_secs(3);
/// Reports that are sent and not yet taken by the connection.
const OUTBOUND_QUEUE: usize = 8;

/// How a session ended.
#[derive(Debug)]
enum End {
    /// This agent shuts down.
    Shutdown,
    /// The gateway said so, and wants it back.
    Planned(v1::Close),
    /// The gateway said so, for a reason that time alone will not mend.
    Closed(v1::Close),
    /// This agent said so: the plan is beyond its limits, and why.
    PlanRefused(String),
    /// It broke.
    Broken(String),
}

/// Keeps a session until `shutdown`.
pub(crate) async fn run(shared: Arc<Shared>, tls: Arc<ClientConfig>, shutdown: CancellationToken) {
    let mut dice = Dice::new();
    let mut pause = PAUSE_FIRST;
    let mut refused = None;
    loop {
        let mut line = Line { shared: &shared, refused: &mut refused, welcomed: false };
        let end = tokio::select! {
            end = line.session(&tls, &shutdown) => end,
            // While connecting there is nobody to say Goodbye to.
            () = cancelled_before_welcome(&shutdown) => Ok(End::Shutdown),
        };
        if line.welcomed {
            pause = PAUSE_FIRST;
        }
        let waiting = shared.outbox.waiting();
        let wait = match end {
            Ok(End::Shutdown) => return,
            Ok(End::Planned(close)) => {
                tracing::info!(reason = close.reason, detail = close.detail, "the gateway ended the session");
                dice.up_to(REPLANNED_WITHIN)
            }
            Ok(End::Closed(close)) => {
                tracing::error!(reason = close.reason, detail = close.detail, waiting, "the gateway ended the session");
                next_pause(&mut pause, &mut dice)
            }
            Ok(End::PlanRefused(_)) => next_pause(&mut pause, &mut dice),
            Ok(End::Broken(problem)) => {
                tracing::warn!(problem, waiting, "the session broke");
                next_pause(&mut pause, &mut dice)
            }
            Err(problem) => {
                tracing::warn!(%problem, waiting, "no session");
                next_pause(&mut pause, &mut dice)
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

/// A session that is up sees the shutdown itself; this one ends a connect that does not end, after the Goodbye's time.
async fn cancelled_before_welcome(shutdown: &CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(GOODBYE_BUDGET + Duration::from_millis(500)).await;
}

/// Full jitter: anything up to the pause, which doubles.
fn next_pause(pause: &mut Duration, dice: &mut Dice) -> Duration {
    let wait = dice.up_to(*pause);
    *pause = (*pause * 2).min(PAUSE_MAX);
    wait
}

/// One attempt at a session.
struct Line<'a> {
    shared: &'a Shared,
    /// The version of a plan that was refused and told.
    refused: &'a mut Option<u64>,
    welcomed: bool,
}

impl Line<'_> {
    async fn session(&mut self, tls: &Arc<ClientConfig>, shutdown: &CancellationToken) -> Result<End, GatewayError> {
        let config = &self.shared.config;
        let connecting = gateway::connect(&config.gateway, &config.source_addresses, Arc::clone(tls));
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
        Ok(self.converse(&mut inbound, outbound, shutdown).await)
    }

    fn hello(&self) -> v1::Hello {
        v1::Hello {
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            purpose: v1::Purpose::Session.into(),
            plan_version: self.shared.plan_version(),
            outbox_id: self.shared.outbox.id(),
            wall_ms: clock::wall().as_ms(),
        }
    }

    async fn welcome(&mut self, welcome: v1::Welcome, round_trip: Duration) {
        self.welcomed = true;
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
                (permit, self.shared.outbox.after(sent).await)
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

fn words(status: &tonic::Status) -> String {
    match std::error::Error::source(status) {
        Some(source) => format!("{}: {source}", status.message()),
        None => status.message().to_owned(),
    }
}
