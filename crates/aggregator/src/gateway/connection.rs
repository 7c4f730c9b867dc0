//! One connection, from `accept` to its end: first byte, TLS, the door it asked for, and what is served behind it.
//!
//! Nothing here is awaited by the accept loop, and every wait before the peer has shown who it is has a budget.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use quorate_proto::v1::enrolment_server::EnrolmentServer;
use rustls::{AlertDescription, CertificateError};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::enrol::Desk;
use super::gate::Place;
use super::limits::{
    ENROLMENT_BYTES_MAX, FIRST_MESSAGE_BUDGET, LINGER, PING_BUDGET, PING_INTERVAL, STREAMS_PER_CONNECTION_MAX,
    TLS_BUDGET, WINDOW_BYTES,
};
use super::service::AgentsService;
use super::session::Peer;
use super::tls::Door;
use super::writer::Order;
use crate::digest::sha256;

/// Serves a connection that has just been accepted.
pub(super) async fn serve(shared: Arc<Shared>, stream: TcpStream, addr: SocketAddr, place: Place) {
    let shaken = tokio::select! {
        biased;
        () = shared.stop.cancelled() => return,
        () = place.shed() => return,
        shaken = timeout(TLS_BUDGET, handshake(&shared, stream, &place)) => shaken,
    };
    let counters = shared.sessions.counters();
    match shaken.unwrap_or(Err(Failure::Slow)) {
        Ok((stream, Door::Session)) => {
            // Known by its certificate: the place is for somebody who is not.
            drop(place);
            session(&shared, stream, addr).await;
        }
        Ok((stream, Door::Enrolment)) => enrolment(&shared, stream, addr, &place).await,
        Err(Failure::Empty) => counters.connections_empty.one(),
        Err(failure) => {
            counters.handshakes_failed.one();
            shared.complain(addr, &failure.to_string());
        }
    }
}

/// Why no TLS connection came of it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("closed without a byte")]
    Empty,
    #[error("the TLS handshake took longer than {} s", TLS_BUDGET.as_secs())]
    Slow,
    #[error("it asked for neither h2 nor quorate-enroll/1: this is no agent")]
    NoDoor,
    #[error("{0}")]
    Tls(String),
}

async fn handshake(shared: &Shared, stream: TcpStream, place: &Place) -> Result<(TlsStream<TcpStream>, Door), Failure> {
    // A peer that goes away by a reset before its first byte is as uninteresting as one that closes.
    if stream.peek(&mut [0]).await.unwrap_or(0) == 0 {
        return Err(Failure::Empty);
    }
    place.spoke();
    let start = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream)
        .await
        .map_err(|error| tls_failure(&error))?;
    let Some(door) = Door::asked_for(&start.client_hello()) else { return Err(Failure::NoDoor) };
    let stream = start.into_stream(shared.tls.config(door)).await.map_err(|error| tls_failure(&error))?;
    Ok((stream, door))
}

/// What a person can do about it, where it is more than a broken connection.
fn tls_failure(error: &io::Error) -> Failure {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    Failure::Tls(match tls {
        Some(rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)) => {
            "its certificate is not known here: it was revoked, or comes from another aggregator; enrol it again".into()
        }
        Some(rustls::Error::InvalidCertificate(CertificateError::Expired)) => {
            "its certificate ended too long ago to be renewed: enrol it again".into()
        }
        Some(rustls::Error::NoCertificatesPresented) => "it showed no certificate: enrol it first".into(),
        Some(rustls::Error::AlertReceived(AlertDescription::UnknownCA | AlertDescription::BadCertificate)) => {
            "it does not trust this gateway: it was enrolled at another aggregator".into()
        }
        Some(other) => format!("TLS: {other}"),
        None => format!("TLS: {error}"),
    })
}

/// An agent's connection: one session and its end.
async fn session(shared: &Arc<Shared>, stream: TlsStream<TcpStream>, addr: SocketAddr) {
    let fingerprint = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first()).map(|leaf| sha256(leaf));
    // Gone from the list since the handshake looked: revoked in between.
    let Some((fingerprint, pin)) = fingerprint.and_then(|print| Some((print, shared.pins.get(&print)?))) else {
        return;
    };
    let Some(_connected) = shared.sessions.connect(&pin.server) else {
        shared.sessions.counters().connections_refused.one();
        shared.complain(addr, &format!("server '{}' has too many connections", pin.server));
        return;
    };
    let (heard, over) = (CancellationToken::new(), CancellationToken::new());
    let peer = Peer {
        shared: Arc::clone(shared),
        addr,
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
        result = connection.as_mut() => {
            if let Err(error) = result && !heard.is_cancelled() {
                shared.complain(addr, &format!("HTTP/2: {}", innermost(&error)));
            }
            return;
        }
        () = no_first_message(&heard) => {
            shared.complain(addr, &format!("no Hello came within {} s", FIRST_MESSAGE_BUDGET.as_secs()));
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
async fn enrolment(shared: &Arc<Shared>, stream: TlsStream<TcpStream>, addr: SocketAddr, place: &Place) {
    let answered = CancellationToken::new();
    let desk = Desk { shared: Arc::clone(shared), addr, answered: answered.clone() };
    let service = TowerToHyperService::new(EnrolmentServer::new(desk).max_decoding_message_size(ENROLMENT_BYTES_MAX));
    let connection = http().serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
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
