//! A forwarder for tests: takes connections on a loopback address of its own, and does with them what the test says.

use std::net::{IpAddr, SocketAddr};

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
    /// What it does from here on.
    in_force: watch::Receiver<Manner>,
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
        let (takes, in_force) = watch::channel(Manner::Forward);
        let task = tokio::spawn(run(listener, target, manners, takes));
        Self { at, manner, in_force, task }
    }

    /// From here on it does as `manner` says; what it has under way ends.
    pub async fn turn(&mut self, manner: Manner) {
        self.manner.send_replace(manner);
        self.in_force.wait_for(|in_force| *in_force == manner).await.unwrap();
    }
}

async fn run(
    listener: TcpListener,
    target: SocketAddr,
    mut manners: watch::Receiver<Manner>,
    in_force: watch::Sender<Manner>,
) {
    let at = listener.local_addr().unwrap();
    let mut listener = Some(listener);
    loop {
        let manner = *manners.borrow_and_update();
        if manner == Manner::Refuse {
            listener = None;
            in_force.send_replace(manner);
            manners.changed().await.unwrap();
            continue;
        }
        let bound = match listener.take() {
            Some(bound) => bound,
            None => bind_again(at),
        };
        in_force.send_replace(manner);
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

/// How each header of PROXY protocol version 2 begins.
pub const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// PROXY protocol version 2 for a TCP connection, as HAProxy's `send-proxy-v2` writes it. Both are of one family.
pub fn header(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let family = if from.is_ipv4() { 0x11 } else { 0x21 };
    let ips = [from, to].map(|at| match at.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    });
    let ports = [from, to].map(|at| at.port().to_be_bytes());
    let addresses = [ips.concat(), ports.concat()].concat();
    let length = u16::try_from(addresses.len()).unwrap();
    [SIGNATURE, &[0x21, family], &length.to_be_bytes(), &addresses].concat()
}
