//! The way from an accepted socket to a TLS connection at one of the doors: the edge's header, the client's first byte, TLS.

use std::io;

use rustls::{AlertDescription, CertificateError};
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use super::Shared;
use super::arrival::Arrival;
use super::gate::Place;
use super::header::{self, HeaderFailure};
use super::limits::TLS_BUDGET;
use super::tls::Door;

/// Why no TLS connection came of it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("no byte of the client's")]
    Empty,
    #[error(transparent)]
    Header(#[from] HeaderFailure),
    #[error("{0}")]
    Forged(&'static str),
    #[error("the TLS handshake took longer than {} s", TLS_BUDGET.as_secs())]
    Slow,
    #[error("it asked for neither h2 nor quorate-enroll/1: this is no agent")]
    NoDoor,
    #[error("{0}")]
    Tls(String),
}

/// Opens the connection; `arrival` learns what the edge says of it.
pub(super) async fn open(
    shared: &Shared,
    mut stream: TcpStream,
    arrival: &mut Arrival,
    place: &Place,
) -> Result<(TlsStream<TcpStream>, Door), Failure> {
    header::read(&mut stream, arrival, shared.sessions.counters()).await?;
    let mut first = [0; header::OPENING];
    // A peer that goes away by a reset before its first byte is as uninteresting as one that closes.
    let seen = stream.peek(&mut first).await.unwrap_or(0);
    if seen == 0 {
        return Err(Failure::Empty);
    }
    // What an edge wrote before is not the client's: an edge can be full of mutes.
    place.spoke();
    if header::opens(&first[..seen]) {
        return Err(Failure::Forged(match arrival.through {
            None => "a PROXY header from an address that is no edge: if it is one of yours, add it (edge add)",
            Some(_) => "a second PROXY header, written by the client of the edge",
        }));
    }
    let start = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream)
        .await
        .map_err(|error| tls_failure(&error))?;
    place.introduced();
    let Some(door) = Door::asked_for(&start.client_hello()) else { return Err(Failure::NoDoor) };
    let stream = start.into_stream(shared.tls.config(door)).await.map_err(|error| tls_failure(&error))?;
    Ok((stream, door))
}

/// Counts a failure, and tells of it unless nobody has said a word.
pub(super) fn failed(shared: &Shared, arrival: &Arrival, failure: &Failure) {
    let counters = shared.sessions.counters();
    match failure {
        Failure::Empty | Failure::Header(HeaderFailure::Empty) => return counters.connections_empty.one(),
        Failure::Header(HeaderFailure::Silent) => return counters.headers_missing.one(),
        Failure::Header(HeaderFailure::Missing | HeaderFailure::Slow) => counters.headers_missing.one(),
        Failure::Header(HeaderFailure::BrokenOff | HeaderFailure::Invalid(_)) => counters.headers_invalid.one(),
        Failure::Forged(_) => counters.headers_off_policy.one(),
        Failure::Slow | Failure::NoDoor | Failure::Tls(_) => counters.handshakes_failed.one(),
    }
    shared.complain(arrival, &failure.to_string());
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
