//! Makes certificates for the gateway and for agents.

use std::time::Duration;

use quorate_core::renewal::Lifetime;
use quorate_core::time::Moment;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose,
    PKCS_ECDSA_P256_SHA256, SanType, SerialNumber,
};
use ring::rand::SecureRandom as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use super::{Authority, AuthorityError, KeyRequest};
use crate::digest::sha256;

const DAY: Duration = Duration::from_hours(24);

/// An agent's certificate. Its agent renews it after two thirds, which leaves ten days in which one that cannot is noticed.
/// A stolen one is ended by `revoke`, not by its date.
pub const AGENT_VALID_FOR: Duration = DAY.saturating_mul(30);

/// The gateway's certificate: it lives in memory and is made anew after two thirds, so only a stopped clock sees its end.
pub const GATEWAY_VALID_FOR: Duration = DAY.saturating_mul(90);

/// The gateway's certificate begins with Unix time: a server whose clock was lost with its battery must still get in, to be
/// told what time it is.
const GATEWAY_VALID_FROM: Moment = Moment::ZERO;

/// A certificate for an agent.
#[derive(Debug, Clone)]
pub struct AgentCertificate {
    /// As sent to the agent.
    pub der: CertificateDer<'static>,
    /// SHA-256 of the DER: what the agent is known by.
    pub fingerprint: [u8; 32],
    /// From when to when it is good.
    pub lifetime: Lifetime,
}

/// A certificate for the gateway, with its key.
#[derive(Debug)]
pub struct GatewayCertificate {
    /// The certificate and the authority's.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key.
    pub key: PrivateKeyDer<'static>,
    /// Its last moment.
    pub not_after: Moment,
}

impl Authority {
    /// A certificate for the agent of `server`, for the key that `request` proved to hold.
    pub fn issue_agent(
        &self,
        server: &str,
        request: &KeyRequest,
        now: Moment,
    ) -> Result<AgentCertificate, AuthorityError> {
        let failed = |problem| AuthorityError::Issue { subject: format!("server '{server}'"), problem };
        let lifetime = Lifetime { not_before: now, not_after: now.after(AGENT_VALID_FOR) };
        let mut params = leaf(server, lifetime, ExtendedKeyUsagePurpose::ClientAuth);
        // Nobody looks the name up, it is there for people; an id that is no IA5 string stands in the subject alone.
        params.subject_alt_names.extend(server.try_into().map(SanType::DnsName));
        let certificate = params.signed_by(request.public_key(), &self.issuer).map_err(failed)?;
        let der = certificate.der().clone();
        Ok(AgentCertificate { fingerprint: sha256(&der), der, lifetime })
    }

    /// A certificate for the gateway under `names` (host names and IP addresses), with a fresh key.
    pub fn issue_gateway(&self, names: &[String], now: Moment) -> Result<GatewayCertificate, AuthorityError> {
        let failed =
            |problem| AuthorityError::Issue { subject: format!("the gateway ({})", names.join(", ")), problem };
        let lifetime = Lifetime { not_before: GATEWAY_VALID_FROM, not_after: now.after(GATEWAY_VALID_FOR) };
        let mut params = leaf("quorate-gateway", lifetime, ExtendedKeyUsagePurpose::ServerAuth);
        params.subject_alt_names = CertificateParams::new(names).map_err(failed)?.subject_alt_names;
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(failed)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(failed)?;
        Ok(GatewayCertificate {
            chain: vec![certificate.der().clone(), self.certificate.clone()],
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            not_after: lifetime.not_after,
        })
    }
}

fn leaf(common_name: &str, lifetime: Lifetime, usage: ExtendedKeyUsagePurpose) -> CertificateParams {
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.not_before = epoch + Duration::from_millis(lifetime.not_before.as_ms());
    params.not_after = epoch + Duration::from_millis(lifetime.not_after.as_ms());
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    params.serial_number = Some(serial());
    params
}

/// Sixteen random bytes with the sign bit clear: a positive number, unlike every other.
pub(super) fn serial() -> SerialNumber {
    let mut bytes = [0; 16];
    // The system's generator fails only where nothing else could work either; a serial number is no secret.
    let _ = ring::rand::SystemRandom::new().fill(&mut bytes);
    bytes[0] = bytes[0] & 0x7f | 0x40;
    SerialNumber::from_slice(&bytes)
}
