//! From a URL to an open, migrated database.
//!
//! SQLite has one writing connection and some that read: writers would only wait for each other, and one that waits in our
//! own queue is never told "locked". A database that is not ours, or of a later version, is refused before anything is
//! touched.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, Connection, Executor};

use super::error::{OpenError, one_line};
use super::schema::{self, Backend};
use super::{Inner, Store};
use crate::limits::{POSTGRES_CONNECTIONS_MAX, SQLITE_READERS_MAX, STORE_ACQUIRE_MAX};

/// For a new file, before its first table: pages that retention frees can then be given back.
const SQLITE_FIRST_SETTINGS: &str = "PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL;";

/// Durable in WAL mode means to sync the log at each commit.
const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -16384;";

/// Others hold a new file for milliseconds.
const SQLITE_OPEN_TRIES: u32 = 20;
/// See [`SQLITE_OPEN_TRIES`].
const SQLITE_OPEN_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// PostgreSQL that was killed reads its log again before it answers: a minute of that is much.
const POSTGRES_START_TRIES: u32 = 121;
/// See [`POSTGRES_START_TRIES`].
const POSTGRES_START_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// What PostgreSQL says of itself while it starts or shuts down: `cannot_connect_now`.
const POSTGRES_NOT_NOW: &str = "57P03";

/// The server, too, gives up on a statement or a transaction that its client has given up on.
const POSTGRES_SETTINGS: &str =
    "SET statement_timeout = '15s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '20s';";

/// What to do where no database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Make,
    Refuse,
}

pub(super) async fn open(url: &str, missing: Missing) -> Result<Store, OpenError> {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);

    let shown: Arc<str> = redacted(url).into();
    match target(url) {
        Ok(Target::Sqlite(path)) => open_sqlite(shown, &path, missing).await,
        Ok(Target::Postgres) => open_postgres(shown, url, missing).await,
        Err(problem) => Err(OpenError::Url { url: shown, problem }),
    }
}

enum Target {
    Sqlite(PathBuf),
    Postgres,
}

fn target(url: &str) -> Result<Target, String> {
    match url.split_once(':') {
        Some(("sqlite", rest)) => {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            match path {
                "" => Err("the path is missing".to_owned()),
                ":memory:" => Err("a store in memory would lose what it acknowledged".to_owned()),
                path => Ok(Target::Sqlite(PathBuf::from(path))),
            }
        }
        Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => Ok(Target::Postgres),
        _ => Err("this is no URL of a database".to_owned()),
    }
}

/// A new file is switched to WAL by whoever is first, and SQLite does not let the others wait for that: they try again.
async fn open_sqlite(shown: Arc<str>, path: &Path, missing: Missing) -> Result<Store, OpenError> {
    for _ in 1..SQLITE_OPEN_TRIES {
        match open_sqlite_once(shown.clone(), path, missing).await {
            Err(OpenError::Connect { problem, .. }) if problem.contains("database is locked") => {
                tokio::time::sleep(SQLITE_OPEN_AGAIN_AFTER).await;
            }
            done => return done,
        }
    }
    open_sqlite_once(shown, path, missing).await
}

async fn open_sqlite_once(shown: Arc<str>, path: &Path, missing: Missing) -> Result<Store, OpenError> {
    let driver_url = format!("sqlite:{}", percent_encoded(path));
    let options = options(&shown, &driver_url)?;
    let is_new = path.metadata().map_or(true, |file| file.len() == 0);
    if is_new && missing == Missing::Refuse {
        return Err(OpenError::Missing { url: shown });
    }
    if !is_new {
        let read_only = self::options(&shown, &format!("{driver_url}?mode=ro"))?;
        refuse(&shown, &read_only, Backend::Sqlite, missing).await?;
    }
    make_private(&shown, path)?;
    if is_new {
        prepare(&options)
            .await
            .map_err(|error| OpenError::Connect { url: shown.clone(), problem: one_line(&error) })?;
    }
    let pool = |connections| {
        AnyPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(STORE_ACQUIRE_MAX)
            .idle_timeout(None)
            .max_lifetime(None)
            .after_connect(|connection, _| Box::pin(async move { connection.execute(SQLITE_SETTINGS).await.map(drop) }))
            .before_acquire(|connection, _| Box::pin(std::future::ready(Ok(is_usable(connection)))))
            .connect_lazy_with(options.clone())
    };
    let (writers, readers) = (pool(1), pool(SQLITE_READERS_MAX));
    schema::migrate(&shown, &writers, Backend::Sqlite).await?;
    Ok(Store { inner: Arc::new(Inner::new(shown, Backend::Sqlite, readers, writers)) })
}

/// A database that is starting, as after a power cut, is waited for; one that is not there at all is told at once.
async fn open_postgres(shown: Arc<str>, url: &str, missing: Missing) -> Result<Store, OpenError> {
    let options = options(&shown, url)?;
    let mut tries = 1;
    while let Err(error) = refuse(&shown, &options, Backend::Postgres, missing).await {
        match error {
            OpenError::Starting { .. } if tries < POSTGRES_START_TRIES => {
                if tries == 1 {
                    let longest = POSTGRES_START_AGAIN_AFTER * (POSTGRES_START_TRIES - 1);
                    tracing::info!("{error}; waiting for it, {} s at most", longest.as_secs());
                }
                tries += 1;
                tokio::time::sleep(POSTGRES_START_AGAIN_AFTER).await;
            }
            error => return Err(error),
        }
    }
    let pool = AnyPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS_MAX)
        .acquire_timeout(STORE_ACQUIRE_MAX)
        .after_connect(|connection, _| Box::pin(async move { connection.execute(POSTGRES_SETTINGS).await.map(drop) }))
        .before_acquire(|connection, _| Box::pin(std::future::ready(Ok(is_usable(connection)))))
        .connect_lazy_with(options);
    schema::migrate(&shown, &pool, Backend::Postgres).await?;
    Ok(Store { inner: Arc::new(Inner::new(shown, Backend::Postgres, pool.clone(), pool)) })
}

fn options(shown: &Arc<str>, url: &str) -> Result<AnyConnectOptions, OpenError> {
    url.parse().map_err(|error| OpenError::Url { url: shown.clone(), problem: one_line(&error) })
}

async fn prepare(options: &AnyConnectOptions) -> Result<(), sqlx::Error> {
    let mut connection = AnyConnection::connect_with(options).await?;
    connection.execute(SQLITE_FIRST_SETTINGS).await?;
    connection.execute(SQLITE_SETTINGS).await?;
    connection.close().await
}

/// A full disk makes SQLite roll back by itself. The driver then takes the connection to be in a transaction for ever, and
/// would begin no other: such a one is closed and a new one made.
fn is_usable(connection: &AnyConnection) -> bool {
    !connection.is_in_transaction()
}

/// Looks through a connection of its own, which changes no setting of the database.
async fn refuse(
    shown: &Arc<str>,
    options: &AnyConnectOptions,
    backend: Backend,
    missing: Missing,
) -> Result<(), OpenError> {
    let look = async {
        let mut connection = AnyConnection::connect_with(options).await?;
        let found = schema::version(&mut connection, backend).await?;
        connection.close().await?;
        Ok::<_, sqlx::Error>(found)
    };
    let answer = tokio::time::timeout(2 * STORE_ACQUIRE_MAX, look).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    match answer {
        Ok(schema::Found::Nothing) if missing == Missing::Refuse => Err(OpenError::Missing { url: shown.clone() }),
        Ok(found) => schema::refuse(shown, found),
        Err(sqlx::Error::Configuration(error)) => {
            Err(OpenError::Url { url: shown.clone(), problem: error.to_string() })
        }
        Err(error) => {
            let not_now =
                error.as_database_error().is_some_and(|told| told.code().as_deref() == Some(POSTGRES_NOT_NOW));
            let (url, problem) = (shown.clone(), one_line(&error));
            Err(if not_now { OpenError::Starting { url, problem } } else { OpenError::Connect { url, problem } })
        }
    }
}

/// The directory belongs to its user alone, and so does the file; SQLite gives its log and index the file's mode.
fn make_private(shown: &Arc<str>, path: &Path) -> Result<(), OpenError> {
    let failed = |path: &Path, error: io::Error| OpenError::Path {
        url: shown.clone(),
        path: path.display().to_string(),
        problem: error.to_string(),
    };
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|error| failed(directory, error))?;
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| failed(path, error))?;
    restrict(&file).map_err(|error| failed(path, error))
}

fn restrict(file: &File) -> io::Result<()> {
    let mode = file.metadata()?.permissions().mode();
    let private = mode & !0o077;
    if mode == private { Ok(()) } else { file.set_permissions(Permissions::from_mode(private)) }
}

fn percent_encoded(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut encoded = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("writing to a string cannot fail");
        }
    }
    encoded
}

/// The URL without its password, whether that stands before the host or among the parameters.
fn redacted(url: &str) -> String {
    let (base, parameters) = url.split_once('?').map_or((url, None), |(base, rest)| (base, Some(rest)));
    let mut shown = match base.split_once("://") {
        Some((scheme, rest)) => {
            let authority_end = rest.find('/').unwrap_or(rest.len());
            match rest[..authority_end].rfind('@') {
                Some(at) => {
                    let user = rest[..at].split(':').next().unwrap_or_default();
                    let hidden = if user.len() < at { ":***" } else { "" };
                    format!("{scheme}://{user}{hidden}{}", &rest[at..])
                }
                None => base.to_owned(),
            }
        }
        None => base.to_owned(),
    };
    for (nth, parameter) in parameters.into_iter().flat_map(|all| all.split('&')).enumerate() {
        shown.push(if nth == 0 { '?' } else { '&' });
        match parameter.split_once('=') {
            Some((key, _)) if key.eq_ignore_ascii_case("password") => shown.push_str("password=***"),
            _ => shown.push_str(parameter),
        }
    }
    shown
}
