//! The store: everything that outlives the process, in SQLite or PostgreSQL behind one set of queries.
//!
//! The everyday picture: a bound ledger with numbered pages. Nothing is answered "noted" before the ink is dry, pages are
//! never renumbered, and what is torn out when the book is full leaves its number behind.
//!
//! Always true: what a call has answered survives a SIGKILL and a power cut in the next instant; a call that failed or was
//! dropped has changed nothing or everything; report ids grow in the order of commits. The store knows no rules and no
//! clock: every moment is handed in, and payloads are opaque.

mod audit;
mod certificates;
mod channels;
mod claim;
mod convert;
mod copy;
mod deliveries;
mod enrolments;
mod error;
mod events;
mod folded;
mod inventories;
mod keyframes;
mod open;
mod plans;
mod reports;
mod retention;
mod schema;
mod sessions;
mod sign_ins;
#[cfg(feature = "simulation")]
pub(crate) mod simulated;
mod statuses;
mod tokens;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quorate_core::time::Moment;
use sqlx::{Any, AnyPool, Transaction};

pub use audit::{AuditRow, NewAudit};
pub use certificates::{AgentCertificate, CertificateState, NewCertificate, PinnedCertificate, Replaced};
pub use channels::{ChannelNews, Mute, StoredChannel, ToldRow};
pub use claim::Claim;
pub use deliveries::{Attempt, Delivery, DeliveryState, NewDelivery};
pub use enrolments::{Consumed, NewEnrolment};
pub use error::{ClaimError, CopyError, OpenError, ReplaceError, StoreError};
pub use events::EventQuery;
pub use folded::{Checkpoint, StandingRow};
pub use inventories::StoredInventory;
pub use keyframes::{Absence, Keyframe};
pub use plans::{PlannedTarget, StoredPlan};
pub use reports::{ArchivedReport, NewReport, Stored};
pub use retention::{Pruned, Retention};
pub use sessions::{NewSession, Session};
pub use sign_ins::{NewSignIn, SignIn};
#[cfg(feature = "simulation")]
pub use simulated::{Fate, Weather};
pub use statuses::{StatusChange, StatusSpan};
pub use tokens::{NewToken, Token, TokenScope};

pub use crate::digest::sha256;
use crate::limits::STORE_CALL_MAX;
use convert::{ms, unsigned};
use error::Failure;
use schema::Backend;

/// Where it is tried whether there is room again.
const ROOM: &str = "room";
/// A fact that is there is replaced.
const REMEMBER: &str =
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
/// As much as a few reports: the last free page of a full disk is no room.
const ROOM_BYTES: usize = 64 * 1024;

/// An open database. Cheap to clone; all clones share the connections.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    url: Arc<str>,
    backend: Backend,
    readers: AnyPool,
    writers: AnyPool,
    /// The last attempt to write failed.
    refuses: AtomicBool,
    #[cfg(feature = "simulation")]
    simulated: std::sync::OnceLock<simulated::Simulated>,
}

impl Inner {
    fn new(url: Arc<str>, backend: Backend, readers: AnyPool, writers: AnyPool) -> Self {
        Self {
            url,
            backend,
            readers,
            writers,
            refuses: AtomicBool::new(false),
            #[cfg(feature = "simulation")]
            simulated: std::sync::OnceLock::new(),
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Store").field(&self.inner.url).finish()
    }
}

impl Store {
    /// Opens the database at `sqlite:PATH` or `postgres://…`, makes it when it is new, and brings its schema up to date.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        open::open(url, open::Missing::Make).await
    }

    /// Opens the database only if there is one; for those who only look.
    pub async fn open_existing(url: &str) -> Result<Self, OpenError> {
        open::open(url, open::Missing::Refuse).await
    }

    /// Which database, without its password.
    pub fn url(&self) -> &str {
        &self.inner.url
    }

    /// The highest time ever stored, for the clock to start no earlier.
    pub async fn latest_moment(&self) -> Result<Moment, StoreError> {
        self.call(async {
            let value: i64 = sqlx::query_scalar("SELECT value FROM counters WHERE name = 'moment'")
                .fetch_one(&self.inner.readers)
                .await?;
            Ok(Moment::from_ms(unsigned(value)))
        })
        .await
    }

    /// Whether the database answers, and takes what is written where it lately did not: a full disk still reads, but
    /// whoever takes no reports is as cut off as who hears none.
    pub async fn ping(&self) -> Result<(), StoreError> {
        if !self.inner.refuses.load(Ordering::Relaxed) {
            return self.latest_moment().await.map(drop);
        }
        self.set_meta(ROOM, &" ".repeat(ROOM_BYTES)).await?;
        self.set_meta(ROOM, "").await?;
        self.inner.refuses.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Remembers a small fact under a name.
    pub async fn set_meta(&self, key: &str, value: &str) -> Result<(), StoreError> {
        self.call(async {
            sqlx::query(REMEMBER).bind(key).bind(value).execute(&self.inner.writers).await?;
            Ok(())
        })
        .await
    }

    /// The fact under a name; `value` becomes it if there is none.
    pub async fn meta_or(&self, key: &str, value: &str) -> Result<String, StoreError> {
        self.call(async {
            sqlx::query("INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
                .bind(key)
                .bind(value)
                .execute(&self.inner.writers)
                .await?;
            let query = sqlx::query_scalar("SELECT value FROM meta WHERE name = $1").bind(key);
            Ok(query.fetch_one(&self.inner.writers).await?)
        })
        .await
    }

    /// The fact under a name.
    pub async fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.call(async {
            let value = sqlx::query_scalar("SELECT value FROM meta WHERE name = $1")
                .bind(key)
                .fetch_optional(&self.inner.readers)
                .await?;
            Ok(value)
        })
        .await
    }

    /// Ends all connections; SQLite folds its log into the file. Calls after it fail.
    pub async fn close(&self) {
        self.inner.readers.close().await;
        self.inner.writers.close().await;
    }

    /// Runs one call within its time and names the database in what went wrong.
    async fn call<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, StoreError> {
        #[cfg(feature = "simulation")]
        let work = simulated::disturbed(self.inner.simulated.get(), work);
        match tokio::time::timeout(STORE_CALL_MAX, work).await {
            Ok(done) => done.map_err(|failure| failure.at(&self.inner.url)),
            Err(_) => Err(StoreError::Unavailable {
                url: self.inner.url.clone(),
                problem: format!("no answer within {} s", STORE_CALL_MAX.as_secs()),
            }),
        }
    }

    /// A call that writes, and remembers whether it could.
    async fn write<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, StoreError> {
        let done = self.call(work).await;
        match &done {
            Ok(_) => self.inner.refuses.store(false, Ordering::Relaxed),
            Err(StoreError::Unavailable { .. }) => self.inner.refuses.store(true, Ordering::Relaxed),
            // The row was refused, not the writing.
            Err(StoreError::Exists { .. } | StoreError::TooLarge { .. } | StoreError::Corrupt { .. }) => {}
        }
        done
    }

    /// A transaction that writes. SQLite takes the lock at once: to read first and find it taken later could not be mended.
    async fn begin(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.inner.backend {
            Backend::Sqlite => self.inner.writers.begin_with("BEGIN IMMEDIATE").await,
            Backend::Postgres => self.inner.writers.begin().await,
        }
    }
}

/// Remembers a small fact under a name, with whatever else the transaction stores.
async fn remember(tx: &mut Transaction<'static, Any>, name: &str, value: &str) -> Result<(), sqlx::Error> {
    sqlx::query(REMEMBER).bind(name).bind(value).execute(&mut **tx).await?;
    Ok(())
}

/// Adds to a counter and returns what it then is. Holds its row until the transaction ends.
async fn add(tx: &mut Transaction<'static, Any>, name: &'static str, amount: i64) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("UPDATE counters SET value = value + $1 WHERE name = $2 RETURNING value")
        .bind(amount)
        .bind(name)
        .fetch_one(&mut **tx)
        .await
}

/// Raises a counter to `value` if it is lower.
async fn raise(tx: &mut Transaction<'static, Any>, name: &'static str, value: i64) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE counters SET value = $1 WHERE name = $2 AND value < $1")
        .bind(value)
        .bind(name)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Ends a transaction, noting the moment that is being stored. The note comes last, so that its row is held for the commit
/// only and two transactions never wait for each other.
async fn commit_at(mut tx: Transaction<'static, Any>, at: Moment) -> Result<(), sqlx::Error> {
    raise(&mut tx, "moment", ms(at)).await?;
    tx.commit().await
}

#[cfg(test)]
mod tests;
