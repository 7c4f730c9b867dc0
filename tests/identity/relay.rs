//! The line between agent and gateway.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How the line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Each word of the gateway takes so long to come.
    Up(Duration),
    /// Connections break, and none comes about.
    Cut,
}

/// As fast as loopback is.
pub const FAST: Line = Line::Up(Duration::ZERO);
/// So slow that a test sees what the gateway stored long before the agent hears of it.
pub const SLOW: Line = Line::Up(Duration::from_secs(1));

/// Relays TCP; gone when dropped.
pub struct Relay {
    pub addr: SocketAddr,
    line: watch::Sender<Line>,
}

impl Relay {
    pub async fn start(gateway: SocketAddr, line: Line) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (line, seen) = watch::channel(line);
        tokio::spawn(async move {
            while let Ok((agent, _)) = listener.accept().await {
                if *seen.borrow() == Line::Cut {
                    continue;
                }
                tokio::spawn(relay(agent, gateway, seen.clone()));
            }
        });
        Self { addr, line }
    }

    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

async fn relay(agent: TcpStream, gateway: SocketAddr, mut seen: watch::Receiver<Line>) {
    let Ok(gateway) = TcpStream::connect(gateway).await else { return };
    let ((from_agent, to_agent), (from_gateway, to_gateway)) = (agent.into_split(), gateway.into_split());
    let line = seen.clone();
    tokio::select! {
        _ = seen.wait_for(|line| *line == Line::Cut) => {}
        () = carry(from_agent, to_gateway, None) => {}
        () = carry(from_gateway, to_agent, Some(line)) => {}
    }
}

/// Carries bytes, each time after the line's delay, until one side ends.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: Option<watch::Receiver<Line>>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let delay = line.as_ref().map_or(FAST, |line| *line.borrow());
        if let Line::Up(delay) = delay {
            tokio::time::sleep(delay).await;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
