//! What an agent may not do, and that the gateway lives on.

use bytes::Bytes;
use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::bed::{Bed, eventually, hello, report};
use crate::gateway::limits::MESSAGE_BYTES_MAX;

/// A good session still works after what happened.
async fn lives_on(bed: &Bed) {
    let credentials = bed.enrol("de-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
}

#[tokio::test]
async fn an_oversized_message_ends_the_session_in_words() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    link.report(v1::Report { outcomes: vec![0; MESSAGE_BYTES_MAX - 100], ..report(1) }).await;
    assert_eq!(link.ack().await, 1, "as large as may be");
    link.report(v1::Report { outcomes: vec![0; MESSAGE_BYTES_MAX], ..report(2) }).await;
    let close = link.close().await;
    assert_eq!(close.reason, "protocol");
    assert!(close.detail.contains("larger than 1048576 bytes"), "{}", close.detail);
    lives_on(&bed).await;
}

#[tokio::test]
async fn half_a_message_ends_the_session_in_words() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    link.raw(Bytes::from_static(b"\0\0\0\0\x64only a part of it")).await;
    link.hang_up();
    let close = link.close().await;
    assert_eq!(close.reason, "protocol");
    assert!(close.detail.contains("in the middle of a message"), "{}", close.detail);
    lives_on(&bed).await;
}

#[tokio::test]
async fn garbage_ends_the_session_in_words() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let good_report = || from_agent::Kind::Report(report(1));
    let long_outbox = v1::Report { outbox_id: vec![7; 33], ..report(1) };
    let no_outbox = v1::Report { outbox_id: Vec::new(), ..report(1) };
    for (message, expected) in [
        (from_agent::Kind::Report(report(0)), "count from 1"),
        (from_agent::Kind::Report(report(u64::MAX)), "count from 1"),
        (from_agent::Kind::Report(long_outbox), "has 33 bytes"),
        (from_agent::Kind::Report(no_outbox), "is empty"),
        (from_agent::Kind::Hello(hello()), "second Hello"),
    ] {
        let (mut link, _) = bed.session(&credentials).await;
        link.send(message).await;
        let close = link.close().await;
        assert_eq!(close.reason, "protocol");
        assert!(close.detail.contains(expected), "{expected}: {}", close.detail);
    }
    let (mut link, _) = bed.session(&credentials).await;
    link.frame(b"\xff\xff\xff garbage").await;
    assert!(link.close().await.detail.contains("cannot be read"));
    let (mut link, _) = bed.session(&credentials).await;
    link.raw(Bytes::from_static(b"\x07\0\0\0\x01x")).await;
    assert!(link.close().await.detail.contains("framed wrongly"));

    let mut link = bed.link(&credentials).await.unwrap();
    link.send(good_report()).await;
    assert!(link.close().await.detail.contains("first message"));
    let mut link = bed.link(&credentials).await.unwrap();
    link.hello(v1::Hello { purpose: 99, ..hello() }).await;
    assert!(link.close().await.detail.contains("purpose 99"));
    let mut link = bed.link(&credentials).await.unwrap();
    link.hello(v1::Hello { outbox_id: vec![0; 33], ..hello() }).await;
    assert!(link.close().await.detail.contains("has 33 bytes"));
    lives_on(&bed).await;
}

#[tokio::test]
async fn an_unknown_kind_of_message_is_passed_over() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    // Field 100, three bytes.
    link.frame(b"\xa2\x06\x03new").await;
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
}

#[tokio::test]
async fn a_report_from_the_future_is_placed_at_its_receipt() {
    let mut bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    link.report(v1::Report { wall_ms: u64::MAX, age_ms: 0, ..report(1) }).await;
    link.report(v1::Report { wall_ms: 1, age_ms: u64::MAX, ..report(2) }).await;
    let future = bed.admitted.recv().await.unwrap();
    assert_eq!(future.observed_at, future.received_at);
    let ancient = bed.admitted.recv().await.unwrap();
    assert_eq!(ancient.observed_at.as_ms(), 0);
}

#[tokio::test]
async fn bytes_that_are_no_tls_are_refused() {
    let bed = Bed::start().await;
    let mut sockets = Vec::new();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\x16\x03\x01\xff\xff", b"\0", &[0xff; 4096]] {
        let mut socket = TcpStream::connect(bed.addr).await.unwrap();
        socket.write_all(bytes).await.unwrap();
        socket.shutdown().await.unwrap();
        sockets.push(socket);
    }
    eventually("four failed handshakes", || bed.handle.sessions().totals().handshakes_failed == 4).await;
    lives_on(&bed).await;
}

#[tokio::test]
async fn one_connection_carries_one_session() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    let second = link.second_stream().await;
    assert_eq!(second.headers().get("grpc-status").unwrap(), "9");
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
}

#[tokio::test]
async fn one_server_cannot_hold_every_connection() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let mut links = Vec::new();
    let mut welcomed = 0;
    for _ in 0..crate::gateway::limits::CONNECTIONS_PER_SERVER_MAX + 4 {
        if let Ok(link) = bed.link(&credentials).await {
            links.push(link);
        }
    }
    eventually("some were refused", || bed.handle.sessions().totals().connections_refused == 4).await;
    for link in &mut links {
        link.hello(v1::Hello { purpose: v1::Purpose::Probe.into(), ..hello() }).await;
        if let Some(to_agent::Kind::Welcome(_)) = link.next().await {
            welcomed += 1;
        }
    }
    assert_eq!(welcomed, crate::gateway::limits::CONNECTIONS_PER_SERVER_MAX);
    lives_on(&bed).await;
}
