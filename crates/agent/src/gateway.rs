//! The way to the gateway: TCP, TLS 1.3, HTTP/2, one connection that is used up by one session.
//!
//! Nothing is shared between two connections and nothing reconnects by itself: when to try again is the session's to
//! decide.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint};

use crate::limits::host_port;
use crate::probe::may_bind;

mod alert;

pub(crate) use self::alert::Alert;

/// For resolving, TCP and TLS together: the gateway gives a handshake 10 s.
const CONNECT_BUDGET: Duration = Duration::from_secs(10);
/// HTTP/2 pings keep NAT bindings open and notice a dead path.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// Time for an answer to a ping.
const PING_BUDGET: Duration = Duration::from_secs(10);
/// Most addresses of a gateway that are tried in turn.
const ADDRESSES_MAX: usize = 16;

/// Why the gateway was not reached.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The name in the configuration.
    #[error("gateway '{0}' is no host:port, like panel.example.org:9443")]
    Name(String),
    /// No TCP connection.
    #[error("cannot reach the gateway {gateway}: {problem}")]
    Connect {
        /// Which.
        gateway: String,
        /// What the system said.
        problem: io::Error,
    },
    /// No TLS: not the gateway, or it does not know this agent.
    #[error("no TLS with the gateway {gateway}: {problem}")]
    Tls {
        /// Which.
        gateway: String,
        /// What is wrong.
        problem: io::Error,
    },
    /// No HTTP/2.
    #[error("the gateway {gateway} does not speak gRPC: {problem}")]
    Http {
        /// Which.
        gateway: String,
        /// What is wrong.
        problem: tonic::transport::Error,
    },
}

/// Opens one connection to `gateway`. Why it closes the door is told by `alert`, now or later.
pub(crate) async fn connect(
    gateway: &str,
    sources: &[IpAddr],
    config: Arc<ClientConfig>,
    alert: &Alert,
) -> Result<Channel, GatewayError> {
    let (host, port) = host_port(gateway).ok_or_else(|| GatewayError::Name(gateway.to_owned()))?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| GatewayError::Name(gateway.to_owned()))?;
    let tcp = connect_any(host, port, sources)
        .await
        .map_err(|problem| GatewayError::Connect { gateway: gateway.to_owned(), problem })?;
    let tls = tokio::time::timeout(CONNECT_BUDGET, TlsConnector::from(config).connect(name, tcp))
        .await
        .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long")))
        .map_err(|problem| GatewayError::Tls { gateway: gateway.to_owned(), problem })?;

    // Handed out once: a channel that asks for a second connection gets an error.
    let stream = Arc::new(Mutex::new(Some(TokioIo::new(alert.listen(tls)))));
    let connector = tower::service_fn(move |_| {
        let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        std::future::ready(stream.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)))
    });
    Endpoint::from_static("http://quorate.invalid")
        .http2_keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_BUDGET)
        .keep_alive_while_idle(true)
        .connect_with_connector(connector)
        .await
        .map_err(|problem| GatewayError::Http { gateway: gateway.to_owned(), problem })
}

/// TCP to one of the addresses, in turn: the budget is divided among them.
async fn connect_any(host: &str, port: u16, sources: &[IpAddr]) -> io::Result<TcpStream> {
    let found = tokio::time::timeout(CONNECT_BUDGET, tokio::net::lookup_host((host, port))).await;
    let found = found.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"))??;
    let addresses: Vec<SocketAddr> = found.take(ADDRESSES_MAX).collect();
    let share = CONNECT_BUDGET / addresses.len().clamp(1, ADDRESSES_MAX) as u32;
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match tokio::time::timeout(share, connect_from(address, sources)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = io::Error::new(error.kind(), format!("{address}: {error}")),
            Err(_) => last = io::Error::new(io::ErrorKind::TimedOut, format!("{address}: no answer within {share:?}")),
        }
    }
    Err(last)
}

/// TCP to one address, from a source of its kind if there is one.
async fn connect_from(address: SocketAddr, sources: &[IpAddr]) -> io::Result<TcpStream> {
    let socket = if address.is_ipv6() { TcpSocket::new_v6()? } else { TcpSocket::new_v4()? };
    if let Some(source) = sources.iter().find(|source| may_bind(**source, address.ip())) {
        socket.bind(SocketAddr::new(*source, 0))?;
    }
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
