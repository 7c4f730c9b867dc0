//! The way to the gateway: TCP, TLS 1.3, HTTP/2, one connection that is used up by one session.
//!
//! A name and a telephone: the name may have several numbers, and each call is to one of them. Nothing is shared between
//! two connections and nothing reconnects by itself: which address to call, and when to try again, is for others to decide.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::time::timeout;

use crate::limits::host_port;

use self::dial::Reached;

mod dial;
mod greet;
mod resolver;

pub(crate) use self::dial::{DialError, Dialled, Times};
pub(crate) use self::greet::{Answer, Opened, greet, words};
pub(crate) use self::resolver::Resolver;

/// For TCP, over all addresses together, and for TLS: the gateway gives a handshake 10 s.
const CONNECT_BUDGET: Duration = Duration::from_secs(10);

/// Why the gateway was not reached.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The name in the configuration.
    #[error("gateway '{0}' is no host:port, like panel.example.org:9443")]
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

    /// Whether the configuration has an address in the place of a name: then there is nothing to choose from.
    pub(crate) fn is_literal(&self) -> bool {
        self.host.parse::<IpAddr>().is_ok()
    }

    /// All addresses of the name, each once, in the order in which the system would try them.
    pub(crate) async fn addresses(&self) -> Result<Vec<SocketAddr>, GatewayError> {
        self.resolver
            .resolve(&self.host, self.port)
            .await
            .map_err(|problem| GatewayError::Resolve { gateway: self.written.clone(), problem })
    }

    /// One connection to whichever address answers, as any client would make it: the addresses in turn, the budget divided
    /// among them.
    pub(crate) async fn connect(&self, config: &Arc<ClientConfig>) -> Result<Dialled, GatewayError> {
        let addresses = self.addresses().await?;
        let share = CONNECT_BUDGET / addresses.len().max(1) as u32;
        let mut last = DialError::Connect(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        for address in addresses {
            match self.reach(address, share).await {
                Ok(reached) => {
                    return self.secure(reached, config).await.map_err(|error| self.error(error.at(address)));
                }
                Err(error) => last = error.at(address),
            }
        }
        Err(self.error(last))
    }

    /// One connection to this address.
    pub(crate) async fn dial(&self, address: SocketAddr, config: &Arc<ClientConfig>) -> Result<Dialled, DialError> {
        let reached = self.reach(address, CONNECT_BUDGET).await?;
        self.secure(reached, config).await
    }

    async fn reach(&self, address: SocketAddr, budget: Duration) -> Result<Reached, DialError> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {budget:?}"));
        let reached = timeout(budget, dial::tcp(address, &self.sources)).await;
        reached.unwrap_or_else(|_| Err(late())).map_err(DialError::Connect)
    }

    async fn secure(&self, reached: Reached, config: &Arc<ClientConfig>) -> Result<Dialled, DialError> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, "the handshake took too long");
        let secured = timeout(CONNECT_BUDGET, dial::tls(reached, self.name.clone(), config)).await;
        let secured = secured.unwrap_or_else(|_| Err(late())).map_err(DialError::Tls)?;
        dial::http(secured).await.map_err(DialError::Http)
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
