//! The private certificate authority: who may call itself what.
//!
//! Like the office that makes a company's badges: one stamp, kept in one drawer. It vouches for two kinds of badge: the
//! gateway's own, made anew at each start and never written down, and an agent's, made once at enrolment from the key
//! that the agent keeps.
//!
//! Always true: the file is whole or absent (written beside, synced, linked into place), readable by its owner alone;
//! a name in a certificate is one that we chose, never one that was asked for. It refuses to know which certificates are
//! still good: that is the store's list of pins.

mod issue;
mod request;
#[cfg(test)]
mod tests;
mod token;

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, PublicKeyData as _,
};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use crate::digest::sha256;

pub use self::issue::{AGENT_VALID_FOR, AgentCertificate, GATEWAY_VALID_FOR, GatewayCertificate};
pub use self::request::{KeyRequest, RequestError};
pub use self::token::{TOKEN_VALID_FOR, Token, TokenError};

/// Key and certificate of the authority, in the data directory.
pub const FILE: &str = "ca.pem";

/// Why the authority cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// The file or its directory.
    #[error("{}: {problem}: the gateway needs its certificate authority there", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: io::Error,
    },
    /// The file is there and is not what was written.
    #[error(
        "{}: {problem}: restore it from a backup, or move it away to begin anew (every agent must then enrol again)",
        path.display()
    )]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate for {subject}: {problem}")]
    Issue {
        /// Whose.
        subject: String,
        /// What is wrong, often with a name.
        problem: rcgen::Error,
    },
}

/// The open authority. Cheap to use from many tasks behind an `Arc`.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    spki_pin: [u8; 32],
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl Authority {
    /// Opens the authority in `data_dir`, making it there first if there is none.
    pub fn open(data_dir: &Path) -> Result<Self, AuthorityError> {
        let path = data_dir.join(FILE);
        let at_path = |problem| AuthorityError::File { path: path.clone(), problem };
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_new(data_dir, &path, &new_file()?).map_err(at_path)?;
                // Read back: if another process was quicker, its authority counts.
                std::fs::read_to_string(&path).map_err(at_path)?
            }
            Err(error) => return Err(at_path(error)),
        };
        Self::parse(&text).map_err(|problem| AuthorityError::Unusable { path, problem })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let key = PrivatePkcs8KeyDer::from_pem_slice(text.as_bytes()).map_err(|error| format!("no key ({error})"))?;
        let certificate =
            CertificateDer::from_pem_slice(text.as_bytes()).map_err(|error| format!("no certificate ({error})"))?;
        let key = KeyPair::from_pkcs8_der_and_sign_algo(&key, &PKCS_ECDSA_P256_SHA256)
            .map_err(|error| format!("the key is no P-256 key ({error})"))?;
        let spki = key.subject_public_key_info();
        let (_, parsed) = x509_parser::parse_x509_certificate(&certificate)
            .map_err(|error| format!("the certificate cannot be read ({error})"))?;
        if parsed.tbs_certificate.subject_pki.raw != spki {
            return Err("key and certificate do not belong together".to_owned());
        }
        let issuer = Issuer::from_ca_cert_der(&certificate, key)
            .map_err(|error| format!("the certificate is none of an authority ({error})"))?;
        Ok(Self { issuer, certificate, spki_pin: sha256(&spki) })
    }

    /// The authority's own certificate.
    pub fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    /// SHA-256 of the authority's public key (its `SubjectPublicKeyInfo`): what an enrolling server checks the gateway by.
    pub fn spki_pin(&self) -> [u8; 32] {
        self.spki_pin
    }
}

/// A fresh key and its certificate, as PEM.
fn new_file() -> Result<String, AuthorityError> {
    let failed = |problem| AuthorityError::Issue { subject: "the authority".to_owned(), problem };
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(failed)?;
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "Quorate private CA");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    // Fixed and wide: an authority that can expire takes the whole fleet with it on a day nobody remembers, and a host
    // whose clock is years off must still be able to enrol.
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    params.not_after = rcgen::date_time_ymd(2200, 1, 1);
    params.serial_number = Some(issue::serial());
    let certificate = params.self_signed(&key).map_err(failed)?;
    Ok(format!("{}{}", key.serialize_pem(), certificate.pem()))
}

/// Puts `text` at `path` whole or not at all; somebody else's file that is there already stays.
fn write_new(dir: &Path, path: &Path, text: &str) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    // Made with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        Err(error) => return Err(error.error),
    }
    std::fs::File::open(dir)?.sync_all()
}
