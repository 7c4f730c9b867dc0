//! What a demo server's clients would dial: a TLS and a QUIC listener on one port of its own address, as a VPN server has
//! them on 443. Each asks the [`Blocks`] about the source of every connection.
//!
//! A shop with two doors and one key: both show the same certificate, which is made at start and pinned in the inventory.

mod quic;
#[cfg(test)]
mod tests;
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair, PublicKeyData as _};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::blocks::Blocks;

/// Connections that one listener holds at a time. An agent knocks on one door at a time, so this is many times what eight
/// agents need; whoever else finds the port is turned away beyond it.
const HELD_MAX: usize = 128;
/// The longest that a connection is held, spoken to or not: twice the longest probe budget.
const HELD_FOR: Duration = Duration::from_secs(30);
/// How often a port that is still being given back by the system is asked for.
const PORT_PATIENCE: Duration = Duration::from_millis(20);
/// How often it is asked for before the service is said not to come back.
const PORT_ATTEMPTS: u32 = 250;

/// A server's certificate and key, and the hash that the inventory pins.
#[derive(Debug)]
pub struct Identity {
    /// SHA-256 of the certificate's public key, in hex.
    pub pin: String,
    tls: Arc<ServerConfig>,
    quic: quinn::ServerConfig,
}

/// Why a server cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The certificate.
    #[error("the certificate of {name} cannot be made: {source}")]
    Certificate {
        /// Whose.
        name: String,
        /// What was wrong.
        source: rcgen::Error,
    },
    /// Its use.
    #[error("the certificate of {name} cannot be used: {problem}")]
    Unusable {
        /// Whose.
        name: String,
        /// What was wrong.
        problem: String,
    },
}

impl Identity {
    /// Makes a key and a certificate for it.
    pub fn new(name: &str) -> Result<Self, IdentityError> {
        let refused = |source| IdentityError::Certificate { name: name.to_owned(), source };
        let key = KeyPair::generate().map_err(refused)?;
        let certificate =
            CertificateParams::new([name.to_owned()]).and_then(|params| params.self_signed(&key)).map_err(refused)?;
        let digest = ring::digest::digest(&ring::digest::SHA256, &key.subject_public_key_info());
        let pin = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let unusable = |problem: String| IdentityError::Unusable { name: name.to_owned(), problem };
        let config = |protocols: &[&str]| -> Result<ServerConfig, rustls::Error> {
            let chain = vec![CertificateDer::from(certificate.der().to_vec())];
            let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
            let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
                .with_safe_default_protocol_versions()?
                .with_no_client_auth()
                .with_single_cert(chain, key)?;
            config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
            Ok(config)
        };
        let tls = config(&["h2", "http/1.1"]).map_err(|error| unusable(error.to_string()))?;
        let quic = config(&["h3"]).map_err(|error| unusable(error.to_string()))?;
        let quic = quinn::crypto::rustls::QuicServerConfig::try_from(quic);
        let quic = quinn::ServerConfig::with_crypto(Arc::new(quic.map_err(|error| unusable(error.to_string()))?));
        Ok(Self { pin, tls: Arc::new(tls), quic })
    }
}

/// One server's two listeners.
pub struct Target {
    address: SocketAddr,
    identity: Identity,
    blocks: Blocks,
    open: Option<Open>,
}

/// The listeners while the service runs.
struct Open {
    stop: CancellationToken,
    doors: JoinSet<()>,
}

impl Target {
    /// A service that is not running yet.
    pub fn new(address: SocketAddr, identity: Identity, blocks: Blocks) -> Self {
        Self { address, identity, blocks, open: None }
    }

    /// What the certificate says and proves.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts to listen. Returns once both doors are open; a running service is left as it is.
    pub async fn start(&mut self) -> io::Result<()> {
        if self.open.is_some() {
            return Ok(());
        }
        let tcp = patiently(|| tls::listen(self.address)).await?;
        let udp = patiently(|| std::net::UdpSocket::bind(self.address)).await?;
        let endpoint = quic::listen(udp, self.identity.quic.clone())?;
        let stop = CancellationToken::new();
        let mut doors = JoinSet::new();
        doors.spawn(tls::serve(tcp, self.identity.tls.clone(), self.blocks.clone(), stop.clone()));
        doors.spawn(quic::serve(endpoint, self.address.ip(), self.blocks.clone(), stop.clone()));
        self.open = Some(Open { stop, doors });
        Ok(())
    }

    /// Closes both doors. Returns once nothing listens: a knock is refused from here on.
    pub async fn stop(&mut self) {
        if let Some(Open { stop, doors }) = self.open.take() {
            stop.cancel();
            doors.join_all().await;
        }
    }
}

/// A port that every one of `addresses` has free, for TCP and UDP alike.
pub fn common_port(addresses: &[IpAddr]) -> io::Result<u16> {
    const ATTEMPTS: u32 = 64;
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    let Some(first) = addresses.first() else { return Err(last) };
    for _ in 0..ATTEMPTS {
        let offered = std::net::TcpListener::bind(SocketAddr::new(*first, 0))?;
        let port = offered.local_addr()?.port();
        drop(offered);
        let taken = addresses.iter().map(|address| SocketAddr::new(*address, port)).find_map(|address| {
            let tcp = std::net::TcpListener::bind(address).err();
            tcp.or_else(|| std::net::UdpSocket::bind(address).err())
        });
        match taken {
            None => return Ok(port),
            Some(error) => last = error,
        }
    }
    Err(last)
}

/// Binds a port that a listener of ours has only just given up.
async fn patiently<T>(mut bind: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut attempts = 1;
    loop {
        match bind() {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && attempts < PORT_ATTEMPTS => {
                attempts += 1;
                tokio::time::sleep(PORT_PATIENCE).await;
            }
            bound => return bound,
        }
    }
}
