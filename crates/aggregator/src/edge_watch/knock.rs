//! A knock on one address: two numbers from one socket.
//!
//! TCP connect measures the way to the edge itself, the TLS handshake the way through it to the gateway and back. An edge
//! whose gateway is gone still takes connections, so the first alone says nothing of its health.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use nix::libc;
use quorate_core::edge_watch::Knock;
use quorate_core::outcome::{FailureKind, Reason};
use rustls::{CertificateError, ClientConfig};
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::clock::Stopwatch;
use crate::gateway::ALPN_ENROLMENT;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;

/// For the end of a good handshake to be sent: nobody waits for it.
const GOODBYE: Duration = Duration::from_millis(200);

/// What a knock found, and the certificates that were shown, the own one first.
#[derive(Debug, Clone)]
pub struct Knocked {
    /// What it found.
    pub knock: Knock,
    /// Of a handshake that was good.
    pub chain: Vec<CertificateDer<'static>>,
}

/// Knocks on `at`, where `name` is expected to answer. Connect and handshake share `budget`, as they do where agents measure:
/// [`PROBE_BUDGET`](quorate_core::edge::PROBE_BUDGET).
pub async fn knock(at: SocketAddr, name: ServerName<'static>, config: Arc<ClientConfig>, budget: Duration) -> Knocked {
    let bare = |knock| Knocked { knock, chain: Vec::new() };
    let watch = Stopwatch::start();
    let stream = match timeout(budget, TcpStream::connect(at)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return bare(not_connected(&error)),
        Err(_) => return bare(Knock::Unreachable(FailureKind::Timeout)),
    };
    let connect = watch.elapsed();
    let watch = Stopwatch::start();
    let left = budget.saturating_sub(connect);
    let mut stream = match timeout(left, TlsConnector::from(config).connect(name, stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return bare(not_shaken(connect, &error)),
        Err(_) => return bare(Knock::Nobody { connect, kind: FailureKind::Timeout }),
    };
    let handshake = watch.elapsed();
    let (_, tls) = stream.get_ref();
    let chain = tls.peer_certificates().unwrap_or_default().iter().map(|shown| shown.clone().into_owned()).collect();
    if tls.alpn_protocol() != Some(ALPN_ENROLMENT) {
        return Knocked { knock: Knock::Foreign { connect, kind: FailureKind::FailedHandshake }, chain };
    }
    // The handshake is what counts; whether the other side hears that we go is its own affair.
    let _ = timeout(GOODBYE, stream.shutdown()).await;
    Knocked { knock: Knock::Through { connect, handshake }, chain }
}

/// Whose fault it is that there is no connection.
fn not_connected(error: &io::Error) -> Knock {
    match error.raw_os_error() {
        Some(
            libc::ENETUNREACH
            | libc::ENETDOWN
            | libc::EAFNOSUPPORT
            | libc::EADDRNOTAVAIL
            | libc::EACCES
            | libc::EPERM
            | libc::EINVAL,
        ) => Knock::Untold(Reason::NoRoute),
        Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM | libc::EAGAIN) => {
            Knock::Untold(Reason::NoResources)
        }
        Some(libc::ECONNREFUSED) => Knock::Unreachable(FailureKind::ConnectionRefused),
        Some(libc::ECONNRESET | libc::ECONNABORTED) => Knock::Unreachable(FailureKind::ConnectionReset),
        Some(libc::ETIMEDOUT) => Knock::Unreachable(FailureKind::Timeout),
        Some(libc::EHOSTUNREACH) => Knock::Unreachable(FailureKind::HostUnreachable),
        _ => Knock::Unreachable(FailureKind::Unknown),
    }
}

/// Whether nobody answered, or somebody else.
fn not_shaken(connect: Duration, error: &io::Error) -> Knock {
    let nobody = |kind| Knock::Nobody { connect, kind };
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return Knock::Foreign { connect, kind: of_tls(tls) };
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => nobody(FailureKind::Eof),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            nobody(FailureKind::ConnectionReset)
        }
        io::ErrorKind::TimedOut => nobody(FailureKind::Timeout),
        _ => nobody(FailureKind::Unknown),
    }
}

fn of_tls(error: &rustls::Error) -> FailureKind {
    match error {
        rustls::Error::InvalidCertificate(
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. },
        ) => FailureKind::ExpiredCertificate,
        rustls::Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => FailureKind::InvalidHostname,
        rustls::Error::InvalidCertificate(_) => FailureKind::InvalidCertificate,
        _ => FailureKind::FailedHandshake,
    }
}
