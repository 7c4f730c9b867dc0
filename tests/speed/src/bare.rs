//! The least that a knock can be: a loop that does the handshake and nothing else, with the same library, the same cipher
//! suites and the same proof as the agent, and everything that can be made once made once.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use nix::unistd::getpid;
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{Endpoint, EndpointConfig, TokioRuntime, VarInt};
use quorate_tests::clock::cpu_of;
use ring::digest::{SHA256, digest};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

use crate::kind::Kind;
use crate::peers::NAME;

/// Runs the loop and says what each turn used of this process's time. As many turns as a tenth go before, unmeasured.
pub fn run(kind: &str, address: &str, certificate: &str, count: &str) -> Duration {
    let (address, count): (SocketAddr, u32) = (address.parse().unwrap(), count.parse().unwrap());
    match Kind::of(kind) {
        Kind::Tcp => measured(count, || drop(TcpStream::connect(address).unwrap())),
        Kind::Tls => {
            let config = Arc::new(config(certificate, &["h2", "http/1.1"]));
            measured(count, || tls(address, &config))
        }
        Kind::Quic => {
            let config = Arc::new(QuicClientConfig::try_from(config(certificate, &["h3"])).unwrap());
            let config = quinn::ClientConfig::new(config);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let endpoint = {
                let _context = runtime.enter();
                let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
                Endpoint::new(EndpointConfig::default(), None, socket, Arc::new(TokioRuntime)).unwrap()
            };
            measured(count, || runtime.block_on(quic(&endpoint, address, &config)))
        }
    }
}

fn measured(count: u32, mut turn: impl FnMut()) -> Duration {
    (0..count / 10).for_each(|_| turn());
    let before = cpu_of(getpid());
    (0..count).for_each(|_| turn());
    cpu_of(getpid()).saturating_sub(before) / count
}

fn tls(address: SocketAddr, config: &Arc<ClientConfig>) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut session = ClientConnection::new(Arc::clone(config), ServerName::try_from(NAME).unwrap()).unwrap();
    while session.is_handshaking() {
        session.complete_io(&mut stream).unwrap();
    }
    session.send_close_notify();
    session.write_tls(&mut stream).unwrap();
    stream.flush().unwrap();
}

async fn quic(endpoint: &Endpoint, address: SocketAddr, config: &quinn::ClientConfig) {
    let connection = endpoint.connect_with(config.clone(), address, NAME).unwrap().await.unwrap();
    connection.close(VarInt::from_u32(0), b"");
    drop(connection);
    endpoint.wait_idle().await;
}

fn config(certificate: &str, alpn: &[&str]) -> ClientConfig {
    let provider = Arc::new(default_provider());
    let verifier = Arc::new(Pinned { certificate: certificate.to_owned(), provider: Arc::clone(&provider) });
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = config.with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = alpn.iter().map(|alpn| alpn.as_bytes().to_vec()).collect();
    config
}

/// Takes one certificate and no other, and has its key proven.
#[derive(Debug)]
struct Pinned {
    certificate: String,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let hash: String = digest(&SHA256, leaf).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        if hash == self.certificate {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, leaf, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, leaf, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
