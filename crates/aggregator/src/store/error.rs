//! What can go wrong with the store, told in one line each that names the database.

use std::sync::Arc;

/// A call on an open store failed. All of it is stored or nothing; mostly nothing, but a database may have gone between
/// doing and telling. So every call that is tried again must be one that may be: all are but those that say otherwise.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Gone, full, locked or too slow. The same call may succeed later.
    #[error("store {url}: {problem}")]
    Unavailable {
        /// Which database, without its password.
        url: Arc<str>,
        /// What it said.
        problem: String,
    },
    /// A row of that name is there already.
    #[error("store {url}: it exists already: {problem}")]
    Exists {
        /// Which database, without its password.
        url: Arc<str>,
        /// What it said.
        problem: String,
    },
    /// What is asked to be stored is beyond a limit; it will never fit.
    #[error("store: {what} is too large: {size}, at most {limit}")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A row that this version cannot read: written by hand, or by a disk that lies.
    #[error("store {url}: {what} cannot be read: {problem}; restore a backup")]
    Corrupt {
        /// Which database, without its password.
        url: Arc<str>,
        /// Which row.
        what: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// Why a store was not opened.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// The URL names no database of a kind that is known.
    #[error("store '{url}': {problem}; use sqlite:PATH or postgres://USER@HOST/DATABASE")]
    Url {
        /// As given, without its password.
        url: Arc<str>,
        /// What is wrong with it.
        problem: String,
    },
    /// The directory or file of a SQLite database.
    #[error("store {url}: {path}: {problem}")]
    Path {
        /// As given.
        url: Arc<str>,
        /// Which file or directory.
        path: String,
        /// What the system said.
        problem: String,
    },
    /// The database does not answer, or refuses.
    #[error("store {url}: {problem}")]
    Connect {
        /// Without its password.
        url: Arc<str>,
        /// What it said.
        problem: String,
    },
    /// The database is there, and takes nobody in yet.
    #[error("store {url}: {problem}")]
    Starting {
        /// Without its password.
        url: Arc<str>,
        /// What it said.
        problem: String,
    },
    /// Nobody made a database there yet, and none is to be made.
    #[error("store {url}: there is no database: check the path or name")]
    Missing {
        /// Without its password.
        url: Arc<str>,
    },
    /// A later version of this program has been here. Nothing was touched.
    #[error("store {url} has schema version {found}, this program knows up to {known}: use the newer program")]
    Newer {
        /// Without its password.
        url: Arc<str>,
        /// Version of the database.
        found: u64,
        /// Newest version of this program.
        known: u64,
    },
    /// The database belongs to something else. Nothing was touched.
    #[error("store {url} holds tables that are not this program's: give it a database of its own")]
    Foreign {
        /// Without its password.
        url: Arc<str>,
    },
    /// A migration failed; the database is as it was before.
    #[error("store {url}: migration to version {version}: {problem}")]
    Migration {
        /// Without its password.
        url: Arc<str>,
        /// Which.
        version: u64,
        /// What the database said.
        problem: String,
    },
}

/// Why a database was not claimed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClaimError {
    /// Another aggregator works on it.
    #[error("store {url}: another aggregator works on it; stop that one, or give this one a database of its own")]
    Taken {
        /// Without its password.
        url: Arc<str>,
    },
    /// The database does not answer, or refuses.
    #[error("store {url}: {problem}")]
    Connect {
        /// Without its password.
        url: Arc<str>,
        /// What it said.
        problem: String,
    },
}

/// Why an inventory was not replaced.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReplaceError {
    /// Somebody else was first: read again, decide again.
    #[error("the inventory has changed meanwhile: it is at version {current}")]
    Conflict {
        /// Its version.
        current: u64,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a database was not copied.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CopyError {
    /// The target holds something already. It stays as it is.
    #[error("store {url} is in use already: copy into a new database")]
    Used {
        /// The target.
        url: Arc<str>,
    },
    /// One of the two stores. The target is as it was.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A failure inside a call, before it is known which database it was.
#[derive(Debug)]
pub(super) enum Failure {
    Sql(sqlx::Error),
    TooLarge { what: &'static str, size: u64, limit: u64 },
    Corrupt { what: String, problem: String },
}

impl Failure {
    pub fn corrupt(what: impl Into<String>, problem: impl std::fmt::Display) -> Self {
        Self::Corrupt { what: what.into(), problem: problem.to_string() }
    }

    pub fn at(self, url: &Arc<str>) -> StoreError {
        match self {
            Self::Sql(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                StoreError::Exists { url: url.clone(), problem: one_line(&sqlx::Error::Database(error)) }
            }
            Self::Sql(error) => StoreError::Unavailable { url: url.clone(), problem: one_line(&error) },
            Self::TooLarge { what, size, limit } => StoreError::TooLarge { what, size, limit },
            Self::Corrupt { what, problem } => StoreError::Corrupt { url: url.clone(), what, problem },
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

/// What the database said, in one line and without the driver's preface.
pub(super) fn one_line(error: &sqlx::Error) -> String {
    let text = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::PoolTimedOut => "no connection in time: the database is down, or busy".to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
