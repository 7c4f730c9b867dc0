//! One connection, from `accept` to its end: the way in, the door it asked for, and what is served behind it.
//!
//! Nothing here is awaited by the accept loop, and every wait before the peer has shown who it is has a budget.

use std::error::Error;
use std::sync::Arc;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use quorate_proto::v1::enrolment_server::EnrolmentServer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::arrival::Arrival;
use super::enrol::Desk;
use super::gate::Place;
use super::handshake::{self, Failure};
use super::limits::{
    ENROLMENT_BYTES_MAX, FIRST_MESSAGE_BUDGET, LINGER, PING_BUDGET, PING_INTERVAL, STREAMS_PER_CONNECTION_MAX,
    TLS_BUDGET, WINDOW_BYTES,
};
use super::pins::Fingerprint;
use super::service::AgentsService;
use super::session::Peer;
use super::tls::Door;
use super::writer::Order;
use crate::digest::sha256;

/// Serves a connection that has just been accepted.
pub(super) async fn serve(shared: Arc<Shared>, stream: TcpStream, mut arrival: Arrival, place: Place) {
    let opened = tokio::select! {
        biased;
        () = shared.stop.cancelled() => return,
        () = place.shed() => return,
        opened = timeout(TLS_BUDGET, handshake::open(&shared, stream, &mut arrival, &place)) => opened,
    };
    let too_late = if place.is_silent() { Failure::Empty } else { Failure::Slow };
    match opened.unwrap_or(Err(too_late)) {
        Ok((stream, Door::Session)) => {
            // Known by its certificate: the place is for somebody who is not.
            drop(place);
            session(&shared, stream, arrival).await;
        }
        Ok((stream, Door::Enrolment)) => enrolment(&shared, stream, arrival, &place).await,
        Err(failure) => handshake::failed(&shared, &arrival, &failure),
    }
}

/// An agent's connection: one session and its end.
async fn session(shared: &Arc<Shared>, stream: TlsStream<TcpStream>, arrival: Arrival) {
    let leaf = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    if let Some(fingerprint) = leaf.map(|leaf| sha256(leaf)) {
        known(shared, stream, arrival, fingerprint).await;
    }
}

/// The same of whoever has shown this certificate.
pub(super) async fn known<S>(shared: &Arc<Shared>, stream: S, arrival: Arrival, fingerprint: Fingerprint)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Gone from the list since the handshake looked: revoked in between.
    let Some(pin) = shared.pins.get(&fingerprint) else { return };
    let Some(_connected) = shared.sessions.connect(&pin.server) else {
        shared.sessions.counters().connections_refused.one();
        shared.complain(&arrival, &format!("server '{}' has too many connections", pin.server));
        return;
    };
    let (heard, over) = (CancellationToken::new(), CancellationToken::new());
    let peer = Peer {
        shared: Arc::clone(shared),
        arrival: arrival.clone(),
        server: pin.server,
        fingerprint,
        order: Order::default(),
        heard: heard.clone(),
        over: over.clone(),
    };
    let service = TowerToHyperService::new(AgentsService::new(Arc::new(peer)));
    let connection = http().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        biased;
        result = connection.as_mut() => {
            if let Err(error) = result && !heard.is_cancelled() {
                shared.complain(&arrival, &format!("HTTP/2: {}", innermost(&error)));
            }
            return;
        }
        () = no_first_message(&heard) => {
            shared.complain(&arrival, &format!("no Hello came within {} s", FIRST_MESSAGE_BUDGET.as_secs()));
            return;
        }
        () = stopped_unheard(shared, &heard) => return,
        () = shared.kill.cancelled() => return,
        () = over.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(LINGER, connection).await;
}

/// A connection of somebody without a certificate: one request and its answer.
async fn enrolment(shared: &Arc<Shared>, stream: TlsStream<TcpStream>, arrival: Arrival, place: &Place) {
    let answered = CancellationToken::new();
    let desk = Desk { shared: Arc::clone(shared), arrival, answered: answered.clone() };
    let service = TowerToHyperService::new(EnrolmentServer::new(desk).max_decoding_message_size(ENROLMENT_BYTES_MAX));
    let connection = http().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        biased;
        _ = timeout(FIRST_MESSAGE_BUDGET, connection.as_mut()) => return,
        () = shared.stop.cancelled() => {}
        () = place.shed() => return,
        () = answered.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(LINGER, connection).await;
}

fn http() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_BUDGET)
        .max_concurrent_streams(STREAMS_PER_CONNECTION_MAX)
        .initial_stream_window_size(WINDOW_BYTES)
        .initial_connection_window_size(WINDOW_BYTES)
        .max_header_list_size(8 * 1024);
    builder
}

async fn no_first_message(heard: &CancellationToken) {
    if timeout(FIRST_MESSAGE_BUDGET, heard.cancelled()).await.is_ok() {
        std::future::pending::<()>().await;
    }
}

async fn stopped_unheard(shared: &Shared, heard: &CancellationToken) {
    shared.stop.cancelled().await;
    if heard.is_cancelled() {
        std::future::pending::<()>().await;
    }
}

/// The cause at the bottom says more than "http2 error".
fn innermost(error: &dyn Error) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}
