//! Whether the one who answers a handshake is the gateway: by its authority's key, as an enrolling agent checks it.
//!
//! The gateway shows its authority's certificate beside its own. Whoever knows the hash of the authority's key trusts that
//! one alone; whoever does not can still say that the answer is whole, and which authority gave it.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use x509_parser::parse_x509_certificate;

use crate::digest::sha256;
use crate::gateway::ALPN_ENROLMENT;

/// Whom to take for the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Whose authority has a key (its `SubjectPublicKeyInfo`) with this SHA-256.
    Pinned([u8; 32]),
    /// Whoever shows an authority that vouches for him.
    OnSight,
}

impl Trust {
    /// The handshake of the enrolment door: no client certificate is needed there, and nothing else speaks it.
    pub fn handshake(self) -> Arc<ClientConfig> {
        let provider = Arc::new(ring::default_provider());
        let verifier = ShownAuthority { trust: self, provider: Arc::clone(&provider) };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])
            .expect("ring has cipher suites for TLS 1.3")
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![ALPN_ENROLMENT.to_vec()];
        config.resumption = Resumption::disabled();
        Arc::new(config)
    }

    fn takes(self, authority: &CertificateDer<'_>) -> bool {
        match self {
            Self::Pinned(pin) => pin_of(authority) == Some(pin),
            Self::OnSight => true,
        }
    }
}

/// SHA-256 of a certificate's public key; none for what is no certificate.
pub fn pin_of(certificate: &CertificateDer<'_>) -> Option<[u8; 32]> {
    let (_, parsed) = parse_x509_certificate(certificate).ok()?;
    Some(sha256(parsed.tbs_certificate.subject_pki.raw))
}

/// Checks a chain against the authority that it shows itself, if that one is to be trusted.
#[derive(Debug)]
struct ShownAuthority {
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for ShownAuthority {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let shown = others.iter().find(|certificate| self.trust.takes(certificate));
        let mut roots = RootCertStore::empty();
        roots.add(shown.ok_or(CertificateError::UnknownIssuer)?.clone().into_owned())?;
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&self.provider))
            .build()
            .map_err(|error| Error::General(error.to_string()))?
            .verify_server_cert(leaf, &[], name, ocsp, now)
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
