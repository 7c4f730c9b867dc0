//! The agents' certificates, pinned by their hash: what is not here is nobody's.

use quorate_core::time::Moment;

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

/// A certificate of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCertificate {
    /// SHA-256 of `der`.
    pub fingerprint: [u8; 32],
    /// Whose.
    pub server: String,
    /// The certificate.
    pub der: Vec<u8>,
    /// From when it holds.
    pub not_before: Moment,
    /// Until when.
    pub not_after: Moment,
    /// Where it is in its life.
    pub state: CertificateState,
}

/// A certificate that lets its agent in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedCertificate {
    /// SHA-256 of the certificate.
    pub fingerprint: [u8; 32],
    /// Whose.
    pub server: String,
    /// Until when it holds.
    pub not_after: Moment,
}

type Row = (Vec<u8>, String, Vec<u8>, i64, i64, String);

impl Store {
    /// Adds a certificate; one that is there stays as it is.
    pub async fn add_certificate(&self, certificate: &AgentCertificate) -> Result<(), StoreError> {
        self.call(async {
            sqlx::query(
                "INSERT INTO certificates (fingerprint, server, der, not_before_ms, not_after_ms, state) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (fingerprint) DO NOTHING",
            )
            .bind(certificate.fingerprint.as_slice())
            .bind(certificate.server.as_str())
            .bind(certificate.der.as_slice())
            .bind(ms(certificate.not_before))
            .bind(ms(certificate.not_after))
            .bind(certificate.state.as_str())
            .execute(&self.inner.writers)
            .await?;
            Ok(())
        })
        .await
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
            let found: Vec<(Vec<u8>, String, i64)> = sqlx::query_as(
                "SELECT fingerprint, server, not_after_ms FROM certificates WHERE state IN ('pending', 'active')",
            )
            .fetch_all(&self.inner.readers)
            .await?;
            found
                .into_iter()
                .map(|(fingerprint, server, not_after)| {
                    let what = format!("a certificate of '{server}'");
                    Ok(PinnedCertificate {
                        fingerprint: hash(&what, &fingerprint)?,
                        server,
                        not_after: moment(not_after),
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

fn certificate((fingerprint, server, der, not_before, not_after, word): Row) -> Result<AgentCertificate, Failure> {
    let what = format!("a certificate of '{server}'");
    let state = CertificateState::ALL.into_iter().find(|state| state.as_str() == word);
    Ok(AgentCertificate {
        fingerprint: hash(&what, &fingerprint)?,
        state: state.ok_or_else(|| Failure::corrupt(what, format!("its state '{word}' is none")))?,
        server,
        der,
        not_before: moment(not_before),
        not_after: moment(not_after),
    })
}
