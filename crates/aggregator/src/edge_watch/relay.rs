//! A forwarder for tests: takes connections on a loopback address of its own, and does with them what the test says.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What it does with connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Forwards them, with a PROXY header before them.
    Forward,
    /// Takes them and does nothing.
    Hold,
    /// Answers by itself, as a web server would.
    Answer,
    /// Does not listen.
    Refuse,
}

/// A running forwarder.
pub struct Relay {
    /// Where it listens.
    pub at: SocketAddr,
    manner: watch::Sender<Manner>,
    /// What it has bound at the moment.
    listening: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Relay {
    /// A forwarder on `ip`, whose connections to `target` come from `ip` too, as those of a host with one address do.
    pub async fn start(ip: [u8; 4], target: SocketAddr) -> Self {
        let listener = TcpListener::bind(SocketAddr::from((ip, 0))).await.unwrap();
        let at = listener.local_addr().unwrap();
        let (manner, manners) = watch::channel(Manner::Forward);
        let (listens, listening) = watch::channel(true);
        let task = tokio::spawn(run(listener, target, manners, listens));
        Self { at, manner, listening, task }
    }

    /// From here on it does as `manner` says; what it has under way ends.
    pub async fn turn(&mut self, manner: Manner) {
        self.manner.send_replace(manner);
        self.listening.wait_for(|listens| *listens == (manner != Manner::Refuse)).await.unwrap();
    }
}

async fn run(
    listener: TcpListener,
    target: SocketAddr,
    mut manners: watch::Receiver<Manner>,
    listens: watch::Sender<bool>,
) {
    let at = listener.local_addr().unwrap();
    let mut listener = Some(listener);
    loop {
        let manner = *manners.borrow_and_update();
        if manner == Manner::Refuse {
            listener = None;
            listens.send_replace(false);
            manners.changed().await.unwrap();
            continue;
        }
        let bound = match listener.take() {
            Some(bound) => bound,
            None => bind_again(at),
        };
        listens.send_replace(true);
        tokio::select! {
            changed = manners.changed() => changed.unwrap(),
            taken = bound.accept() => {
                let mut until = manners.clone();
                let (stream, _) = taken.unwrap();
                tokio::spawn(async move {
                    tokio::select! {
                        () = serve(stream, manner, at, target) => {}
                        _ = until.changed() => {}
                    }
                });
            }
        }
        listener = Some(bound);
    }
}

/// The port was free a moment ago, and nobody else draws from this address.
fn bind_again(at: SocketAddr) -> TcpListener {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(at).unwrap();
    socket.listen(16).unwrap()
}

async fn serve(mut client: TcpStream, manner: Manner, at: SocketAddr, target: SocketAddr) {
    match manner {
        Manner::Hold | Manner::Refuse => std::future::pending().await,
        Manner::Answer => {
            let _ = client.read(&mut [0; 64]).await;
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
        Manner::Forward => {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::new(at.ip(), 0)).unwrap();
            // A gateway that is gone ends what came for it.
            let Ok(mut gateway) = socket.connect(target).await else { return };
            let _ = gateway.write_all(&header(client.peer_addr().unwrap(), at)).await;
            let _ = copy_bidirectional(&mut client, &mut gateway).await;
        }
    }
}

/// PROXY protocol version 2, TCP over IPv4, as HAProxy's `send-proxy-v2` writes it.
fn header(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".to_vec();
    for at in [from, to] {
        let SocketAddr::V4(at) = at else { panic!("relays listen on IPv4") };
        header.extend(at.ip().octets());
    }
    header.extend(from.port().to_be_bytes());
    header.extend(to.port().to_be_bytes());
    header
}
