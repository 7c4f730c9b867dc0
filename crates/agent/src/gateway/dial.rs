//! One connection to one address, step by step, each step timed: TCP shows the way to the machine that was dialled, TLS the
//! way through it to the gateway and back.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use nix::sys::socket::{setsockopt, sockopt};
use quorate_core::edge::Times;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::transport::{Channel, Endpoint};

use super::credentials::{Credentials, Listening};
use crate::clock::Stopwatch;
use crate::probe::may_bind;

/// HTTP/2 pings keep NAT bindings open and notice a path that is dead at its far end.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// Time for an answer to a ping. With the interval before it this bounds how long a black hole goes unnoticed: 25 s.
const PING_BUDGET: Duration = Duration::from_secs(10);
/// What was sent and is not even acknowledged by the nearest machine for this long will not be: a report that goes into a
/// black hole tells sooner than the next ping.
const UNACKNOWLEDGED_MAX: Duration = PING_BUDGET;

/// The step that failed, and how.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DialError {
    /// TCP.
    #[error("connect: {0}")]
    Connect(io::Error),
    /// The handshake.
    #[error("TLS: {0}")]
    Tls(io::Error),
    /// HTTP/2.
    #[error("HTTP/2: {0}")]
    Http(tonic::transport::Error),
}

/// A connection on which nobody has said anything yet. Dropped, it is closed in good order.
#[derive(Debug)]
pub(crate) struct Dialled {
    pub(crate) channel: Channel,
    /// What was dialled.
    pub(crate) address: SocketAddr,
    pub(crate) times: Times,
}

/// After the first step.
pub(super) struct Reached {
    stream: TcpStream,
    address: SocketAddr,
    begun: Stopwatch,
    tcp: Duration,
}

/// After the second.
pub(super) struct Secured<S = Listening<TlsStream<TcpStream>>> {
    stream: S,
    address: SocketAddr,
    times: Times,
}

/// TCP, from a source of the address's kind if there is one.
pub(super) async fn tcp(address: SocketAddr, sources: &[IpAddr]) -> io::Result<Reached> {
    let begun = Stopwatch::start();
    let socket = if address.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    if let Some(source) = sources.iter().find(|source| may_bind(**source, address.ip())) {
        socket.bind(SocketAddr::new(*source, 0))?;
    }
    let stream = socket.connect(address).await?;
    let tcp = begun.elapsed();
    stream.set_nodelay(true)?;
    setsockopt(&stream, sockopt::TcpUserTimeout, &(UNACKNOWLEDGED_MAX.as_millis() as u32))?;
    Ok(Reached { stream, address, begun, tcp })
}

/// The whole handshake, with certificates on both sides.
pub(super) async fn tls(reached: Reached, name: ServerName<'static>, credentials: &Credentials) -> io::Result<Secured> {
    let Reached { stream, address, begun, tcp } = reached;
    let stream = TlsConnector::from(credentials.config()).connect(name, stream).await?;
    Ok(Secured { stream: credentials.listen(stream), address, times: Times::once(tcp, begun.elapsed()) })
}

/// HTTP/2 over it, which sends the first frames and waits for none.
pub(super) async fn http<S>(secured: Secured<S>) -> Result<Dialled, tonic::transport::Error>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Secured { stream, address, times } = secured;
    // Handed out once: a channel that asks for a second connection gets an error.
    let stream = Arc::new(Mutex::new(Some(TokioIo::new(stream))));
    let connector = tower::service_fn(move |_| {
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::future::ready(stream.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)))
    });
    let channel = Endpoint::from_static("http://quorate.invalid")
        .http2_keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_BUDGET)
        .keep_alive_while_idle(true)
        .connect_with_connector(connector)
        .await?;
    Ok(Dialled { channel, address, times })
}

/// The same over a simulated network, which has no TLS: who is whom is what the network says.
#[cfg(feature = "simulation")]
pub(super) async fn simulated(
    host: &crate::simulated::Host,
    address: SocketAddr,
    budget: Duration,
) -> Result<Dialled, DialError> {
    let begun = Stopwatch::start();
    let silent = |_| io::Error::from(io::ErrorKind::TimedOut);
    let reached = tokio::time::timeout(budget, host.connect(address)).await.map_err(silent).flatten();
    let stream = reached.map_err(DialError::Connect)?;
    let times = Times::once(begun.elapsed(), begun.elapsed());
    http(Secured { stream, address, times }).await.map_err(DialError::Http)
}
