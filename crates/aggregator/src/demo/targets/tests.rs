#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ConnectionError, EndpointConfig, TokioRuntime};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{ServerName, UnixTime};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::*;
use crate::demo::blocks::Blocking;

const TARGET: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 78, 1));
const FRIEND: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 78, 2));
const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 78, 3));
/// Longer than any handshake takes, short enough to wait for what never comes.
const PATIENCE: Duration = Duration::from_millis(400);

#[tokio::test]
async fn those_who_pass_get_a_full_handshake_and_the_pinned_key() {
    let (target, _) = open().await;
    assert_eq!(tls(&target, FRIEND).await, Knock::Reached);
    assert_eq!(quic(&target, FRIEND).await, Knock::Reached);
}

#[tokio::test]
async fn silence_hangs_on_the_source_and_on_nothing_else() {
    let (target, blocks) = open().await;
    blocks.block(STRANGER, TARGET, Blocking::Silent);
    assert_eq!(tls(&target, STRANGER).await, Knock::Silence);
    assert_eq!(quic(&target, STRANGER).await, Knock::Silence);
    assert_eq!(tls(&target, FRIEND).await, Knock::Reached);
    assert_eq!(quic(&target, FRIEND).await, Knock::Reached);
    blocks.unblock(STRANGER, TARGET);
    assert_eq!(tls(&target, STRANGER).await, Knock::Reached);
    assert_eq!(quic(&target, STRANGER).await, Knock::Reached);
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let (target, blocks) = open().await;
    blocks.block(STRANGER, TARGET, Blocking::Reset);
    assert_eq!(tls(&target, STRANGER).await, Knock::Reset);
    assert_eq!(quic(&target, STRANGER).await, Knock::Refused);
}

#[tokio::test]
async fn a_stopped_service_refuses_and_comes_back_on_its_port() {
    let (mut target, _) = open().await;
    target.stop().await;
    assert_eq!(tls(&target, FRIEND).await, Knock::Refused);
    target.start().await.unwrap();
    assert_eq!(tls(&target, FRIEND).await, Knock::Reached);
    assert_eq!(quic(&target, FRIEND).await, Knock::Reached);
}

#[tokio::test]
async fn a_stranger_who_talks_nonsense_harms_nobody() {
    let (target, _) = open().await;
    let address = target.address;
    let heard = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
        stream.read_to_end(&mut Vec::new())
    });
    // An alert, a FIN or a reset: what matters is that the door stays open.
    let _ = heard.await.unwrap();
    assert_eq!(tls(&target, FRIEND).await, Knock::Reached);
}

#[derive(Debug, PartialEq)]
enum Knock {
    Reached,
    Silence,
    Reset,
    Refused,
    Odd(String),
}

async fn open() -> (Target, Blocks) {
    let blocks = Blocks::default();
    let port = common_port(&[TARGET]).unwrap();
    let identity = Identity::new("target.example").unwrap();
    let mut target = Target::new(SocketAddr::new(TARGET, port), identity, blocks.clone());
    target.start().await.unwrap();
    (target, blocks)
}

async fn tls(target: &Target, source: IpAddr) -> Knock {
    let config = TlsConnector::from(Arc::new(client(target, b"h2")));
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(source, 0)).unwrap();
    let knock = async {
        let stream = socket.connect(target.address).await?;
        let mut stream = config.connect(ServerName::try_from("target.example").unwrap(), stream).await?;
        // The other side sends session tickets and nothing more.
        let _ = timeout(Duration::from_millis(1), stream.read_u8()).await;
        Ok::<_, std::io::Error>(())
    };
    match timeout(PATIENCE, knock).await {
        Err(_) => Knock::Silence,
        Ok(Ok(())) => Knock::Reached,
        Ok(Err(error)) if error.kind() == ErrorKind::ConnectionReset => Knock::Reset,
        Ok(Err(error)) if error.kind() == ErrorKind::ConnectionRefused => Knock::Refused,
        Ok(Err(error)) => Knock::Odd(error.to_string()),
    }
}

async fn quic(target: &Target, source: IpAddr) -> Knock {
    let socket = std::net::UdpSocket::bind(SocketAddr::new(source, 0)).unwrap();
    let endpoint = quinn::Endpoint::new(EndpointConfig::default(), None, socket, Arc::new(TokioRuntime)).unwrap();
    let config = QuicClientConfig::try_from(client(target, b"h3")).unwrap();
    let config = quinn::ClientConfig::new(Arc::new(config));
    let connecting = endpoint.connect_with(config, target.address, "target.example").unwrap();
    match timeout(PATIENCE, connecting).await {
        Err(_) => Knock::Silence,
        Ok(Ok(_)) => Knock::Reached,
        Ok(Err(ConnectionError::ConnectionClosed(_))) => Knock::Refused,
        Ok(Err(error)) => Knock::Odd(error.to_string()),
    }
}

fn client(target: &Target, protocol: &[u8]) -> ClientConfig {
    let provider = Arc::new(default_provider());
    let verifier = Pinned { pin: target.identity().pin.clone(), provider: provider.clone() };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    config
}

/// Checks the key's hash as the inventory pins it, read off the certificate by somebody else's parser.
#[derive(Debug)]
struct Pinned {
    pin: String,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let (_, certificate) = X509Certificate::from_der(end_entity).unwrap();
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate.public_key().raw);
        let found: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        if found == self.pin { Ok(ServerCertVerified::assertion()) } else { Err(Error::General("wrong key".into())) }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
