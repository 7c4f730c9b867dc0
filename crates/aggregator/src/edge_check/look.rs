//! Goes and sees: knocks on edges and origins, asks the resolver both ways, reads what the public reads.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use quorate_core::edge::PROBE_BUDGET;
use quorate_core::edge_watch::Knock;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::process::Command;
use tokio::time::timeout;

use super::certificate::{names_in, shown};
use super::{EdgeSeen, NameSeen, OriginSeen, Seen, TextSeen};
use crate::edge_watch::{Dialled, Knocked, Resolver, Trust, knock, pin_of};

/// Where people's browsers go.
const HTTPS: u16 = 443;

/// Pages of a public name that are read: what anybody gets who opens it, and the API's description, if that is there.
const PAGES: [&str; 2] = ["/", "/api/v1/openapi.json"];

/// Longest wait for a reverse look-up.
const REVERSE_MAX: Duration = Duration::from_secs(5);

/// Who looks, and for what.
#[derive(Debug)]
pub struct Looker {
    /// What agents dial.
    pub gateway: Dialled,
    /// Edges to try though DNS may not have them yet; those that it has, if there are none.
    pub edges: Vec<SocketAddr>,
    /// The gateway's own addresses.
    pub origins: Vec<SocketAddr>,
    /// Names that the public knows.
    pub public: Vec<String>,
    /// Whom to take for the gateway.
    pub trust: Trust,
    /// Whom to ask.
    pub resolver: Resolver,
}

/// Why nothing can be seen from here.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// The name is none.
    #[error("'{0}' is no host name: give the one that agents dial, like watch.example.org:8443")]
    Name(String),
    /// No addresses.
    #[error("{name} has no address here ({problem}): give --gateway the name that agents dial, and see to its records")]
    Unresolved {
        /// Which name.
        name: String,
        /// What the resolver said.
        problem: String,
    },
    /// Own addresses.
    #[error("{0} is an address of this machine: run this on a third host, which is neither edge nor gateway")]
    OwnAddress(IpAddr),
}

impl Looker {
    /// Everything that can be seen from here; it takes a few seconds, however much hangs.
    pub async fn look(&self) -> Result<Seen, LookError> {
        let gateway = self.gateway.to_string();
        let name = ServerName::try_from(self.gateway.host.clone()).map_err(|_| LookError::Name(gateway.clone()))?;
        let addresses = self.edges().await?;
        let all = addresses.iter().chain(&self.origins).map(SocketAddr::ip);
        if let Some(own) = all.into_iter().find(|ip| is_own(*ip)) {
            return Err(LookError::OwnAddress(own));
        }

        let config = self.trust.handshake();
        let try_at = |at: SocketAddr| try_twice(at, name.clone(), Arc::clone(&config));
        let (edges, origins) = tokio::join!(
            join_all(addresses.iter().map(|at| try_at(*at))),
            join_all(self.origins.iter().map(|at| try_at(*at))),
        );
        let mut seen = Seen {
            gateway,
            expected_authority: match self.trust {
                Trust::Pinned(pin) => Some(pin),
                Trust::OnSight => None,
            },
            ..Seen::default()
        };
        if !self.edges.is_empty() {
            seen.unseen.push(format!("Where {} leads was not asked: the edges to try were named.", self.gateway.host));
        }
        let mut in_certificates = BTreeSet::new();
        for (at, Knocked { knock, chain }) in addresses.into_iter().zip(edges) {
            let authority = chain.iter().skip(1).find_map(pin_of);
            in_certificates.extend(chain.first().map(names_in).unwrap_or_default());
            seen.edges.push(EdgeSeen { at, knock, authority });
        }
        let origins = self.origins.iter().zip(origins);
        seen.origins = origins.map(|(at, Knocked { knock, .. })| OriginSeen { at: *at, knock }).collect();
        in_certificates.remove(&self.gateway.host);
        self.look_up(&in_certificates, "is in the gateway's certificate, which every edge shows,", &mut seen).await;
        self.read_public(&mut seen).await;
        self.look_back(&mut seen).await;
        Ok(seen)
    }

    async fn edges(&self) -> Result<BTreeSet<SocketAddr>, LookError> {
        if !self.edges.is_empty() {
            return Ok(self.edges.iter().copied().collect());
        }
        let unresolved = |problem: String| LookError::Unresolved { name: self.gateway.host.clone(), problem };
        let found = self.resolver.ask(&self.gateway.host, self.gateway.port).await;
        let found = found.map_err(|error| unresolved(error.to_string()))?;
        if found.is_empty() {
            Err(unresolved("the answer is empty".to_owned()))
        } else {
            Ok(found.into_iter().collect())
        }
    }

    /// Where names lead. One that leads nowhere is no finding: nobody follows it.
    async fn look_up(&self, names: &BTreeSet<String>, known_as: &str, seen: &mut Seen) {
        for name in names {
            let addresses = match name.parse::<IpAddr>() {
                Ok(ip) => BTreeSet::from([ip]),
                Err(_) => self.addresses_of(name).await.unwrap_or_default(),
            };
            seen.names.push(NameSeen { name: name.clone(), known_as: known_as.to_owned(), addresses });
        }
    }

    async fn addresses_of(&self, name: &str) -> std::io::Result<BTreeSet<IpAddr>> {
        Ok(self.resolver.ask(name, HTTPS).await?.into_iter().map(|at| at.ip()).collect())
    }

    async fn read_public(&self, seen: &mut Seen) {
        for name in &self.public {
            let addresses = match self.addresses_of(name).await {
                Ok(addresses) => addresses,
                Err(error) => {
                    seen.unseen.push(format!("{name} was not looked at: it has no address here ({error})."));
                    continue;
                }
            };
            let first = addresses.first().copied();
            seen.names.push(NameSeen { name: name.clone(), known_as: "is public".to_owned(), addresses });
            let Some(at) = first.map(|ip| SocketAddr::new(ip, HTTPS)) else { continue };
            let mut in_certificate = BTreeSet::new();
            for path in PAGES {
                match shown(at, name, path).await {
                    Ok(page) => {
                        in_certificate.extend(page.names);
                        seen.texts.push(TextSeen { of: format!("https://{name}{path}"), text: page.page });
                    }
                    Err(error) => {
                        seen.unseen.push(format!("https://{name}{path} was not read ({error})."));
                        break;
                    }
                }
            }
            in_certificate.remove(name);
            self.look_up(&in_certificate, &format!("is in the certificate of {name}"), seen).await;
        }
    }

    /// Names that reverse DNS gives the origins. A hoster's generic name tells nothing; one of the operator's own domain
    /// tells whose machine it is to everybody who walks through the address space.
    async fn look_back(&self, seen: &mut Seen) {
        let known: Vec<&str> = self.public.iter().map(String::as_str).chain([&*self.gateway.host]).collect();
        let ips: BTreeSet<IpAddr> = self.origins.iter().map(SocketAddr::ip).collect();
        for ip in ips {
            match reverse(ip).await {
                Some(names) => {
                    for name in names.into_iter().filter(|name| known.iter().any(|known| is_related(name, known))) {
                        let known_as = format!("is what reverse DNS calls {ip}, under a domain of yours,");
                        seen.names.push(NameSeen { name, known_as, addresses: BTreeSet::from([ip]) });
                    }
                }
                None => {
                    seen.unseen.push(format!("Reverse DNS of {ip} was not looked at: the resolver gives none here."));
                }
            }
        }
    }
}

/// One failure means nothing; two in a row are seen.
async fn try_twice(at: SocketAddr, name: ServerName<'static>, config: Arc<ClientConfig>) -> Knocked {
    let first = knock(at, name.clone(), Arc::clone(&config), PROBE_BUDGET).await;
    match first.knock {
        Knock::Through { .. } | Knock::Untold(_) => first,
        Knock::Nobody { .. } | Knock::Foreign { .. } | Knock::Unreachable(_) => {
            knock(at, name, config, PROBE_BUDGET).await
        }
    }
}

/// Whether it is an address of this machine. Loopback is everybody's, and nobody's public address.
fn is_own(ip: IpAddr) -> bool {
    !ip.is_loopback() && UdpSocket::bind((ip, 0)).is_ok()
}

/// What the system's resolver calls an address; none if it cannot be asked or knows no name.
async fn reverse(ip: IpAddr) -> Option<Vec<String>> {
    let asked = Command::new("getent").arg("hosts").arg(ip.to_string()).kill_on_drop(true).output();
    let answer = timeout(REVERSE_MAX, asked).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let names: Vec<String> = text.split_whitespace().skip(1).map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

/// Whether two names end in the same two labels. Under suffixes of two labels, as co.uk, that is said too often.
pub(super) fn is_related(name: &str, known: &str) -> bool {
    let domain = |name: &str| {
        let mut labels = name.trim_end_matches('.').rsplit('.').map(str::to_ascii_lowercase);
        Some((labels.next()?, labels.next()?))
    };
    domain(name).is_some_and(|own| domain(known) == Some(own))
}
