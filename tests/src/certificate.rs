//! The certificate of a lab's VPN servers: self-signed, made anew for each lab. Probes pin its key.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::PublicKeyData as _;
use ring::digest::{SHA256, digest};

/// The name that it is for, and that probes say.
pub const NAME: &str = "vpn.lab.test";

/// On disk, for servers to read.
#[derive(Debug)]
pub struct Certificate {
    /// PEM.
    pub certificate_path: PathBuf,
    /// PEM.
    pub key_path: PathBuf,
    /// SHA-256 of the `SubjectPublicKeyInfo`, in hex: what a probe pins.
    pub pin: String,
}

impl Certificate {
    /// Makes one and writes it into `folder`.
    pub fn make(folder: &Path) -> Self {
        let made =
            rcgen::generate_simple_self_signed([NAME.to_owned()]).expect("a self-signed certificate can be made");
        let (certificate_path, key_path) = (folder.join("vpn.pem"), folder.join("vpn.key"));
        fs::write(&certificate_path, made.cert.pem()).unwrap();
        fs::write(&key_path, made.signing_key.serialize_pem()).unwrap();
        let hash = digest(&SHA256, &made.signing_key.subject_public_key_info());
        let pin = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { certificate_path, key_path, pin }
    }
}
