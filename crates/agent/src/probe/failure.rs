//! Names failures in OONI's words, and tells the network's and the peer's from the own ones (R1).
//!
//! Pure: an error goes in, a word comes out. Which step it happened in is the caller's to say.

use std::error::Error as StdError;
use std::io;

use nix::libc;
use quinn::ConnectionError;
use quorate_core::outcome::{FailureKind, Reason};
use rustls::CertificateError;

#[cfg(test)]
mod tests;

/// Whose trouble an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The peer's or the network's: evidence.
    Peer(FailureKind),
    /// The own: no evidence.
    Own(Reason),
}

/// Errors of making, binding or routing a socket, before any packet was sent: a route is missing here.
pub(crate) fn of_socket(error: &io::Error) -> Trouble {
    match error.raw_os_error() {
        Some(libc::EHOSTUNREACH | libc::EACCES) => Trouble::Own(Reason::NoRoute),
        _ => of_connect(error),
    }
}

/// Errors of a connect to an address that there was a route to.
pub(crate) fn of_connect(error: &io::Error) -> Trouble {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED) => Trouble::Peer(FailureKind::ConnectionRefused),
        Some(libc::ECONNRESET | libc::ECONNABORTED | libc::EPIPE) => Trouble::Peer(FailureKind::ConnectionReset),
        Some(libc::ETIMEDOUT) => Trouble::Peer(FailureKind::Timeout),
        // A router's answer: host unreachable, or administratively prohibited, which IPv6 calls EACCES.
        Some(libc::EHOSTUNREACH | libc::EACCES) => Trouble::Peer(FailureKind::HostUnreachable),
        Some(libc::ENETUNREACH | libc::ENETDOWN | libc::EAFNOSUPPORT | libc::EPERM | libc::EINVAL) => {
            Trouble::Own(Reason::NoRoute)
        }
        Some(
            libc::EMFILE
            | libc::ENFILE
            | libc::ENOBUFS
            | libc::ENOMEM
            | libc::EADDRNOTAVAIL
            | libc::EADDRINUSE
            | libc::EAGAIN,
        ) => Trouble::Own(Reason::NoResources),
        _ => Trouble::Peer(of_io(error)),
    }
}

/// Errors on an open connection; a TLS error is unwrapped.
pub(crate) fn of_io(error: &io::Error) -> FailureKind {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return of_tls(tls);
    }
    match error.kind() {
        io::ErrorKind::ConnectionRefused => FailureKind::ConnectionRefused,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe => {
            FailureKind::ConnectionReset
        }
        io::ErrorKind::UnexpectedEof => FailureKind::Eof,
        io::ErrorKind::TimedOut => FailureKind::Timeout,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => FailureKind::HostUnreachable,
        _ => FailureKind::Unknown,
    }
}

/// Errors of a TLS handshake.
pub(crate) fn of_tls(error: &rustls::Error) -> FailureKind {
    match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => FailureKind::ExpiredCertificate,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                FailureKind::InvalidHostname
            }
            // Untrusted, revoked, badly signed: rustls adds to this list, and all of it is one word here.
            _ => FailureKind::InvalidCertificate,
        },
        rustls::Error::NoCertificatesPresented => FailureKind::InvalidCertificate,
        _ => FailureKind::FailedHandshake,
    }
}

/// Errors of a QUIC handshake or connection. A refused certificate does not show in them: the verifier remembers it.
pub(crate) fn of_quic(error: &ConnectionError) -> FailureKind {
    match error {
        ConnectionError::TimedOut => FailureKind::Timeout,
        ConnectionError::Reset => FailureKind::ConnectionReset,
        ConnectionError::VersionMismatch
        | ConnectionError::TransportError(_)
        | ConnectionError::ConnectionClosed(_)
        | ConnectionError::ApplicationClosed(_) => FailureKind::QuicFailedHandshake,
        ConnectionError::LocallyClosed | ConnectionError::CidsExhausted => FailureKind::Unknown,
    }
}

/// Errors of an HTTP exchange over a working connection.
pub(crate) fn of_http(error: &hyper::Error) -> FailureKind {
    if let Some(io) = io_within(error) {
        return of_io(io);
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        FailureKind::Eof
    } else if error.is_timeout() {
        FailureKind::Timeout
    } else {
        FailureKind::HttpInvalid
    }
}

fn io_within(error: &hyper::Error) -> Option<&io::Error> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return Some(io);
        }
        source = error.source();
    }
    None
}
