//! What the gateway's names lead to, asked as agents ask: through the system's resolver.
//!
//! A direct query would ask somebody whom no agent asks. An address of this machine itself, as hosts files have it for the
//! own name, says nothing of what agents see, unless an edge is declared there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use quorate_core::edge_watch::Answer;
use rustls_pki_types::ServerName;
use tokio::time::timeout;

use crate::inventory::Edges;

/// Longest wait for the resolver, as long as agents wait. Its own default is to give a silent server up after 5 s and to ask
/// the next.
const RESOLVE_MAX: Duration = Duration::from_secs(10);

/// Most addresses that are watched, as many as there may be edges.
const WATCHED_MAX: usize = 64;

type Found = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Who is asked for a name's addresses: the system's resolver, except in tests.
#[derive(Clone)]
pub struct Resolver(Arc<dyn Fn(String, u16) -> Found + Send + Sync>);

impl Default for Resolver {
    fn default() -> Self {
        Self::new(|host, port| async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}

impl Resolver {
    /// A resolver that answers as `ask` does, for host and port.
    pub fn new<F>(ask: impl Fn(String, u16) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'static,
    {
        Self(Arc::new(move |host, port| Box::pin(ask(host, port))))
    }

    /// The addresses of a name, IPv4 in the guise of IPv6 as IPv4.
    pub async fn ask(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let asked = timeout(RESOLVE_MAX, (self.0)(host.to_owned(), port));
        let found =
            asked.await.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"))??;
        Ok(found.into_iter().map(|at| SocketAddr::new(at.ip().to_canonical(), at.port())).collect())
    }
}

/// A name that agents dial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// Host name or address.
    pub host: String,
    /// The gateway's own port, if the name has none.
    pub port: u16,
}

impl Dialled {
    fn is_name(&self) -> bool {
        self.host.parse::<IpAddr>().is_err()
    }
}

impl fmt::Display for Dialled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// What the resolver says of all names together, and under which name each address is dialled.
pub async fn resolve(
    resolver: &Resolver,
    names: &[Dialled],
    edges: &Edges,
) -> (Answer, BTreeMap<SocketAddr, ServerName<'static>>) {
    let asked: Vec<&Dialled> = names.iter().filter(|name| name.is_name()).collect();
    if asked.is_empty() {
        return (Answer::NoName, BTreeMap::new());
    }
    let answers = join_all(asked.iter().map(|name| resolver.ask(&name.host, name.port))).await;
    let mut dialled = BTreeMap::new();
    let mut is_itself = false;
    for (name, answer) in asked.into_iter().zip(answers) {
        // The certificate was made for it.
        let Ok(server_name) = ServerName::try_from(name.host.clone()) else { continue };
        for at in answer.unwrap_or_default() {
            if at.ip().is_loopback() && edges.of(at.ip()).is_none() {
                is_itself = true;
            } else if dialled.len() < WATCHED_MAX {
                dialled.entry(at).or_insert_with(|| server_name.clone());
            }
        }
    }
    let answer = if !dialled.is_empty() {
        Answer::Addresses(dialled.keys().copied().collect::<BTreeSet<_>>())
    } else if is_itself {
        Answer::Itself
    } else {
        Answer::Nothing
    };
    (answer, dialled)
}
