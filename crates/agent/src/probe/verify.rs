//! Decides whether a peer's certificate proves what the probe demands, and remembers why not: a QUIC library passes on
//! only that the handshake failed.

use std::sync::{Arc, OnceLock};

use quorate_core::outcome::FailureKind;
use quorate_core::probe::Verify;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::failure;

/// One per probe.
#[derive(Debug)]
pub(super) struct PeerVerifier {
    demand: Demand,
    provider: Arc<CryptoProvider>,
    refusal: OnceLock<FailureKind>,
    ends_s: OnceLock<i64>,
}

#[derive(Debug)]
enum Demand {
    Chain(Arc<WebPkiServerVerifier>),
    Key(Vec<[u8; 32]>),
    Nothing,
}

impl PeerVerifier {
    pub(super) fn new(
        verify: &Verify,
        roots: &Arc<RootCertStore>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<Self>, rustls::client::VerifierBuilderError> {
        let demand = match verify {
            Verify::WebPki => Demand::Chain(
                WebPkiServerVerifier::builder_with_provider(Arc::clone(roots), Arc::clone(provider)).build()?,
            ),
            Verify::Pin(pins) => Demand::Key(pins.clone()),
            Verify::None => Demand::Nothing,
        };
        let provider = Arc::clone(provider);
        Ok(Arc::new(Self { demand, provider, refusal: OnceLock::new(), ends_s: OnceLock::new() }))
    }

    /// Why the certificate was refused, if it was.
    pub(super) fn refusal(&self) -> Option<FailureKind> {
        self.refusal.get().copied()
    }

    /// Last second of the certificate that was shown, Unix seconds.
    pub(super) fn ends_s(&self) -> Option<i64> {
        self.ends_s.get().copied()
    }

    fn judge(
        &self,
        leaf: &CertificateDer<'_>,
        parsed: Option<&X509Certificate<'_>>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<(), Error> {
        match &self.demand {
            Demand::Chain(chain) => chain.verify_server_cert(leaf, intermediates, name, ocsp, now).map(drop),
            Demand::Key(pins) => {
                let parsed = parsed.ok_or(CertificateError::BadEncoding)?;
                let hash = crate::files::sha256(parsed.tbs_certificate.subject_pki.raw);
                if pins.contains(&hash) { Ok(()) } else { Err(CertificateError::ApplicationVerificationFailure.into()) }
            }
            Demand::Nothing => Ok(()),
        }
    }
}

impl ServerCertVerifier for PeerVerifier {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let parsed = X509Certificate::from_der(leaf).ok().map(|(_, parsed)| parsed);
        if let Some(parsed) = &parsed {
            let _ = self.ends_s.set(parsed.validity().not_after.timestamp());
        }
        match self.judge(leaf, parsed.as_ref(), intermediates, name, ocsp, now) {
            Ok(()) => Ok(ServerCertVerified::assertion()),
            Err(error) => {
                let _ = self.refusal.set(failure::of_tls(&error));
                Err(error)
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.demand {
            Demand::Nothing => Ok(HandshakeSignatureValid::assertion()),
            Demand::Chain(_) | Demand::Key(_) => {
                verify_tls12_signature(message, leaf, signature, &self.provider.signature_verification_algorithms)
            }
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.demand {
            Demand::Nothing => Ok(HandshakeSignatureValid::assertion()),
            Demand::Chain(_) | Demand::Key(_) => {
                verify_tls13_signature(message, leaf, signature, &self.provider.signature_verification_algorithms)
            }
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
