#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::Ipv4Addr;
use std::sync::Arc;

use futures_util::FutureExt as _;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Connection, Endpoint, ServerConfig, TransportConfig};
use quorate_core::lane::Lane;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::probe::ProbeKind;

use super::BYTES_MAX;
use crate::probe::testbed::{Credentials, knocker, probe};

/// What a server keeps that was not acknowledged yet, so that it cannot take its own buffer for the other side's.
const UNSENT_MAX: u64 = 16 * 1024;
/// More than anybody has to take.
const UNASKED: u64 = 64 << 20;
/// What may be on its way, read or not, when the connection ends.
const SLACK: u64 = 512 * 1024;
/// A head of this many bytes at most, and all of a budget.
const SPEED: u32 = 10;

fn server(credentials: &Credentials, unsent_max: u64) -> Endpoint {
    let config = QuicServerConfig::try_from(credentials.server_config(&["h3"])).unwrap();
    let mut config = ServerConfig::with_crypto(Arc::new(config));
    let mut transport = TransportConfig::default();
    transport.send_window(unsent_max);
    config.transport_config(Arc::new(transport));
    Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into()).unwrap()
}

/// Writes `head` and then zeros until the other side has had enough; returns how many.
async fn flood(mut stream: quinn::SendStream, head: &[u8]) -> u64 {
    let mut sent = 0;
    if stream.write_all(head).await.is_ok() {
        while let Ok(written) = stream.write(&[0; 4096]).await {
            sent += written as u64;
        }
    }
    sent
}

async fn answer(connection: &Connection, head: &[u8]) -> u64 {
    let mut control = connection.open_uni().await.unwrap();
    // The stream's type, and settings that are empty.
    control.write_all(&[0, 4, 0]).await.unwrap();
    let (answer, _request) = connection.accept_bi().await.unwrap();
    flood(answer, head).await
}

#[tokio::test]
async fn a_peer_that_promises_a_gigabyte_is_heard_no_longer_than_a_page() {
    // A response's headers, and a frame of a kind that nobody knows.
    for kind in [0x01, 0x21] {
        let credentials = Credentials::new();
        let endpoint = server(&credentials, UNSENT_MAX);
        let knock = probe(ProbeKind::QuicHttp3, endpoint.local_addr().unwrap());
        let knocker = knocker(&credentials.roots, SPEED);
        let serving = async {
            let connection = endpoint.accept().await.unwrap().await.unwrap();
            answer(&connection, &[kind, 0xbf, 0xff, 0xff, 0xff]).await
        };
        let (trace, sent) = tokio::join!(knocker.knock(&knock, Lane::Udp4), serving);
        assert!(sent <= BYTES_MAX as u64 + SLACK, "frame {kind}: {sent} bytes were taken");
        let Outcome::Failed(Failure { operation, kind, .. }) = trace.outcome else { panic!("{trace:?}") };
        assert_eq!((operation, kind), (Operation::Read, FailureKind::HttpInvalid), "{trace:?}");
    }
}

#[tokio::test]
async fn what_a_peer_sends_unasked_is_taken_up_to_the_same_bound() {
    let credentials = Credentials::new();
    let endpoint = server(&credentials, UNASKED);
    let knock = probe(ProbeKind::QuicHttp3, endpoint.local_addr().unwrap());
    let knocker = knocker(&credentials.roots, SPEED);
    let serving = async {
        let connection = endpoint.accept().await.unwrap().await.unwrap();
        // As fast as the other side's first word allows: nothing is awaited, so nothing has been read.
        let (mut streams, mut taken) = (Vec::new(), 0);
        while let Some(Ok(mut stream)) = connection.open_uni().now_or_never() {
            while let Some(Ok(written)) = stream.write(&[0x21; 4096]).now_or_never() {
                taken += written;
            }
            streams.push(stream);
        }
        (streams.len(), taken)
    };
    let (_, (streams, taken)) = tokio::join!(knocker.knock(&knock, Lane::Udp4), serving);
    assert!((3..=8).contains(&streams), "{streams} streams");
    assert!((1..=BYTES_MAX).contains(&taken), "{taken} bytes");
}
