//! Where the addresses of a name come from: the system's resolver, which is what real traffic uses. A query of our own to a
//! name server could differ from it, or fail where the machine's resolver points at itself.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

/// Longest wait for the resolver. Its own default is to give a silent server up after 5 s and to ask the next.
const RESOLVE_BUDGET: Duration = Duration::from_secs(10);
/// Most addresses of a name that are looked at; whoever dials them or chooses from them takes fewer.
const RESOLVED_MAX: usize = 256;

type Answer = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves names; clones share what they ask.
#[derive(Clone)]
pub(crate) struct Resolver(Arc<dyn Fn(String) -> Answer + Send + Sync>);

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}

impl Resolver {
    /// The one that every program on this machine uses.
    pub(crate) fn system() -> Self {
        Self::new(|host| async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }

    /// Another source of addresses, for tests.
    pub(crate) fn new<F, A>(ask: F) -> Self
    where
        F: Fn(String) -> A + Send + Sync + 'static,
        A: Future<Output = io::Result<Vec<IpAddr>>> + Send + 'static,
    {
        Self(Arc::new(move |host| Box::pin(ask(host))))
    }

    /// The addresses of `host`, each once, in the order in which they came; never none.
    pub(crate) async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let asked = timeout(RESOLVE_BUDGET, (self.0)(host.to_owned())).await;
        let found = asked.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"))??;
        let addresses = each_once(&found);
        if addresses.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        Ok(addresses)
    }
}

/// A mapped address is the IPv4 address that it maps.
fn each_once(found: &[IpAddr]) -> Vec<IpAddr> {
    let mut seen = BTreeSet::new();
    let canonical = found.iter().map(IpAddr::to_canonical);
    canonical.filter(|address| seen.insert(*address)).take(RESOLVED_MAX).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]
mod tests {
    use super::each_once;

    #[test]
    fn an_address_counts_once_and_in_the_order_in_which_it_came() {
        let found = ["2001:db8::1", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2", "2001:db8::1"];
        let addresses = each_once(&found.map(|text| text.parse().unwrap()));
        let text: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        assert_eq!(text, ["2001:db8::1", "192.0.2.1", "192.0.2.2"]);
    }
}
