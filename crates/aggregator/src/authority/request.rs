//! Reads a certificate signing request: which key asks, and whether it proved to hold it.
//!
//! Names, addresses and extensions in a request are passed over unread: what a certificate says is for us to decide.

use rcgen::{PKCS_ECDSA_P256_SHA256, PublicKeyData as _, SubjectPublicKeyInfo};
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::prelude::FromDer as _;

use crate::digest::sha256;

/// The largest request read: a P-256 request with a few names takes 300 bytes.
const REQUEST_BYTES_MAX: usize = 8 * 1024;

/// A key that asks for a certificate and signed that it does.
#[derive(Debug, Clone)]
pub struct KeyRequest {
    public_key: SubjectPublicKeyInfo,
    fingerprint: [u8; 32],
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Too long, not DER, or bytes after its end.
    #[error("the certificate signing request cannot be read")]
    Unreadable,
    /// Not signed by the key that it names.
    #[error("the certificate signing request is not signed by its own key")]
    NotSigned,
    /// RSA and the like.
    #[error("the certificate signing request is not for a P-256 key")]
    OtherKey,
}

impl KeyRequest {
    /// Reads and verifies the DER of a PKCS #10 request.
    pub fn from_der(der: &[u8]) -> Result<Self, RequestError> {
        if der.len() > REQUEST_BYTES_MAX {
            return Err(RequestError::Unreadable);
        }
        let (rest, request) = X509CertificationRequest::from_der(der).map_err(|_| RequestError::Unreadable)?;
        if !rest.is_empty() {
            return Err(RequestError::Unreadable);
        }
        let spki = request.certification_request_info.subject_pki.raw;
        let public_key = SubjectPublicKeyInfo::from_der(spki).map_err(|_| RequestError::OtherKey)?;
        if public_key.algorithm() != &PKCS_ECDSA_P256_SHA256 {
            return Err(RequestError::OtherKey);
        }
        request.verify_signature().map_err(|_| RequestError::NotSigned)?;
        Ok(Self { public_key, fingerprint: sha256(spki) })
    }

    /// SHA-256 of the key (its `SubjectPublicKeyInfo`).
    pub fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }

    /// Whether a certificate is for this key.
    pub fn is_of(&self, certificate_der: &[u8]) -> bool {
        x509_parser::parse_x509_certificate(certificate_der)
            .is_ok_and(|(_, certificate)| sha256(certificate.tbs_certificate.subject_pki.raw) == self.fingerprint)
    }

    pub(super) fn public_key(&self) -> &SubjectPublicKeyInfo {
        &self.public_key
    }
}
