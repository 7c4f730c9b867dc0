//! Who is signed in: the hash of each cookie, and the token that it stands for. It says no more than its token does, and
//! ends with it.

use quorate_core::time::Moment;

use super::convert::{moment, ms, text};
use super::error::{Failure, StoreError};
use super::tokens::{self, Token};
use super::{Store, commit_at};
use crate::limits::{SIGN_IN_IDLE_MAX, SIGN_IN_MAX, SIGN_INS_PER_TOKEN_MAX};

/// A sign-in to be kept.
#[derive(Debug, Clone)]
pub struct NewSignIn {
    /// SHA-256 of the cookie's secret.
    pub hash: [u8; 32],
    /// Id of the token that was shown.
    pub token: String,
    /// From where, for people.
    pub from: String,
    /// When.
    pub at: Moment,
}

/// A sign-in whose token was not revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// What it stands for.
    pub token: Token,
    /// When it began.
    pub opened_at: Moment,
    /// When it was last used, to within some minutes.
    pub used_at: Moment,
}

impl SignIn {
    /// Until when it holds if it is not used again.
    pub fn expires_at(&self) -> Moment {
        let own = self.opened_at.after(SIGN_IN_MAX).min(self.used_at.after(SIGN_IN_IDLE_MAX));
        self.token.expires_at.map_or(own, |end| end.min(own))
    }
}

impl Store {
    /// Keeps a sign-in. Where its token has too many, the one that was not used for longest makes room.
    pub async fn open_sign_in(&self, new: &NewSignIn) -> Result<(), StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            sqlx::query(
                "DELETE FROM sign_ins WHERE token = $1 AND hash NOT IN \
                 (SELECT hash FROM sign_ins WHERE token = $1 ORDER BY used_at_ms DESC, hash LIMIT $2)",
            )
            .bind(new.token.as_str())
            .bind(SIGN_INS_PER_TOKEN_MAX - 1)
            .execute(&mut *tx)
            .await?;
            sqlx::query(
                "INSERT INTO sign_ins (hash, token, from_addr, opened_at_ms, used_at_ms) VALUES ($1, $2, $3, $4, $4)",
            )
            .bind(new.hash.as_slice())
            .bind(new.token.as_str())
            .bind(text(&new.from))
            .bind(ms(new.at))
            .execute(&mut *tx)
            .await?;
            commit_at(tx, new.at).await?;
            Ok(())
        })
        .await
    }

    /// The sign-in of that cookie's hash. Whether it has expired is for the caller to see.
    pub async fn find_sign_in(&self, hash: &[u8; 32]) -> Result<Option<SignIn>, StoreError> {
        self.call(async {
            type Row = (String, String, String, i64, Option<i64>, i64, i64);
            let row: Option<Row> = sqlx::query_as(
                "SELECT tokens.id, tokens.name, tokens.scopes, tokens.created_at_ms, tokens.expires_at_ms, \
                 sign_ins.opened_at_ms, sign_ins.used_at_ms \
                 FROM sign_ins JOIN tokens ON tokens.id = sign_ins.token WHERE sign_ins.hash = $1",
            )
            .bind(hash.as_slice())
            .fetch_optional(&self.inner.readers)
            .await?;
            let found = row.map(|(id, name, scopes, created_at, expires_at, opened_at, used_at)| {
                let token = tokens::token((id, name, scopes, created_at, expires_at))?;
                Ok(SignIn { token, opened_at: moment(opened_at), used_at: moment(used_at) })
            });
            found.transpose().map_err(|failure: Failure| failure)
        })
        .await
    }

    /// Notes that a sign-in is used.
    pub async fn use_sign_in(&self, hash: &[u8; 32], at: Moment) -> Result<(), StoreError> {
        self.call(async {
            sqlx::query("UPDATE sign_ins SET used_at_ms = $1 WHERE hash = $2 AND used_at_ms < $1")
                .bind(ms(at))
                .bind(hash.as_slice())
                .execute(&self.inner.writers)
                .await?;
            Ok(())
        })
        .await
    }

    /// Ends a sign-in; false if there was none.
    pub async fn close_sign_in(&self, hash: &[u8; 32]) -> Result<bool, StoreError> {
        self.call(async {
            let statement = sqlx::query("DELETE FROM sign_ins WHERE hash = $1").bind(hash.as_slice());
            Ok(statement.execute(&self.inner.writers).await?.rows_affected() > 0)
        })
        .await
    }
}
