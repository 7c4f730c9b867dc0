#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::UdpSocket;

use quorate_core::lane::Lane;
use quorate_core::outcome::{FailureKind, Outcome};
use quorate_core::probe::ProbeKind;

use crate::probe::testbed::{Credentials, knocker, probe, silent_udp};

#[tokio::test]
async fn a_knock_in_vain_leaves_no_socket_open() {
    let credentials = Credentials::new();
    let (address, silent) = silent_udp().await;
    let trace = knocker(&credentials.roots, 20).knock(&probe(ProbeKind::Quic, address), Lane::Udp4).await;
    assert!(matches!(trace.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Timeout), "{trace:?}");
    let (_, from) = silent.recv_from(&mut [0; 2048]).await.unwrap();
    // The task is gone when it has been told so, not when it was.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    UdpSocket::bind(from).expect("the port that was knocked from is free again");
}
