//! API tokens: only their hashes are kept, so that a copy of the database opens no door.

use std::fmt;
use std::str::FromStr;

use quorate_core::time::Moment;

use super::convert::{moment, ms, text};
use super::error::{Failure, StoreError};
use super::{Store, commit_at};

/// What a token may do. Each stands for itself: `admin` alone does not read feeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenScope {
    /// See everything but secrets.
    Read,
    /// Fetch feeds of routes.
    Feed,
    /// Change things.
    Admin,
}

impl TokenScope {
    /// All.
    pub const ALL: [Self; 3] = [Self::Read, Self::Feed, Self::Admin];

    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Feed => "feed",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for TokenScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope: use read, feed or admin")]
pub struct UnknownScope;

impl FromStr for TokenScope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word).ok_or(UnknownScope)
    }
}

/// A token to be kept.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Unique; not secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<TokenScope>,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// When it was made.
    pub created_at: Moment,
    /// Until when it holds; none is for ever.
    pub expires_at: Option<Moment>,
}

/// A token that was not revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Unique; not secret.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<TokenScope>,
    /// When it was made.
    pub created_at: Moment,
    /// Until when it holds; none is for ever.
    pub expires_at: Option<Moment>,
}

impl Token {
    /// Whether it has not expired.
    pub fn is_valid_at(&self, now: Moment) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether it may do that.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }
}

pub(super) type Row = (String, String, String, i64, Option<i64>);

impl Store {
    /// Keeps a token. An id or secret that exists is refused.
    pub async fn create_token(&self, token: &NewToken) -> Result<(), StoreError> {
        self.call(async {
            let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
            let mut tx = self.begin().await?;
            sqlx::query(
                "INSERT INTO tokens (id, name, scopes, hash, created_at_ms, expires_at_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(token.id.as_str())
            .bind(text(&token.name))
            .bind(scopes.join(" "))
            .bind(token.hash.as_slice())
            .bind(ms(token.created_at))
            .bind(token.expires_at.map(ms))
            .execute(&mut *tx)
            .await?;
            commit_at(tx, token.created_at).await?;
            Ok(())
        })
        .await
    }

    /// All tokens, oldest first.
    pub async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, name, scopes, created_at_ms, expires_at_ms FROM tokens ORDER BY created_at_ms, id",
            )
            .fetch_all(&self.inner.readers)
            .await?;
            found.into_iter().map(token).collect()
        })
        .await
    }

    /// Forgets a token and ends all sign-ins with it; what it was, if there was one.
    pub async fn revoke_token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            let gone: Option<Row> = sqlx::query_as(
                "DELETE FROM tokens WHERE id = $1 RETURNING id, name, scopes, created_at_ms, expires_at_ms",
            )
            .bind(id)
            .fetch_optional(&mut *tx)
            .await?;
            sqlx::query("DELETE FROM sign_ins WHERE token = $1").bind(id).execute(&mut *tx).await?;
            tx.commit().await?;
            gone.map(token).transpose()
        })
        .await
    }

    /// The token of that secret's hash. Whether it has expired is for the caller to see.
    pub async fn find_token(&self, hash: &[u8; 32]) -> Result<Option<Token>, StoreError> {
        self.call(async {
            let row: Option<Row> =
                sqlx::query_as("SELECT id, name, scopes, created_at_ms, expires_at_ms FROM tokens WHERE hash = $1")
                    .bind(hash.as_slice())
                    .fetch_optional(&self.inner.readers)
                    .await?;
            row.map(token).transpose()
        })
        .await
    }
}

pub(super) fn token((id, name, scopes, created_at, expires_at): Row) -> Result<Token, Failure> {
    let parsed = scopes.split_whitespace().map(str::parse).collect::<Result<_, _>>();
    let scopes = parsed.map_err(|error: UnknownScope| Failure::corrupt(format!("token '{id}'"), error))?;
    Ok(Token { id, name, scopes, created_at: moment(created_at), expires_at: expires_at.map(moment) })
}
