//! One aggregator works on a database at a time: two engines on one store would overwrite each other's state.
//!
//! Like a reserved table: the card stays on it as long as the guest does. On PostgreSQL the card is an advisory lock of a
//! session of its own, so that it goes with the process however that ends. When the database itself was away, the card is
//! put back, unless somebody else sits there by then. On SQLite it is the lock on a file beside the database's: two data
//! directories may name the same one.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection, Executor};
use tokio::time::{sleep, timeout};

use super::Store;
use super::error::{ClaimError, one_line};
use super::schema::Backend;
use crate::limits::STORE_ACQUIRE_MAX;

/// Any number does that nobody else uses in the same database.
const CLAIM: &str = "SELECT pg_try_advisory_lock(7867257)";
/// Ends the session that holds the claim, if it is the one named: a dead link may leave ours behind.
const END_OURS: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND \
    objid = 7867257 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND \
    pid = $1";
/// A session that is told to end does so within a moment.
const ENDING_TRIES: u32 = 20;
/// See [`ENDING_TRIES`].
const ENDING_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// The server notices within half a minute that the host of a claim is gone, and lets go of it.
const SETTINGS: &str = "SET tcp_keepalives_idle = 15; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";
/// How often it is made sure that the claim still stands.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The right to work on a database, for as long as the value lives.
#[derive(Debug)]
pub struct Claim {
    card: Card,
}

#[derive(Debug)]
enum Card {
    /// SQLite: held as long as it is open.
    File(#[expect(dead_code, reason = "it is held")] File),
    /// PostgreSQL.
    Session(Session),
}

#[derive(Debug)]
struct Session {
    url: Arc<str>,
    options: AnyConnectOptions,
    held: Held,
}

/// A connection whose session holds the claim.
#[derive(Debug)]
struct Held {
    connection: AnyConnection,
    /// The server's number of the session.
    pid: i32,
}

impl Store {
    /// Claims the database for this process alone.
    pub async fn claim(&self) -> Result<Claim, ClaimError> {
        match self.inner.backend {
            Backend::Sqlite => self.lock_beside().await.map(|file| Claim { card: Card::File(file) }),
            Backend::Postgres => {
                let (url, options) = (self.inner.url.clone(), (*self.inner.writers.connect_options()).clone());
                let held = claimed(&url, &options, None).await?;
                Ok(Claim { card: Card::Session(Session { url, options, held }) })
            }
        }
    }

    /// The lock on `‹database›.lock`. The database's own file is locked by SQLite, whose locks another one would undo.
    async fn lock_beside(&self) -> Result<File, ClaimError> {
        let failed = |problem: String| ClaimError::Connect { url: self.inner.url.clone(), problem };
        // As SQLite has it: absolute, with links followed, so that one file has one name.
        let file = sqlx::query_scalar("SELECT file FROM pragma_database_list WHERE name = 'main'");
        let file: String = file.fetch_one(&self.inner.readers).await.map_err(|error| failed(one_line(&error)))?;
        let path = format!("{file}.lock");
        let opened = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let opened = opened.map_err(|problem| failed(format!("{path}: {problem}")))?;
        match opened.try_lock() {
            Ok(()) => Ok(opened),
            Err(TryLockError::WouldBlock) => Err(ClaimError::Taken { url: self.inner.url.clone() }),
            Err(TryLockError::Error(problem)) => Err(failed(format!("{path}: {problem}"))),
        }
    }
}

impl Claim {
    /// Holds it. Returns only when somebody else has the database, because it was away and they were quicker.
    pub async fn hold(mut self) -> ClaimError {
        let Card::Session(session) = &mut self.card else { return std::future::pending().await };
        loop {
            sleep(LOOK_EVERY).await;
            let look = timeout(STORE_ACQUIRE_MAX, session.held.connection.ping());
            if matches!(look.await, Ok(Ok(()))) {
                continue;
            }
            match claimed(&session.url, &session.options, Some(session.held.pid)).await {
                Ok(held) => {
                    tracing::info!("the database was away and is claimed again");
                    session.held = held;
                }
                Err(taken @ ClaimError::Taken { .. }) => return taken,
                // Still away: so is everybody else.
                Err(ClaimError::Connect { .. }) => {}
            }
        }
    }
}

/// A session that holds the claim, be it in the place of an earlier one of ours.
async fn claimed(url: &Arc<str>, options: &AnyConnectOptions, earlier: Option<i32>) -> Result<Held, ClaimError> {
    let claiming = async {
        let mut connection = AnyConnection::connect_with(options).await?;
        connection.execute(SETTINGS).await?;
        let mut is_ours: bool = sqlx::query_scalar(CLAIM).fetch_one(&mut connection).await?;
        if let Some(pid) = earlier.filter(|_| !is_ours) {
            let ended: i64 = sqlx::query_scalar(END_OURS).bind(pid).fetch_one(&mut connection).await?;
            for _ in 0..ENDING_TRIES {
                if is_ours || ended == 0 {
                    break;
                }
                sleep(ENDING_AGAIN_AFTER).await;
                is_ours = sqlx::query_scalar(CLAIM).fetch_one(&mut connection).await?;
            }
        }
        let pid: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut connection).await?;
        Ok::<_, sqlx::Error>(is_ours.then_some(Held { connection, pid }))
    };
    match timeout(2 * STORE_ACQUIRE_MAX, claiming).await.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
        Ok(Some(held)) => Ok(held),
        Ok(None) => Err(ClaimError::Taken { url: url.clone() }),
        Err(error) => Err(ClaimError::Connect { url: url.clone(), problem: one_line(&error) }),
    }
}

#[cfg(test)]
impl Claim {
    /// Claims anew while the earlier session lives on, as behind a link that is dead on this side alone. Returns whether
    /// that one was ended.
    pub(super) async fn again(&mut self) -> Result<bool, ClaimError> {
        let Card::Session(session) = &mut self.card else { return Ok(false) };
        let held = claimed(&session.url, &session.options, Some(session.held.pid)).await?;
        let mut earlier = std::mem::replace(&mut session.held, held);
        Ok(earlier.connection.ping().await.is_err())
    }
}
