//! Peers on loopback that behave as the tests need: real sockets, real TLS and QUIC, certificates made on the spot.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use quorate_core::probe::{Probe, ProbeKind};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, PublicKeyData as _};
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;

use super::{Knocker, OwnAddresses};
use crate::limits::AddressLimits;

pub(crate) const NAME: &str = "peer.test";

/// An authority and one server's certificate.
pub(crate) struct Credentials {
    pub(crate) roots: Arc<RootCertStore>,
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
    pub(crate) spki: [u8; 32],
}

impl Credentials {
    pub(crate) fn new() -> Self {
        Self::lasting(2000, 2200)
    }

    pub(crate) fn expired() -> Self {
        Self::lasting(2000, 2001)
    }

    fn lasting(from_year: i32, to_year: i32) -> Self {
        let authority_key = KeyPair::generate().unwrap();
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_certificate = authority.self_signed(&authority_key).unwrap();
        let issuer = Issuer::new(authority, authority_key);
        let key = KeyPair::generate().unwrap();
        let mut leaf = CertificateParams::new([NAME.to_owned(), "127.0.0.1".to_owned()]).unwrap();
        leaf.not_before = rcgen::date_time_ymd(from_year, 1, 1);
        leaf.not_after = rcgen::date_time_ymd(to_year, 1, 1);
        let certificate = leaf.signed_by(&key, &issuer).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(authority_certificate.der().clone()).unwrap();
        Self {
            roots: Arc::new(roots),
            chain: vec![certificate.der().clone(), authority_certificate.der().clone()],
            spki: crate::files::sha256(&key.subject_public_key_info()),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        }
    }

    pub(crate) fn server_config(&self, alpn: &[&str]) -> ServerConfig {
        let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .unwrap();
        config.alpn_protocols = alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect();
        config
    }
}

/// What a TCP peer does with a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Manner {
    /// Accepts and never says a word.
    Silent,
    /// Reads the ClientHello and resets.
    ResetAfterHello,
    /// Reads the ClientHello and closes.
    CloseAfterHello,
    /// Speaks plain HTTP where TLS is expected.
    PlainHttp,
    /// Completes TLS and waits for the goodbye.
    Tls,
    /// Answers one HTTP/1.1 request with a page of so many bytes, then stops in the middle after as many as given.
    Page { bytes: usize, freeze_after: Option<usize> },
    /// Answers HTTP/2 with a page of so many bytes.
    Http2Page { bytes: usize },
    /// Answers with no HTTP.
    Gibberish,
}

/// A TCP peer. It is gone when dropped.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) roots: Arc<RootCertStore>,
    pub(crate) spki: [u8; 32],
    open: Arc<AtomicUsize>,
    _task: AbortOnDropHandle<()>,
}

impl Peer {
    /// Waits until somebody is connected.
    pub(crate) async fn is_knocked_at(&self) {
        while self.open.load(SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    pub(crate) async fn start(manner: Manner) -> Self {
        Self::start_with(manner, &Credentials::new()).await
    }

    pub(crate) async fn start_with(manner: Manner, credentials: &Credentials) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let alpn: &[&str] = match manner {
            Manner::Http2Page { .. } => &["h2"],
            _ => &["http/1.1"],
        };
        let acceptor = TlsAcceptor::from(Arc::new(credentials.server_config(alpn)));
        let open = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&open);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, open) = (acceptor.clone(), Arc::clone(&counted));
                open.fetch_add(1, SeqCst);
                tokio::spawn(async move {
                    let _ = serve(manner, stream, acceptor).await;
                    open.fetch_sub(1, SeqCst);
                });
            }
        });
        Self {
            address,
            roots: Arc::clone(&credentials.roots),
            spki: credentials.spki,
            open,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// A probe of this peer.
    pub(crate) fn probe(&self, kind: ProbeKind) -> Probe {
        probe(kind, self.address)
    }

    pub(crate) fn knocker(&self, speed: u32) -> Knocker {
        knocker(&self.roots, speed)
    }

    /// Waits until every connection was closed by the other side.
    pub(crate) async fn is_left_alone(&self) -> bool {
        let left = async {
            while self.open.load(SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), left).await.is_ok()
    }
}

pub(crate) fn probe(kind: ProbeKind, address: SocketAddr) -> Probe {
    Probe { sni: Some(NAME.to_owned()), ..Probe::new(kind, address.ip().to_string(), address.port()) }
}

pub(crate) fn knocker(roots: &Arc<RootCertStore>, speed: u32) -> Knocker {
    Knocker {
        sources: vec![IpAddr::from([127, 0, 0, 7])],
        addresses: AddressLimits::NONE,
        own: OwnAddresses::Refused,
        roots: Arc::clone(roots),
        speed,
        clock_offset_ms: None,
    }
}

async fn serve(manner: Manner, mut stream: TcpStream, acceptor: TlsAcceptor) -> std::io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    match manner {
        Manner::Silent => while stream.read(&mut buffer).await? > 0 {},
        Manner::ResetAfterHello => {
            let _ = stream.read(&mut buffer).await?;
            socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
        }
        Manner::CloseAfterHello => {
            let _ = stream.read(&mut buffer).await?;
        }
        Manner::PlainHttp => {
            let _ = stream.read(&mut buffer).await?;
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await?;
        }
        Manner::Tls => {
            let mut tls = acceptor.accept(stream).await?;
            while tls.read(&mut buffer).await? > 0 {}
            tls.shutdown().await?;
        }
        Manner::Page { bytes, freeze_after } => {
            let mut tls = acceptor.accept(stream).await?;
            let _ = tls.read(&mut buffer).await?;
            tls.write_all(format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n").as_bytes()).await?;
            tls.write_all(&vec![b'x'; freeze_after.unwrap_or(bytes)]).await?;
            tls.flush().await?;
            while tls.read(&mut buffer).await? > 0 {}
            tls.shutdown().await?;
        }
        Manner::Http2Page { bytes } => {
            let tls = acceptor.accept(stream).await?;
            let page = hyper::service::service_fn(move |_| async move {
                Ok::<_, Infallible>(hyper::Response::new(Full::new(Bytes::from(vec![b'x'; bytes]))))
            });
            let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            let _ = server.serve_connection(TokioIo::new(tls), page).await;
        }
        Manner::Gibberish => {
            let mut tls = acceptor.accept(stream).await?;
            let _ = tls.read(&mut buffer).await?;
            tls.write_all(b"SSH-2.0-OpenSSH_9.6\r\n\r\n").await?;
            while tls.read(&mut buffer).await? > 0 {}
        }
    }
    Ok(())
}

/// What a QUIC peer does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum QuicManner {
    /// Completes the handshake.
    Handshake,
    /// Refuses every connection.
    Refuse,
    /// Answers HTTP/3 with this status.
    Http3 { status: u16 },
}

/// A QUIC peer. It is gone when dropped.
pub(crate) struct QuicPeer {
    pub(crate) address: SocketAddr,
    pub(crate) roots: Arc<RootCertStore>,
    endpoint: quinn::Endpoint,
    _task: AbortOnDropHandle<()>,
}

impl QuicPeer {
    pub(crate) fn start(manner: QuicManner, credentials: &Credentials) -> Self {
        let config = credentials.server_config(&["h3"]);
        let config = quinn::crypto::rustls::QuicServerConfig::try_from(config).unwrap();
        let config = quinn::ServerConfig::with_crypto(Arc::new(config));
        let endpoint = quinn::Endpoint::server(config, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let address = endpoint.local_addr().unwrap();
        let accepting = endpoint.clone();
        let task = tokio::spawn(async move {
            while let Some(incoming) = accepting.accept().await {
                match manner {
                    QuicManner::Refuse => incoming.refuse(),
                    QuicManner::Handshake => {
                        tokio::spawn(async move {
                            if let Ok(connection) = incoming.await {
                                connection.closed().await;
                            }
                        });
                    }
                    QuicManner::Http3 { status } => {
                        tokio::spawn(async move { http3(incoming, status).await });
                    }
                }
            }
        });
        Self { address, roots: Arc::clone(&credentials.roots), endpoint, _task: AbortOnDropHandle::new(task) }
    }

    /// Waits until every connection was closed.
    pub(crate) async fn is_left_alone(&self) -> bool {
        let left = async {
            while self.endpoint.open_connections() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), left).await.is_ok()
    }
}

async fn http3(incoming: quinn::Incoming, status: u16) -> Option<()> {
    let connection = h3_quinn::Connection::new(incoming.await.ok()?);
    let mut server: h3::server::Connection<_, Bytes> = h3::server::Connection::new(connection).await.ok()?;
    while let Ok(Some(resolver)) = server.accept().await {
        let (_, mut stream) = resolver.resolve_request().await.ok()?;
        let answer = http::Response::builder().status(status).body(()).unwrap();
        stream.send_response(answer).await.ok()?;
        stream.finish().await.ok()?;
    }
    Some(())
}

/// A UDP port that takes everything and says nothing.
pub(crate) async fn silent_udp() -> (SocketAddr, UdpSocket) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    (socket.local_addr().unwrap(), socket)
}

/// A TCP and UDP port on which nothing listens: it was free a moment ago.
pub(crate) async fn closed_port() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    listener.local_addr().unwrap()
}
