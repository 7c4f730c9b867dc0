//! The identity that a renewal is about to bring, in a file beside the one in use.
//!
//! It grows in two strokes, each written whole: first the key alone, before anybody is asked; then key and certificates.
//! At its first use it is renamed over the identity in use. So there is a key for every certificate that the gateway may
//! have stored, and after a crash at any point one of the two files is an identity that it knows.

use std::io;
use std::path::{Path, PathBuf};

use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;

use super::Identity;
use crate::files;

const FILE: &str = "identity.pending.pem";

/// How far it has grown.
#[derive(Debug)]
pub(super) enum Pending {
    /// A key that may have been asked with.
    Key,
    /// An identity that may have been used.
    Whole(Box<Identity>),
}

/// Why a key or a file cannot be made, in words.
pub(super) type Problem = String;

/// What there is. A file that is neither is as good as none: the next renewal writes over it.
pub(super) fn read(dir: &Path) -> Option<Pending> {
    let text = std::fs::read(path(dir)).ok()?;
    match Identity::parse(&text) {
        Ok(identity) => Some(Pending::Whole(Box::new(identity))),
        Err(_) if key_in(&text).is_some() => Some(Pending::Key),
        Err(problem) => {
            tracing::warn!(problem, path = %path(dir).display(), "passing over a pending identity");
            None
        }
    }
}

/// The pending key, or a new one, written before it is used.
pub(super) fn key(dir: &Path) -> Result<KeyPair, Problem> {
    if let Some(key) = std::fs::read(path(dir)).ok().and_then(|text| key_in(&text)) {
        return Ok(key);
    }
    let key =
        KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|error| format!("no key could be made: {error}"))?;
    write(dir, &key.serialize_pem())?;
    Ok(key)
}

/// Adds the certificate to the key.
pub(super) fn complete(dir: &Path, key: &KeyPair, certificate: &[u8], authority: &[u8]) -> Result<(), Problem> {
    write(dir, &super::text(&key.serialize_pem(), certificate, authority))
}

/// Makes it the identity in use.
pub(super) fn take_up(dir: &Path) -> io::Result<()> {
    std::fs::rename(path(dir), dir.join(super::FILE))?;
    files::sync_dir(dir)
}

/// Forgets it: another identity has come.
pub(crate) fn discard(dir: &Path) {
    // One that stays behind is tried and refused.
    let _ = std::fs::remove_file(path(dir));
}

fn key_in(text: &[u8]) -> Option<KeyPair> {
    let der = PrivateKeyDer::from_pem_slice(text).ok()?;
    KeyPair::from_der_and_sign_algo(&der, &PKCS_ECDSA_P256_SHA256).ok()
}

fn write(dir: &Path, text: &str) -> Result<(), Problem> {
    files::write_whole(&path(dir), text.as_bytes()).map_err(|problem| format!("{}: {problem}", path(dir).display()))
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}
