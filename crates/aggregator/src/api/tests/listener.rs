#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::House;

/// Opens a connection, says `words`, and reads until it is ended.
async fn until_ended(house: &House, words: &'static [u8]) -> Vec<u8> {
    let mut peer = TcpStream::connect(house.running.api_addr).await.unwrap();
    peer.write_all(words).await.unwrap();
    let mut heard = Vec::new();
    let ended = timeout(Duration::from_secs(30), peer.read_to_end(&mut heard)).await;
    assert!(ended.is_ok(), "still open after {:?}", String::from_utf8_lossy(words));
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_peer_loses_its_place() {
    let house = House::open().await;
    let (nothing, either, half, after) = tokio::join!(
        until_ended(&house, b""),
        until_ended(&house, b"PRI"),
        until_ended(&house, b"GET /healthz HTTP/1.1\r\nHost: x\r\n"),
        until_ended(&house, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"),
    );
    assert_eq!((nothing.len(), either.len()), (0, 0));
    assert!(!half.starts_with(b"HTTP/1.1 200"), "{half:?}");
    assert!(after.starts_with(b"HTTP/1.1 200"), "{after:?}");
}
