//! The line between agent and gateway, which a test can hold and cut.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How the line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// Everything passes.
    Open,
    /// What the gateway says waits until the test lets it pass, piece by piece.
    Held,
    /// Connections break, and none comes about.
    Cut,
}

/// Relays TCP; gone when dropped.
pub struct Relay {
    pub addr: SocketAddr,
    line: watch::Sender<Line>,
    held: Held,
}

/// Pieces are numbered as they come, over all connections, and pass in that order.
#[derive(Debug, Clone)]
struct Held {
    come: watch::Sender<u64>,
    passed: watch::Sender<u64>,
}

impl Relay {
    pub async fn start(gateway: SocketAddr, line: Line) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (line, seen) = watch::channel(line);
        let held = Held { come: watch::Sender::new(0), passed: watch::Sender::new(0) };
        let holding = held.clone();
        tokio::spawn(async move {
            while let Ok((agent, _)) = listener.accept().await {
                if *seen.borrow() != Line::Cut {
                    tokio::spawn(relay(agent, gateway, seen.clone(), holding.clone()));
                }
            }
        });
        Self { addr, line, held }
    }

    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }

    /// Lets pieces pass until `condition` holds when the next one has come, and cuts the line before that one.
    ///
    /// What the gateway does before it says so is done by then, and has not been heard of.
    pub async fn cut_when(&self, what: &str, condition: impl AsyncFn() -> bool) {
        let stepping = async {
            let (mut come, mut passed) = (self.held.come.subscribe(), 0);
            loop {
                come.wait_for(|come| *come > passed).await.unwrap();
                if condition().await {
                    return self.set(Line::Cut);
                }
                passed += 1;
                self.held.passed.send_replace(passed);
            }
        };
        tokio::time::timeout(crate::bench::PATIENCE, stepping).await.unwrap_or_else(|_| panic!("never: {what}"));
    }
}

impl Held {
    /// Waits for its turn.
    async fn pass(&self) {
        let mut number = 0;
        self.come.send_modify(|come| {
            *come += 1;
            number = *come;
        });
        let mut passed = self.passed.subscribe();
        passed.wait_for(|passed| *passed >= number).await.unwrap();
    }
}

async fn relay(agent: TcpStream, gateway: SocketAddr, mut line: watch::Receiver<Line>, held: Held) {
    let Ok(gateway) = TcpStream::connect(gateway).await else { return };
    let ((from_agent, to_agent), (from_gateway, to_gateway)) = (agent.into_split(), gateway.into_split());
    let is_held = *line.borrow() == Line::Held;
    tokio::select! {
        _ = line.wait_for(|line| *line == Line::Cut) => {}
        () = carry(from_agent, to_gateway, None) => {}
        () = carry(from_gateway, to_agent, is_held.then_some(held)) => {}
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, held: Option<Held>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if let Some(held) = &held {
            held.pass().await;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
