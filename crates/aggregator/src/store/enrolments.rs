//! One-time tokens with which a server gets its first certificate.
//!
//! A token is spent on the first key that comes with it. The same key may come again: its answer was lost. Any other key
//! is somebody else.

use quorate_core::time::Moment;
use subtle::ConstantTimeEq;

use super::Store;
use super::convert::{moment, ms};
use super::error::StoreError;

/// An enrolment to be offered.
#[derive(Debug, Clone)]
pub struct NewEnrolment {
    /// Unique; not secret.
    pub id: String,
    /// Whose certificate it will give.
    pub server: String,
    /// [`super::sha256`] of the token's secret.
    pub hash: [u8; 32],
    /// Until when.
    pub expires_at: Moment,
}

/// What became of a token that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consumed {
    /// Spent on this key: make a certificate for the server, then finish the enrolment.
    First {
        /// Whose.
        server: String,
    },
    /// This key has had its certificate: give it again.
    Again {
        /// Whose.
        server: String,
        /// The certificate.
        certificate_der: Vec<u8>,
    },
    /// Spent on another key.
    OtherKey {
        /// Whose.
        server: String,
    },
    /// The server was revoked since.
    Used,
    /// Too late.
    Expired,
    /// No such token.
    Unknown,
}

type Row = (String, Vec<u8>, i64, i64, Option<Vec<u8>>, Option<Vec<u8>>);

impl Store {
    /// Offers an enrolment. An id that exists is refused.
    pub async fn create_enrolment(&self, enrolment: &NewEnrolment) -> Result<(), StoreError> {
        self.call(async {
            sqlx::query("INSERT INTO enrolments (id, server, hash, expires_at_ms) VALUES ($1, $2, $3, $4)")
                .bind(enrolment.id.as_str())
                .bind(enrolment.server.as_str())
                .bind(enrolment.hash.as_slice())
                .bind(ms(enrolment.expires_at))
                .execute(&self.inner.writers)
                .await?;
            Ok(())
        })
        .await
    }

    /// Spends a token on a key, atomically: of two keys that come at once, one is first.
    pub async fn consume_enrolment(
        &self,
        id: &str,
        hash: &[u8; 32],
        key_fingerprint: &[u8; 32],
        now: Moment,
    ) -> Result<Consumed, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            // Writes nothing, but whoever else has this token waits here.
            sqlx::query("UPDATE enrolments SET closed = closed WHERE id = $1").bind(id).execute(&mut *tx).await?;
            let row: Option<Row> = sqlx::query_as(
                "SELECT server, hash, expires_at_ms, closed, key_fingerprint, certificate_der \
                 FROM enrolments WHERE id = $1",
            )
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
            let Some((server, stored_hash, expires_at, closed, key, certificate)) = row else {
                return Ok(Consumed::Unknown);
            };
            if !bool::from(stored_hash.as_slice().ct_eq(hash)) {
                return Ok(Consumed::Unknown);
            }
            let is_late = now >= moment(expires_at);
            let answer = match (closed, key, certificate) {
                (1.., _, _) => Consumed::Used,
                (_, Some(key), _) if key != key_fingerprint => Consumed::OtherKey { server },
                (_, Some(_), Some(certificate_der)) => Consumed::Again { server, certificate_der },
                _ if is_late => Consumed::Expired,
                // The key came before, and its certificate was never made.
                (_, Some(_), None) => Consumed::First { server },
                (_, None, _) => {
                    sqlx::query("UPDATE enrolments SET key_fingerprint = $1 WHERE id = $2")
                        .bind(key_fingerprint.as_slice())
                        .bind(id)
                        .execute(&mut *tx)
                        .await?;
                    Consumed::First { server }
                }
            };
            tx.commit().await?;
            Ok(answer)
        })
        .await
    }

    /// Whether there is such a token, spent or not. Writes nothing, so it waits for nobody who does.
    pub async fn knows_enrolment(&self, id: &str, hash: &[u8; 32]) -> Result<bool, StoreError> {
        self.call(async {
            let stored: Option<Vec<u8>> = sqlx::query_scalar("SELECT hash FROM enrolments WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.inner.readers)
                .await?;
            Ok(stored.is_some_and(|stored| bool::from(stored.as_slice().ct_eq(hash))))
        })
        .await
    }

    /// Keeps the certificate that an enrolment gave; the first one stays.
    pub async fn finish_enrolment(&self, id: &str, certificate_der: &[u8]) -> Result<(), StoreError> {
        self.call(async {
            sqlx::query("UPDATE enrolments SET certificate_der = $1 WHERE id = $2 AND certificate_der IS NULL")
                .bind(certificate_der)
                .bind(id)
                .execute(&self.inner.writers)
                .await?;
            Ok(())
        })
        .await
    }
}
