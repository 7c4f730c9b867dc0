//! Every error has a word, and the right owner.

use std::io;

use nix::libc;
use quorate_core::outcome::{FailureKind, Reason};
use rustls::{AlertDescription, CertificateError};

use super::{Trouble, of_connect, of_io, of_socket, of_tls};

fn os(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

#[test]
fn a_missing_route_is_the_own_trouble_and_a_router_s_answer_is_not() {
    assert_eq!(of_socket(&os(libc::EHOSTUNREACH)), Trouble::Own(Reason::NoRoute));
    assert_eq!(of_socket(&os(libc::ENETUNREACH)), Trouble::Own(Reason::NoRoute));
    assert_eq!(of_connect(&os(libc::ENETUNREACH)), Trouble::Own(Reason::NoRoute));
    assert_eq!(of_socket(&os(libc::EACCES)), Trouble::Own(Reason::NoRoute));
    assert_eq!(of_connect(&os(libc::EHOSTUNREACH)), Trouble::Peer(FailureKind::HostUnreachable));
    assert_eq!(of_connect(&os(libc::EACCES)), Trouble::Peer(FailureKind::HostUnreachable));
}

#[test]
fn what_the_host_has_run_out_of_is_the_own_trouble() {
    for code in [libc::EMFILE, libc::ENFILE, libc::ENOBUFS, libc::ENOMEM, libc::EADDRNOTAVAIL] {
        assert_eq!(of_connect(&os(code)), Trouble::Own(Reason::NoResources), "{code}");
    }
}

#[test]
fn what_the_peer_answers_is_evidence() {
    assert_eq!(of_connect(&os(libc::ECONNREFUSED)), Trouble::Peer(FailureKind::ConnectionRefused));
    assert_eq!(of_connect(&os(libc::ECONNRESET)), Trouble::Peer(FailureKind::ConnectionReset));
    assert_eq!(of_connect(&os(libc::ETIMEDOUT)), Trouble::Peer(FailureKind::Timeout));
    assert_eq!(of_io(&os(libc::EPIPE)), FailureKind::ConnectionReset);
    assert_eq!(of_io(&io::ErrorKind::UnexpectedEof.into()), FailureKind::Eof);
}

#[test]
fn a_tls_error_within_an_io_error_is_found() {
    let inner = rustls::Error::InvalidCertificate(CertificateError::Expired);
    assert_eq!(of_io(&io::Error::new(io::ErrorKind::InvalidData, inner)), FailureKind::ExpiredCertificate);
}

#[test]
fn expired_wrong_name_and_untrusted_are_told_apart() {
    let of = |error: CertificateError| of_tls(&rustls::Error::InvalidCertificate(error));
    assert_eq!(of(CertificateError::Expired), FailureKind::ExpiredCertificate);
    assert_eq!(of(CertificateError::NotValidYet), FailureKind::ExpiredCertificate);
    assert_eq!(of(CertificateError::NotValidForName), FailureKind::InvalidHostname);
    assert_eq!(of(CertificateError::UnknownIssuer), FailureKind::InvalidCertificate);
    assert_eq!(of_tls(&rustls::Error::AlertReceived(AlertDescription::HandshakeFailure)), FailureKind::FailedHandshake);
}
