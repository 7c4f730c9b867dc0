//! Distance: a relay between an edge and the gateway that hands each byte on later. To whoever talks through the edge, the
//! edge is that much farther away; the edge itself answers, refuses and dies as it does.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::network::{Host, Lab};

/// Where it listens on the edge's loopback.
pub const PORT: u16 = 9443;
/// Pieces under way in one direction of one connection: with the delays of a lab far more than a session sends.
const PIECES_MAX: usize = 256;
const PIECE_BYTES: usize = 16 * 1024;

/// The relay of one edge. It ends with its handle, and so do the connections through it.
pub struct Delay {
    one_way_us: Arc<AtomicU64>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Delay {
    /// Starts it on a host; returns when it listens.
    pub fn start(lab: &Lab, host: Host, gateway: SocketAddr, one_way: Duration) -> Self {
        let one_way_us = Arc::new(AtomicU64::new(one_way.as_micros() as u64));
        let shared = Arc::clone(&one_way_us);
        let (end, ended) = oneshot::channel();
        let (listens, listening) = std::sync::mpsc::channel();
        let thread = lab.namespace(host).beside(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
            runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).await.expect("the port is free");
                listens.send(()).expect("whoever starts it waits");
                // The sender goes without a word when the handle does.
                tokio::select! { () = accept(listener, gateway, shared) => {}, _ = ended => {} }
            });
        });
        listening.recv().expect("the relay listens");
        Self { one_way_us, end: Some(end), thread: Some(thread) }
    }

    /// Moves the edge: bytes that are read from here on take so long.
    pub fn set(&self, one_way: Duration) {
        eprintln!("an edge is {one_way:?} away");
        self.one_way_us.store(one_way.as_micros() as u64, Ordering::Relaxed);
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        drop(self.end.take());
        // A relay that panicked has said so; a test that fails goes on failing.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn accept(listener: TcpListener, gateway: SocketAddr, one_way_us: Arc<AtomicU64>) {
    while let Ok((client, _)) = listener.accept().await {
        let one_way_us = Arc::clone(&one_way_us);
        // A connection that breaks is broken for both sides, and that is all that is to be told of it.
        tokio::spawn(async move {
            let Ok(server) = TcpStream::connect(gateway).await else { return };
            let _ = relay(client, server, &one_way_us).await;
        });
    }
}

/// Carries both directions until both have ended, or one breaks.
async fn relay(client: TcpStream, server: TcpStream, one_way_us: &AtomicU64) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let there = carry(from_client, to_server, one_way_us);
    let back = carry(from_server, to_client, one_way_us);
    tokio::try_join!(there, back).map(drop)
}

/// Hands on what it reads, in order, each piece at its time; the end too.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, one_way_us: &AtomicU64) -> io::Result<()> {
    let (under_way, mut arriving) = mpsc::channel::<(Instant, Vec<u8>)>(PIECES_MAX);
    let read = async move {
        loop {
            let mut piece = vec![0; PIECE_BYTES];
            let bytes = from.read(&mut piece).await?;
            piece.truncate(bytes);
            let due = Instant::now() + Duration::from_micros(one_way_us.load(Ordering::Relaxed));
            if under_way.send((due, piece)).await.is_err() || bytes == 0 {
                return io::Result::Ok(());
            }
        }
    };
    let write = async {
        while let Some((due, piece)) = arriving.recv().await {
            sleep_until(due).await;
            if piece.is_empty() {
                return to.shutdown().await;
            }
            to.write_all(&piece).await?;
        }
        Ok(())
    };
    tokio::try_join!(read, write).map(drop)
}
