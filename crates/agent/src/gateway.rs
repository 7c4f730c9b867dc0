//! The way to the gateway: TCP, TLS 1.3, HTTP/2, one connection that is used up by one session.
//!
//! A name and a telephone: the name may have several numbers, and each call is to one of them. Nothing is shared between
//! two connections and nothing reconnects by itself: which address to call, and when to try again, is for others to decide.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use quorate_core::edge::ADDRESSES_MAX;
use rustls_pki_types::ServerName;
use tokio::time::timeout;

use crate::limits::host_port;

mod credentials;
mod dial;
mod greet;
mod resolver;

pub(crate) use self::credentials::Credentials;
pub(crate) use self::dial::{DialError, Dialled};
pub(crate) use self::greet::{Answer, Opened, greet, words};
pub(crate) use self::resolver::Resolver;

/// For TCP, over all addresses together.
pub(crate) const CONNECT_BUDGET: Duration = Duration::from_secs(10);
/// For TLS: the gateway gives a handshake 10 s.
const HANDSHAKE_BUDGET: Duration = Duration::from_secs(10);

/// Why the gateway was not reached.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The name in the configuration.
    #[error("gateway '{0}' is no host:port, like watch.example.org:9443")]
    Name(String),
    /// The name has no address, as far as the system's resolver tells.
    #[error("cannot find the gateway {gateway}: {problem}")]
    Resolve {
        /// Which.
        gateway: String,
        /// What the resolver said.
        problem: io::Error,
    },
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
    /// No answer to the first message.
    #[error("the gateway {gateway} does not answer: {problem}")]
    Hello {
        /// Which.
        gateway: String,
        /// What happened to the connection.
        problem: String,
    },
    /// Each of its addresses failed in its own way.
    #[error("no way to the gateway {gateway}: {problems}")]
    NoEdge {
        /// Which.
        gateway: String,
        /// What went wrong with each.
        problems: String,
    },
}

/// Where the gateway is, and how it is dialled.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    /// As the configuration has it.
    written: String,
    host: String,
    port: u16,
    /// What its certificate must be for.
    name: ServerName<'static>,
    /// Addresses to dial from; the system chooses when none is of the kind of the address dialled.
    sources: Vec<IpAddr>,
    resolver: Resolver,
}

impl Gateway {
    /// `written` is `host:port`.
    pub(crate) fn new(written: &str, sources: &[IpAddr], resolver: Resolver) -> Result<Self, GatewayError> {
        let wrong = || GatewayError::Name(written.to_owned());
        let (host, port) = host_port(written).ok_or_else(wrong)?;
        let name = ServerName::try_from(host.to_owned()).map_err(|_| wrong())?;
        Ok(Self { written: written.to_owned(), host: host.to_owned(), port, name, sources: sources.to_vec(), resolver })
    }

    /// As the configuration has it.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// All addresses of the name, each once, in the order in which the system would try them; never none.
    pub(crate) async fn addresses(&self) -> Result<Vec<IpAddr>, GatewayError> {
        let found = self.resolver.resolve(&self.host).await;
        found.map_err(|problem| GatewayError::Resolve { gateway: self.written.clone(), problem })
    }

    /// What `then` makes of a connection, by whichever of the addresses it comes to anything: in turn, as any client would
    /// try them, the budget for TCP divided among them.
    pub(crate) async fn in_turn<T, F: Future<Output = Result<T, GatewayError>>>(
        &self,
        addresses: &[IpAddr],
        credentials: &Credentials,
        then: impl Fn(Dialled) -> F,
    ) -> Result<T, GatewayError> {
        let addresses = &addresses[..addresses.len().min(ADDRESSES_MAX)];
        let share = CONNECT_BUDGET / addresses.len().max(1) as u32;
        let mut errors = Vec::new();
        for address in addresses {
            let made = match self.dial(*address, share, credentials).await {
                Ok(dialled) => then(dialled).await,
                Err(error) => Err(self.error(error)),
            };
            match made {
                Ok(made) => return Ok(made),
                Err(error) => errors.push((*address, error)),
            }
        }
        match <[_; 1]>::try_from(errors) {
            Ok([(_, only)]) => Err(only),
            Err(errors) => Err(self.no_edge(errors.iter().map(|(address, error)| (*address, error)))),
        }
    }

    /// One connection to this address, with `budget` for TCP.
    pub(crate) async fn dial(
        &self,
        address: IpAddr,
        budget: Duration,
        credentials: &Credentials,
    ) -> Result<Dialled, DialError> {
        #[cfg(feature = "simulation")]
        if let Some(host) = crate::simulated::host() {
            return dial::simulated(&host, SocketAddr::new(address, self.port), budget).await;
        }
        let silent = || io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {budget:?}"));
        let reached = timeout(budget, dial::tcp(SocketAddr::new(address, self.port), &self.sources)).await;
        let reached = reached.unwrap_or_else(|_| Err(silent())).map_err(DialError::Connect)?;
        let slow = || io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long");
        let secured = timeout(HANDSHAKE_BUDGET, dial::tls(reached, self.name.clone(), credentials)).await;
        let secured = secured.unwrap_or_else(|_| Err(slow())).map_err(DialError::Tls)?;
        dial::http(secured).await.map_err(DialError::Http)
    }

    /// What went wrong with each address.
    pub(crate) fn no_edge<E: fmt::Display>(&self, errors: impl Iterator<Item = (IpAddr, E)>) -> GatewayError {
        let problems: Vec<String> = errors.map(|(address, error)| format!("{address}: {error}")).collect();
        GatewayError::NoEdge { gateway: self.written.clone(), problems: problems.join("; ") }
    }

    fn error(&self, error: DialError) -> GatewayError {
        let gateway = self.written.clone();
        match error {
            DialError::Connect(problem) => GatewayError::Connect { gateway, problem },
            DialError::Tls(problem) => GatewayError::Tls { gateway, problem },
            DialError::Http(problem) => GatewayError::Http { gateway, problem },
        }
    }
}
