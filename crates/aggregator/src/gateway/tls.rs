//! TLS at the gateway: version 1.3 only, no resumption, and which of two doors a client asks for by ALPN.
//!
//! `h2` is the agents' door: a pinned client certificate or no handshake. `quorate-enroll/1` is the door for those who
//! have none yet. A resumed session would skip the look at the pins, so a revoked agent could walk in: there are no
//! tickets and no session store.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use quorate_core::renewal::Stage;
use quorate_core::time::Moment;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientHello, NoServerSessionStorage, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, ServerConfig, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};

use super::pins::Pins;
use crate::authority::{Authority, AuthorityError, GATEWAY_VALID_FOR};
use crate::clock::wall;
use crate::digest::{hex, sha256};

/// ALPN protocol of sessions: gRPC over HTTP/2.
pub const ALPN_SESSION: &[u8] = b"h2";

/// ALPN protocol of enrolment: gRPC over HTTP/2 too, without client certificate.
pub const ALPN_ENROLMENT: &[u8] = b"quorate-enroll/1";

/// Which door a client asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Session,
    Enrolment,
}

impl Door {
    /// The door that a `ClientHello` names; none for a client that is not ours.
    pub(super) fn asked_for(hello: &ClientHello<'_>) -> Option<Self> {
        hello.alpn()?.find_map(|protocol| match protocol {
            ALPN_SESSION => Some(Self::Session),
            ALPN_ENROLMENT => Some(Self::Enrolment),
            _ => None,
        })
    }
}

/// The configuration behind each door.
#[derive(Debug, Clone)]
pub(super) struct Tls {
    session: Arc<ServerConfig>,
    enrolment: Arc<ServerConfig>,
}

impl Tls {
    pub(super) fn new(authority: Arc<Authority>, names: Vec<String>, pins: Arc<Pins>) -> Result<Self, AuthorityError> {
        let provider = Arc::new(ring::default_provider());
        let own = Arc::new(OwnCertificate::new(authority, names, Arc::clone(&provider))?);
        let builder = || {
            ServerConfig::builder_with_provider(Arc::clone(&provider))
                .with_protocol_versions(&[&rustls::version::TLS13])
                .expect("ring has cipher suites for TLS 1.3")
        };
        let verifier = PinnedAgents { pins, algorithms: provider.signature_verification_algorithms };
        let mut session =
            builder().with_client_cert_verifier(Arc::new(verifier)).with_cert_resolver(Arc::clone(&own) as _);
        let mut enrolment = builder().with_no_client_auth().with_cert_resolver(own);
        for (config, alpn) in [(&mut session, ALPN_SESSION), (&mut enrolment, ALPN_ENROLMENT)] {
            config.alpn_protocols = vec![alpn.to_vec()];
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
            config.max_early_data_size = 0;
        }
        Ok(Self { session: Arc::new(session), enrolment: Arc::new(enrolment) })
    }

    pub(super) fn config(&self, door: Door) -> Arc<ServerConfig> {
        Arc::clone(match door {
            Door::Session => &self.session,
            Door::Enrolment => &self.enrolment,
        })
    }
}

/// The gateway's certificate, made anew when two thirds of its time are over.
struct OwnCertificate {
    authority: Arc<Authority>,
    names: Vec<String>,
    provider: Arc<CryptoProvider>,
    current: RwLock<Current>,
}

struct Current {
    key: Arc<CertifiedKey>,
    renew_at: Moment,
}

impl fmt::Debug for OwnCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnCertificate").field("names", &self.names).finish_non_exhaustive()
    }
}

impl OwnCertificate {
    fn new(
        authority: Arc<Authority>,
        names: Vec<String>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, AuthorityError> {
        let current = RwLock::new(Self::make(&authority, &names, &provider, wall())?);
        Ok(Self { authority, names, provider, current })
    }

    fn make(
        authority: &Authority,
        names: &[String],
        provider: &CryptoProvider,
        now: Moment,
    ) -> Result<Current, AuthorityError> {
        let made = authority.issue_gateway(names, now)?;
        let key = provider.key_provider.load_private_key(made.key).expect("ring signs with the P-256 keys it made");
        let renew_at = made.not_after.before(GATEWAY_VALID_FOR / 3);
        Ok(Current { key: Arc::new(CertifiedKey::new(made.chain, key)), renew_at })
    }

    fn at(&self, now: Moment) -> Arc<CertifiedKey> {
        {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            if now < current.renew_at {
                return Arc::clone(&current.key);
            }
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if now >= current.renew_at {
            match Self::make(&self.authority, &self.names, &self.provider, now) {
                Ok(fresh) => *current = fresh,
                // The old one is good for another third of its time.
                Err(error) => tracing::warn!(%error, "the gateway's certificate was not renewed"),
            }
        }
        Arc::clone(&current.key)
    }
}

impl ResolvesServerCert for OwnCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.at(wall()))
    }
}

/// Lets in whoever's certificate is on the list, and looks at nothing else in it.
#[derive(Debug)]
struct PinnedAgents {
    pins: Arc<Pins>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ClientCertVerifier for PinnedAgents {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        let fingerprint = sha256(end_entity);
        let Some(pin) = self.pins.get(&fingerprint) else {
            tracing::debug!(fingerprint = hex(&fingerprint), "a client certificate that is not pinned");
            return Err(CertificateError::ApplicationVerificationFailure.into());
        };
        // One that has ended is good for a renewal for a while; what else it may not do is decided at Hello.
        if pin.lifetime.stage(Moment::from_ms(now.as_secs().saturating_mul(1000))) == Stage::Lost {
            tracing::debug!(server = &*pin.server, "a pinned client certificate that ended too long ago");
            return Err(CertificateError::Expired.into());
        }
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("TLS 1.2 is not spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
