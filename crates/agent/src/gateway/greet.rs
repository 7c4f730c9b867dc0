//! The first words on a connection: Hello, and what the gateway answers.

use std::net::SocketAddr;
use std::time::Duration;

use quorate_core::edge::Times;
use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::dial::Dialled;
use crate::clock::Stopwatch;

/// Messages that are sent and not yet taken by the connection.
const OUTBOUND_QUEUE: usize = 8;

/// What the gateway said to a Hello. Either way it is the gateway that spoke, so the way to it is good.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Come in.
    Welcome(Box<Opened>),
    /// Not now, or never.
    Close(v1::Close),
}

/// A session that the gateway has let in.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) inbound: Streaming<v1::ToAgent>,
    pub(crate) outbound: mpsc::Sender<v1::FromAgent>,
    pub(crate) welcome: v1::Welcome,
    /// From Hello to Welcome.
    pub(crate) round_trip: Duration,
    /// The address that was dialled.
    pub(crate) address: SocketAddr,
    pub(crate) times: Times,
}

/// Says Hello, by way of the address that was dialled, and waits for the answer as long as the caller does. The error says
/// how the connection broke.
pub(crate) async fn greet(dialled: Dialled, hello: v1::Hello) -> Result<Answer, String> {
    let Dialled { channel, address, times } = dialled;
    let hello = v1::Hello { edge: address.to_string(), ..hello };
    let mut client = v1::agents_client::AgentsClient::new(channel)
        .max_decoding_message_size(quorate_proto::PLAN_BYTES_MAX)
        .max_encoding_message_size(quorate_proto::REPORT_BYTES_MAX);
    let (outbound, messages) = mpsc::channel(OUTBOUND_QUEUE);
    let asked = Stopwatch::start();
    // The channel has room: nobody else sends yet.
    let _ = outbound.send(v1::FromAgent { kind: Some(from_agent::Kind::Hello(hello)) }).await;
    let opening = async {
        let mut inbound = client.session(ReceiverStream::new(messages)).await?.into_inner();
        let first = inbound.message().await?;
        Ok::<_, Status>((inbound, first))
    };
    let (inbound, first) = opening.await.map_err(|status| words(&status))?;
    match first.and_then(|message| message.kind) {
        Some(to_agent::Kind::Welcome(welcome)) => {
            let round_trip = asked.elapsed();
            Ok(Answer::Welcome(Box::new(Opened { inbound, outbound, welcome, round_trip, address, times })))
        }
        Some(to_agent::Kind::Close(close)) => Ok(Answer::Close(close)),
        _ => Err("the gateway's first message was no Welcome".to_owned()),
    }
}

/// What a status says, and beneath it what the connection said: the last cause is the one that a person can act on.
pub(crate) fn words(status: &Status) -> String {
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
