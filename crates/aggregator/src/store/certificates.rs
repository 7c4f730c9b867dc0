//! The agents' certificates, pinned by their hash: what is not here is nobody's.

use quorate_core::renewal::Lifetime;
use sqlx::{Any, Transaction};

use super::Store;
use super::convert::{hash, moment, ms};
use super::error::{Failure, StoreError};

/// Where a certificate is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateState {
    /// Made, not used yet.
    Pending,
    /// In use; one of a server.
    Active,
    /// A newer one is in use.
    Retired,
    /// The operator's word: never again.
    Revoked,
}

impl CertificateState {
    const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Retired, Self::Revoked];

    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Retired => "retired",
            Self::Revoked => "revoked",
        }
    }
}

/// A certificate that was just made.
#[derive(Debug, Clone)]
pub struct NewCertificate<'a> {
    /// SHA-256 of `der`.
    pub fingerprint: [u8; 32],
    /// Whose.
    pub server: &'a str,
    /// The certificate.
    pub der: &'a [u8],
    /// From when to when it holds.
    pub lifetime: Lifetime,
}

/// A certificate of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCertificate {
    /// SHA-256 of `der`.
    pub fingerprint: [u8; 32],
    /// Whose.
    pub server: String,
    /// The certificate.
    pub der: Vec<u8>,
    /// From when to when it holds.
    pub lifetime: Lifetime,
    /// Where it is in its life.
    pub state: CertificateState,
}

/// A certificate by which its agent is known: pending or active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedCertificate {
    /// SHA-256 of the certificate.
    pub fingerprint: [u8; 32],
    /// Whose.
    pub server: String,
    /// From when to when it holds.
    pub lifetime: Lifetime,
    /// Whether it has been used.
    pub state: CertificateState,
}

/// Certificates that had not been used and are retired unused.
pub type Replaced = Vec<[u8; 32]>;

type Row = (Vec<u8>, String, Vec<u8>, i64, i64, String);

impl Store {
    /// Adds a certificate as its server's one pending one; an older pending one is retired.
    pub async fn add_certificate(&self, certificate: &NewCertificate<'_>) -> Result<Replaced, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            let replaced = add_pending(&mut tx, certificate).await?;
            tx.commit().await?;
            Ok(replaced)
        })
        .await
    }

    /// The same for the agent that showed the certificate `by`; none, and nothing changed, if that one is no longer in use.
    pub async fn renew_certificate(
        &self,
        by: &[u8; 32],
        certificate: &NewCertificate<'_>,
    ) -> Result<Option<Replaced>, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            // Writes nothing, but whoever revokes it meanwhile waits here, or was first.
            let held = sqlx::query(
                "UPDATE certificates SET state = state WHERE fingerprint = $1 AND server = $2 AND state = 'active'",
            )
            .bind(by.as_slice())
            .bind(certificate.server)
            .execute(&mut *tx)
            .await?;
            if held.rows_affected() == 0 {
                return Ok(None);
            }
            let replaced = add_pending(&mut tx, certificate).await?;
            tx.commit().await?;
            Ok(Some(replaced))
        })
        .await
    }

    /// The certificate of a server that waits for its first use.
    pub async fn pending_certificate(&self, server: &str) -> Result<Option<AgentCertificate>, StoreError> {
        let found = self.certificates(server).await?;
        Ok(found.into_iter().find(|certificate| certificate.state == CertificateState::Pending))
    }

    /// The certificate of that fingerprint, whatever its state.
    pub async fn certificate(&self, fingerprint: &[u8; 32]) -> Result<Option<AgentCertificate>, StoreError> {
        self.call(async {
            let row: Option<Row> = sqlx::query_as(
                "SELECT fingerprint, server, der, not_before_ms, not_after_ms, state FROM certificates \
                 WHERE fingerprint = $1",
            )
            .bind(fingerprint.as_slice())
            .fetch_optional(&self.inner.readers)
            .await?;
            row.map(certificate).transpose()
        })
        .await
    }

    /// All certificates of a server, oldest first.
    pub async fn certificates(&self, server: &str) -> Result<Vec<AgentCertificate>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT fingerprint, server, der, not_before_ms, not_after_ms, state FROM certificates \
                 WHERE server = $1 ORDER BY not_before_ms, fingerprint",
            )
            .bind(server)
            .fetch_all(&self.inner.readers)
            .await?;
            found.into_iter().map(certificate).collect()
        })
        .await
    }

    /// The certificates of all servers that are pending or active.
    pub async fn pinned_certificates(&self) -> Result<Vec<PinnedCertificate>, StoreError> {
        self.call(async {
            let found: Vec<(Vec<u8>, String, i64, i64, String)> = sqlx::query_as(
                "SELECT fingerprint, server, not_before_ms, not_after_ms, state FROM certificates \
                 WHERE state IN ('pending', 'active')",
            )
            .fetch_all(&self.inner.readers)
            .await?;
            found
                .into_iter()
                .map(|(fingerprint, server, not_before, not_after, word)| {
                    let what = format!("a certificate of '{server}'");
                    Ok(PinnedCertificate {
                        fingerprint: hash(&what, &fingerprint)?,
                        state: state(&what, &word)?,
                        server,
                        lifetime: lifetime(not_before, not_after),
                    })
                })
                .collect()
        })
        .await
    }

    /// Takes a pending certificate into use and retires the others of its server. True if it is in use afterwards; false
    /// if it is unknown, retired or revoked, and then nothing changed.
    pub async fn activate_certificate(&self, fingerprint: &[u8; 32]) -> Result<bool, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            let taken: Option<String> = sqlx::query_scalar(
                "UPDATE certificates SET state = 'active' WHERE fingerprint = $1 AND state IN ('pending', 'active') \
                 RETURNING server",
            )
            .bind(fingerprint.as_slice())
            .fetch_optional(&mut *tx)
            .await?;
            let Some(server) = taken else { return Ok(false) };
            sqlx::query(
                "UPDATE certificates SET state = 'retired' WHERE server = $1 AND fingerprint <> $2 \
                 AND state IN ('pending', 'active')",
            )
            .bind(server)
            .bind(fingerprint.as_slice())
            .execute(&mut *tx)
            .await?;
            tx.commit().await?;
            Ok(true)
        })
        .await
    }

    /// Revokes every certificate of a server and closes its enrolments, spent or not. Returns how many certificates.
    pub async fn revoke(&self, server: &str) -> Result<usize, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            sqlx::query("UPDATE enrolments SET closed = 1 WHERE server = $1").bind(server).execute(&mut *tx).await?;
            let revoked =
                sqlx::query("UPDATE certificates SET state = 'revoked' WHERE server = $1 AND state <> 'revoked'")
                    .bind(server)
                    .execute(&mut *tx)
                    .await?;
            tx.commit().await?;
            Ok(revoked.rows_affected() as usize)
        })
        .await
    }
}

async fn add_pending(
    tx: &mut Transaction<'static, Any>,
    certificate: &NewCertificate<'_>,
) -> Result<Replaced, Failure> {
    let replaced: Vec<Vec<u8>> = sqlx::query_scalar(
        "UPDATE certificates SET state = 'retired' WHERE server = $1 AND state = 'pending' RETURNING fingerprint",
    )
    .bind(certificate.server)
    .fetch_all(&mut **tx)
    .await?;
    sqlx::query(
        "INSERT INTO certificates (fingerprint, server, der, not_before_ms, not_after_ms, state) \
         VALUES ($1, $2, $3, $4, $5, 'pending')",
    )
    .bind(certificate.fingerprint.as_slice())
    .bind(certificate.server)
    .bind(certificate.der)
    .bind(ms(certificate.lifetime.not_before))
    .bind(ms(certificate.lifetime.not_after))
    .execute(&mut **tx)
    .await?;
    let what = format!("a certificate of '{}'", certificate.server);
    replaced.iter().map(|fingerprint| hash(&what, fingerprint)).collect()
}

fn certificate((fingerprint, server, der, not_before, not_after, word): Row) -> Result<AgentCertificate, Failure> {
    let what = format!("a certificate of '{server}'");
    Ok(AgentCertificate {
        fingerprint: hash(&what, &fingerprint)?,
        state: state(&what, &word)?,
        server,
        der,
        lifetime: lifetime(not_before, not_after),
    })
}

fn state(what: &str, word: &str) -> Result<CertificateState, Failure> {
    let found = CertificateState::ALL.into_iter().find(|state| state.as_str() == word);
    found.ok_or_else(|| Failure::corrupt(what, format!("its state '{word}' is none")))
}

fn lifetime(not_before: i64, not_after: i64) -> Lifetime {
    Lifetime { not_before: moment(not_before), not_after: moment(not_after) }
}
