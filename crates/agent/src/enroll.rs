//! Enrolment: a one-time token and a fresh key in, an identity out.
//!
//! Like fetching a badge with a voucher: the voucher names the office's seal, so nobody else can hand out the badge. The
//! key is made here and never leaves; if the answer is lost, the same voucher with the same key gets the same badge.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quorate_proto::v1;
use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::client::Resumption;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use x509_parser::prelude::{FromDer as _, X509Certificate};

use crate::files;
use crate::gateway::{Credentials, Gateway, GatewayError, Resolver};
use crate::identity::{self, Identity, IdentityError};

#[cfg(test)]
mod tests;

/// The door at the gateway for those who have no certificate yet.
const ALPN: &[u8] = b"quorate-enroll/1";
/// Time for the answer: the gateway signs one certificate and writes two rows.
const ANSWER_BUDGET: Duration = Duration::from_secs(20);

/// Which token gave the identity in this data directory, and to which server.
const ENROLLED: &str = "enrolled";

/// What `enroll` needs.
#[derive(Debug, Clone)]
pub struct EnrollRequest {
    /// The gateway, `host:port`.
    pub gateway: String,
    /// `q1.…`, as the aggregator printed it.
    pub token: String,
    /// Where the identity is kept.
    pub data_dir: PathBuf,
    /// Addresses to connect from; the system chooses when empty.
    pub source_addresses: Vec<IpAddr>,
}

/// A server that may now run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enrolled {
    /// Its id in the fleet.
    pub server: String,
    /// It was so before, by the same token: nothing was asked, and nothing was changed.
    pub before: bool,
}

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
pub enum EnrollError {
    /// Not a token.
    #[error("this is no enrolment token (q1.…): copy the whole command that 'quorate-aggregator enroll' printed")]
    Token,
    /// No way to the gateway, or not the one that the token names.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// It said no.
    #[error("the gateway refused: {0}")]
    Refused(String),
    /// It said something that is no answer.
    #[error("the gateway's answer cannot be used: {0}")]
    Answer(String),
    /// The data directory.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: std::io::Error,
    },
    /// The identity's file.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// No key could be made.
    #[error("cannot make a key: {0}")]
    Key(#[from] rcgen::Error),
    /// TLS cannot be set up.
    #[error("cannot set up TLS: {0}")]
    Tls(#[from] rustls::Error),
}

/// The parts of a token that its holder looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    id: String,
    pin: [u8; 32],
}

impl Token {
    fn parse(text: &str) -> Result<Self, EnrollError> {
        let mut parts = text.split('.');
        let (Some("q1"), Some(id), Some(secret), Some(pin), None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(EnrollError::Token);
        };
        let hash = |part: &str| URL_SAFE_NO_PAD.decode(part).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        // The id becomes part of a file's name.
        if id.is_empty() || id.len() > 64 || !id.chars().all(is_word) || hash(secret).is_none() {
            return Err(EnrollError::Token);
        }
        Ok(Self { id: id.to_owned(), pin: hash(pin).ok_or(EnrollError::Token)? })
    }
}

/// Makes a key, has it certified, and writes the identity.
pub async fn enroll(request: EnrollRequest) -> Result<Enrolled, EnrollError> {
    let text = request.token.trim();
    let token = Token::parse(text)?;
    let dir = &request.data_dir;
    std::fs::create_dir_all(dir).map_err(|problem| EnrollError::File { path: dir.clone(), problem })?;
    if let Some(server) = enrolled_by(dir, &token) {
        return Ok(Enrolled { server, before: true });
    }
    let pending = dir.join(format!("enrol.{}.key", token.id));
    let key = pending_key(&pending)?;
    let csr = CertificateParams::default().serialize_request(&key)?;

    let nobody = Credentials::new(Arc::new(client_config(token.pin)?));
    let gateway = Gateway::new(&request.gateway, &request.source_addresses, Resolver::system())?;
    let dialled =
        gateway.in_turn(&gateway.addresses().await?, &nobody, |dialled| std::future::ready(Ok(dialled))).await?;
    let mut client = v1::enrolment_client::EnrolmentClient::new(dialled.channel);
    let asked = client.enroll(v1::EnrollRequest {
        token: text.to_owned(),
        csr_der: csr.der().to_vec(),
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    let answer = tokio::time::timeout(ANSWER_BUDGET, asked)
        .await
        .map_err(|_| EnrollError::Refused("no answer in 20 s: run the same command again".to_owned()))?
        .map_err(|status| EnrollError::Refused(status.message().to_owned()))?
        .into_inner();

    check(&answer, &key, token.pin).map_err(|why| EnrollError::Answer(why.to_owned()))?;
    Identity::store(dir, &key.serialize_pem(), &answer.certificate_der, &answer.ca_der)?;
    // The key lives on in the identity; a copy that stays behind does no harm but to neatness.
    let _ = std::fs::remove_file(&pending);
    identity::pending::discard(dir);
    // Without the note the same command asks the gateway again, which refuses it.
    let _ = files::write_whole(&dir.join(ENROLLED), format!("{} {}\n", token.id, answer.server).as_bytes());
    Ok(Enrolled { server: answer.server, before: false })
}

/// Whose identity this token has given already, as long as it is there: a command that is pasted twice did its work the first
/// time, and its key is not at hand to be shown once more.
fn enrolled_by(dir: &Path, token: &Token) -> Option<String> {
    let note = std::fs::read_to_string(dir.join(ENROLLED)).ok()?;
    let (id, server) = note.trim_end().split_once(' ')?;
    (id == token.id && Identity::load(dir).is_ok()).then(|| server.to_owned())
}

/// The key of an attempt whose answer was lost, or a new one, written before it is used.
fn pending_key(path: &Path) -> Result<KeyPair, EnrollError> {
    if let Ok(text) = std::fs::read_to_string(path)
        && let Ok(key) = KeyPair::from_pem(&text)
    {
        return Ok(key);
    }
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    files::write_whole(path, key.serialize_pem().as_bytes())
        .map_err(|problem| EnrollError::File { path: path.to_owned(), problem })?;
    Ok(key)
}

/// The certificate must be for our key and from the authority that the token names.
fn check(answer: &v1::EnrollResponse, key: &KeyPair, pin: [u8; 32]) -> Result<(), &'static str> {
    let (_, authority) = X509Certificate::from_der(&answer.ca_der).map_err(|_| "no certificate of the authority")?;
    if files::sha256(authority.tbs_certificate.subject_pki.raw) != pin {
        return Err("the authority is not the one that the token names");
    }
    identity::check(&answer.certificate_der, key, &authority)
}

fn client_config(pin: [u8; 32]) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = PinnedAuthority { pin, provider: Arc::clone(&provider) };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Trusts the one authority whose key has the token's hash, if the chain shows it, and checks the rest as usual.
#[derive(Debug)]
struct PinnedAuthority {
    pin: [u8; 32],
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedAuthority {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let is_pinned = |certificate: &&CertificateDer<'_>| {
            X509Certificate::from_der(certificate)
                .is_ok_and(|(_, parsed)| files::sha256(parsed.tbs_certificate.subject_pki.raw) == self.pin)
        };
        let authority = intermediates.iter().find(is_pinned).ok_or(CertificateError::UnknownIssuer)?;
        let mut roots = RootCertStore::empty();
        roots.add(authority.clone().into_owned())?;
        let chain = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&self.provider))
            .build()
            .map_err(|error| Error::General(error.to_string()))?;
        chain.verify_server_cert(leaf, &[], name, ocsp, now)
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
