//! The TLS door: full handshakes for those who pass, silence or a reset for those who do not.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::super::blocks::{Blocking, Blocks};
use super::{HELD_FOR, HELD_MAX};

/// Knocks that the system keeps for us while we are busy.
const BACKLOG: u32 = 256;
/// How long the loop rests when the system has no descriptor left for another connection.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(50);

/// Takes the port.
pub(super) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Connections that were closed a moment ago do not keep the port from being taken again.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop`; the port is free when it returns.
pub(super) async fn serve(listener: TcpListener, config: Arc<ServerConfig>, blocks: Blocks, stop: CancellationToken) {
    let acceptor = TlsAcceptor::from(config);
    let Ok(here) = listener.local_addr() else { return };
    let mut held = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, source)) if held.len() < HELD_MAX => {
                    held.spawn(answer(stream, source.ip(), here.ip(), acceptor.clone(), blocks.clone()));
                }
                Ok(_) => {}
                Err(_) => tokio::time::sleep(OUT_OF_DESCRIPTORS).await,
            },
            Some(_) = held.join_next() => {}
        }
    }
    held.shutdown().await;
}

async fn answer(stream: TcpStream, source: IpAddr, here: IpAddr, acceptor: TlsAcceptor, blocks: Blocks) {
    let conversation = async {
        match blocks.between(source, here) {
            None => {
                // A handshake that fails is the client's affair.
                if let Ok(stream) = acceptor.accept(stream).await {
                    listen_to_the_end(stream).await;
                }
            }
            Some(Blocking::Silent) => listen_to_the_end(stream).await,
            Some(Blocking::Reset) => {
                // Without a linger time the system sends a reset where it would send a FIN.
                let _ = stream.set_zero_linger();
            }
        }
    };
    // Whoever stays longer is hung up on.
    let _ = timeout(HELD_FOR, conversation).await;
}

/// Reads and forgets until the peer is done.
async fn listen_to_the_end(mut stream: impl AsyncRead + Unpin) {
    let mut heard = [0; 1024];
    while matches!(stream.read(&mut heard).await, Ok(1..)) {}
}
