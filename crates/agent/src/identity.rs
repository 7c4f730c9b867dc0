//! Who this agent is: its key, its certificate, and the authority that the gateway must come from.
//!
//! One file, so that key and certificate can never be of different ages: written by `enroll`, read by `run`. The key was
//! made on this host and never leaves it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::files;

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
    /// Key and certificate do not fit each other, or are no such.
    #[error("the identity cannot be used: {0}: enrol this server again")]
    Tls(#[from] rustls::Error),
}

/// A whole identity.
#[derive(Debug)]
pub(crate) struct Identity {
    key: PrivateKeyDer<'static>,
    certificate: CertificateDer<'static>,
    authority: CertificateDer<'static>,
}

impl Identity {
    /// Reads the identity in `data_dir`.
    pub(crate) fn load(data_dir: &Path) -> Result<Self, IdentityError> {
        let path = data_dir.join(FILE);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(IdentityError::NotEnrolled(path));
            }
            Err(problem) => return Err(IdentityError::File { path, problem }),
        };
        let unusable = |problem: String| IdentityError::Unusable { path: path.clone(), problem };
        let key = PrivateKeyDer::from_pem_slice(&text).map_err(|error| unusable(format!("no key ({error})")))?;
        let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&text)
            .collect::<Result<_, _>>()
            .map_err(|error| unusable(format!("no certificate ({error})")))?;
        let [certificate, authority] = <[_; 2]>::try_from(certificates)
            .map_err(|found| unusable(format!("{} certificates, expected 2", found.len())))?;
        Ok(Self { key, certificate, authority })
    }

    /// Writes an identity whole or not at all.
    pub(crate) fn store(
        data_dir: &Path,
        key_pem: &str,
        certificate: &[u8],
        authority: &[u8],
    ) -> Result<(), IdentityError> {
        let path = data_dir.join(FILE);
        let text = format!("{}{}{}", key_pem, pem(certificate), pem(authority));
        files::write_whole(&path, text.as_bytes()).map_err(|problem| IdentityError::File { path, problem })
    }

    /// TLS 1.3 with the own certificate, to a gateway of the own authority; nothing is resumed, so that each connection
    /// is looked up anew at the gateway.
    pub(crate) fn client_config(&self) -> Result<Arc<ClientConfig>, IdentityError> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.clone())?;
        let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_root_certificates(roots)
            .with_client_auth_cert(vec![self.certificate.clone()], self.key.clone_key())?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        config.resumption = Resumption::disabled();
        Ok(Arc::new(config))
    }
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
