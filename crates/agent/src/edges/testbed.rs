//! Test-only: edges on loopback, each at an address of its own and all at the gateway's port: they hand bytes on, until the
//! test has them do something else.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

/// What an edge does with bytes, those of connections that are open too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Hands them on, this much later.
    Forward(Duration),
    /// Accepts, and keeps them: like a process that was stopped, or whose target is gone.
    Frozen,
    /// Hands on what agents say, and never an answer: handshakes hang half-way.
    Mute,
    /// Accepts, and hangs up at once: nobody answers behind it.
    Shut,
}

/// An address at which packets vanish, as long as what is returned lives: a queue of connections that nobody accepts, and
/// that is full.
pub(crate) async fn black_hole(host: u8, gateway: SocketAddr) -> (TcpListener, TcpStream) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new([127, 0, 5, host].into(), gateway.port())).unwrap();
    let listener = socket.listen(0).unwrap();
    let waiting = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    (listener, waiting)
}

/// An edge. When dropped, its connections break and the next ones are refused.
pub(crate) struct TestEdge {
    pub(crate) address: IpAddr,
    port: u16,
    manner: watch::Sender<Manner>,
    accepted: Arc<AtomicUsize>,
    _task: AbortOnDropHandle<()>,
}

impl TestEdge {
    /// An edge before `gateway`, at 127.0.5.`host`.
    pub(crate) async fn start(host: u8, gateway: SocketAddr, delay: Duration) -> Self {
        let (address, port) = (IpAddr::from([127, 0, 5, host]), gateway.port());
        let listener = TcpListener::bind((address, port)).await.unwrap();
        let (manner, told) = watch::channel(Manner::Forward(delay));
        let accepted = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&accepted);
        let task = tokio::spawn(async move {
            let mut open = JoinSet::new();
            loop {
                let (inside, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, SeqCst);
                open.spawn(forward(inside, gateway, told.clone()));
                while open.try_join_next().is_some() {}
            }
        });
        Self { address, port, manner, accepted, _task: AbortOnDropHandle::new(task) }
    }

    /// What a Hello by way of it says.
    pub(crate) fn told(&self) -> String {
        SocketAddr::new(self.address, self.port).to_string()
    }

    /// How many connections it has seen.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(SeqCst)
    }

    /// Waits until nobody is connected.
    pub(crate) async fn is_left(&self) {
        while self.manner.receiver_count() > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) fn turn(&self, manner: Manner) {
        self.manner.send_replace(manner);
    }
}

async fn forward(agent: TcpStream, gateway: SocketAddr, manner: watch::Receiver<Manner>) {
    if *manner.borrow() == Manner::Shut {
        return;
    }
    let Ok(gateway) = TcpStream::connect(gateway).await else { return };
    let (from_agent, to_agent) = agent.into_split();
    let (from_gateway, to_gateway) = gateway.into_split();
    // Both: the other half of a connection may have something to say after one has ended.
    tokio::join!(pump(from_agent, to_gateway, manner.clone(), true), pump(from_gateway, to_agent, manner, false));
}

async fn pump(
    mut from: impl tokio::io::AsyncRead + Unpin,
    mut to: impl tokio::io::AsyncWrite + Unpin,
    mut manner: watch::Receiver<Manner>,
    is_inward: bool,
) -> Option<()> {
    let mut bytes = vec![0; 16 << 10];
    loop {
        let count = from.read(&mut bytes).await.ok()?;
        let passes = |manner: &Manner| match manner {
            Manner::Forward(_) => true,
            Manner::Frozen | Manner::Shut => false,
            Manner::Mute => is_inward,
        };
        let delay = match *manner.wait_for(passes).await.ok()? {
            Manner::Forward(delay) => delay,
            Manner::Frozen | Manner::Mute | Manner::Shut => Duration::ZERO,
        };
        tokio::time::sleep(delay).await;
        if count == 0 {
            return to.shutdown().await.ok();
        }
        to.write_all(&bytes[..count]).await.ok()?;
    }
}
