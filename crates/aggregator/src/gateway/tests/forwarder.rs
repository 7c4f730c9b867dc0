//! An edge's forwarder: writes a header, or none, before what its client sends, cut as the test wants it.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, copy_bidirectional, duplex};
use tokio::net::TcpStream;

use crate::edge_watch::relay::{self, SIGNATURE};

/// A header for a TCP connection from `source`, IPv4 or IPv6.
pub fn header(source: &str) -> Vec<u8> {
    let source: SocketAddr = source.parse().unwrap();
    relay::header(source, SocketAddr::new(source.ip(), 443))
}

/// The header of a forwarder's own connection.
pub fn local() -> Vec<u8> {
    [SIGNATURE, &[0x20, 0, 0, 0]].concat()
}

/// How the first bytes reach the gateway.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Header and ClientHello in one segment.
    Nowhere,
    /// In two segments, the first one of so many bytes.
    At(usize),
    /// Each byte in its own segment.
    Everywhere,
}

/// Forwards to the gateway; the stream is the client's end.
pub fn forward(mut gateway: TcpStream, header: Vec<u8>, cut: Cut) -> DuplexStream {
    let (client, mut accepted) = duplex(64 * 1024);
    tokio::spawn(async move {
        let mut first = header;
        first.reserve(4096);
        // rustls writes its ClientHello at once.
        let _ = accepted.read_buf(&mut first).await;
        let written = match cut {
            Cut::Nowhere => gateway.write_all(&first).await,
            Cut::At(at) => pieces(&mut gateway, [&first[..at], &first[at..]]).await,
            Cut::Everywhere => pieces(&mut gateway, first.chunks(1)).await,
        };
        if written.is_ok() {
            let _ = copy_bidirectional(&mut accepted, &mut gateway).await;
        }
    });
    client
}

async fn pieces<'a>(gateway: &mut TcpStream, pieces: impl IntoIterator<Item = &'a [u8]>) -> std::io::Result<()> {
    for piece in pieces {
        gateway.write_all(piece).await?;
        // So that the gateway sees each piece alone; nothing hangs on it.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}
