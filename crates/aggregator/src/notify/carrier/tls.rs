//! Whom carriers trust: the public authorities, and those that the operator names for a channel.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::Refusal;

/// Client side of TLS with the certificates of `ca` trusted too.
pub(super) fn config(ca: Option<&str>) -> Result<ClientConfig, Refusal> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in CertificateDer::pem_slice_iter(ca.unwrap_or_default().as_bytes()) {
        let certificate = certificate.map_err(|error| Refusal::refused(format!("ca: cannot be read: {error:?}")))?;
        roots.add(certificate).map_err(|error| Refusal::refused(format!("ca: is no authority: {error}")))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has the suites of TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth())
}
