//! What a public name shows to anybody who connects: the names in its certificate, and its first page.
//!
//! Whoever answers is listened to, whatever certificate he has: nothing secret is said, and what the public sees is the
//! question.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

/// For each step, like a browser's reader who is not very patient.
const STEP_MAX: Duration = Duration::from_secs(5);

/// As much of a page as is read: an address that stands behind this is behind much else.
const PAGE_BYTES_MAX: u64 = 256 * 1024;

/// What was shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    /// Names and addresses in the certificate.
    pub(super) names: Vec<String>,
    /// Headers and body.
    pub(super) page: String,
}

/// Asks `name` at `at` for `path` over HTTPS.
pub(super) async fn shown(at: SocketAddr, name: &str, path: &str) -> io::Result<Shown> {
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    let server_name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
    let stream = timeout(STEP_MAX, TcpStream::connect(at)).await.map_err(late)??;
    let connector = TlsConnector::from(listening_to_anybody());
    let mut stream = timeout(STEP_MAX, connector.connect(server_name, stream)).await.map_err(late)??;
    let names =
        stream.get_ref().1.peer_certificates().and_then(|chain| chain.first()).map(names_in).unwrap_or_default();
    let asked = format!("GET {path} HTTP/1.1\r\nHost: {name}\r\nUser-Agent: quorate\r\nConnection: close\r\n\r\n");
    let mut page = Vec::new();
    let read = timeout(STEP_MAX, async {
        stream.write_all(asked.as_bytes()).await?;
        (&mut stream).take(PAGE_BYTES_MAX).read_to_end(&mut page).await
    });
    // What came is what was shown, whether or not it was all.
    let _ = read.await;
    Ok(Shown { names, page: String::from_utf8_lossy(&page).into_owned() })
}

/// The names and addresses that a certificate is for.
pub(super) fn names_in(certificate: &CertificateDer<'_>) -> Vec<String> {
    let Ok((_, parsed)) = parse_x509_certificate(certificate) else { return Vec::new() };
    let Ok(Some(names)) = parsed.subject_alternative_name() else { return Vec::new() };
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match bytes.len() {
            4 => <[u8; 4]>::try_from(*bytes).ok().map(|bytes| IpAddr::from(bytes).to_string()),
            _ => <[u8; 16]>::try_from(*bytes).ok().map(|bytes| IpAddr::from(bytes).to_string()),
        },
        _ => None,
    };
    names.value.general_names.iter().filter_map(name).collect()
}

fn listening_to_anybody() -> Arc<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("ring has the suites of TLS 1.2 and 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, leaf, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, leaf, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
