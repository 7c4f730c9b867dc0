//! Who this agent is: its key, its certificate, and the authority that the gateway must come from.
//!
//! One file, so that key and certificate can never be of different ages: written by `enroll`, read by `run`, replaced whole
//! by a renewal. The key was made on this host and never leaves it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate_core::renewal::Lifetime;
use quorate_core::time::Moment;
use rustls::client::Resumption;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::files;
use crate::gateway::Credentials;

pub(crate) mod pending;
mod wallet;

pub(crate) use self::wallet::{Refused, Shown, Wallet};

/// The file in the data directory: key, own certificate, authority's certificate, as PEM in that order.
pub(crate) const FILE: &str = "identity.pem";

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// There is none yet.
    #[error("{}: this server is not enrolled: run the command that 'quorate-aggregator enroll' prints", .0.display())]
    NotEnrolled(PathBuf),
    /// The file cannot be read or written.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: std::io::Error,
    },
    /// It is not what `enroll` wrote.
    #[error("{}: {problem}: enrol this server again", path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// A whole identity, which TLS accepts.
#[derive(Debug)]
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    authority: CertificateDer<'static>,
    lifetime: Lifetime,
    tls: Arc<ClientConfig>,
}

impl Identity {
    /// Reads the identity in `data_dir`.
    pub(crate) fn load(data_dir: &Path) -> Result<Self, IdentityError> {
        let path = data_dir.join(FILE);
        match std::fs::read(&path) {
            Ok(text) => Self::parse(&text).map_err(|problem| IdentityError::Unusable { path, problem }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(IdentityError::NotEnrolled(path)),
            Err(problem) => Err(IdentityError::File { path, problem }),
        }
    }

    fn parse(text: &[u8]) -> Result<Self, String> {
        let key = PrivateKeyDer::from_pem_slice(text).map_err(|error| format!("no key ({error})"))?;
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(text)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("no certificate ({error})"))?;
        let [certificate, authority] =
            <[_; 2]>::try_from(certificates).map_err(|found| format!("{} certificates, expected 2", found.len()))?;
        let lifetime = lifetime(&certificate)?;
        let tls = client_config(key, &certificate, &authority)
            .map_err(|error| format!("key and certificates cannot be used ({error})"))?;
        Ok(Self { certificate, authority, lifetime, tls })
    }

    /// Writes an identity whole or not at all.
    pub(crate) fn store(
        data_dir: &Path,
        key_pem: &str,
        certificate: &[u8],
        authority: &[u8],
    ) -> Result<(), IdentityError> {
        let path = data_dir.join(FILE);
        let text = text(key_pem, certificate, authority);
        files::write_whole(&path, text.as_bytes()).map_err(|problem| IdentityError::File { path, problem })
    }

    /// TLS 1.3 with the own certificate, to a gateway of the own authority.
    pub(crate) fn credentials(&self) -> Credentials {
        Credentials::new(Arc::clone(&self.tls))
    }

    fn fingerprint(&self) -> [u8; 32] {
        files::sha256(&self.certificate)
    }

    /// When it is renewed: its own hash is the die, so a restart does not throw again.
    fn renew_at(&self) -> Moment {
        let chance = self.fingerprint().first_chunk().copied().map_or(0, u64::from_be_bytes);
        self.lifetime.renew_at(chance)
    }
}

/// Nothing is resumed, so that each connection is looked up anew at the gateway.
fn client_config(
    key: PrivateKeyDer<'static>,
    certificate: &CertificateDer<'static>,
    authority: &CertificateDer<'static>,
) -> Result<Arc<ClientConfig>, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.clone())?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate.clone()], key)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn lifetime(certificate: &[u8]) -> Result<Lifetime, String> {
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|error| format!("no certificate ({error})"))?;
    let moment = |seconds: i64| Moment::from_ms(u64::try_from(seconds).unwrap_or(0).saturating_mul(1000));
    let validity = parsed.validity();
    Ok(Lifetime {
        not_before: moment(validity.not_before.timestamp()),
        not_after: moment(validity.not_after.timestamp()),
    })
}

/// A certificate must be for the own key and from the own authority.
pub(crate) fn check(
    certificate: &[u8],
    key: &rcgen::KeyPair,
    authority: &X509Certificate<'_>,
) -> Result<(), &'static str> {
    let (_, own) = X509Certificate::from_der(certificate).map_err(|_| "no certificate")?;
    if own.tbs_certificate.subject_pki.subject_public_key.data != rcgen::PublicKeyData::der_bytes(key) {
        return Err("the certificate is for another key");
    }
    own.verify_signature(Some(&authority.tbs_certificate.subject_pki))
        .map_err(|_| "the certificate is not signed by the authority")
}

fn text(key_pem: &str, certificate: &[u8], authority: &[u8]) -> String {
    format!("{key_pem}{}{}", pem(certificate), pem(authority))
}

fn pem(der: &[u8]) -> String {
    use base64::Engine as _;
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let mut pem = String::from("-----BEGIN CERTIFICATE-----\n");
    for line in text.as_bytes().chunks(64) {
        pem.push_str(&String::from_utf8_lossy(line));
        pem.push('\n');
    }
    pem.push_str("-----END CERTIFICATE-----\n");
    pem
}
