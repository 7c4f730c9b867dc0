//! What is not ours, or newer than this program, is refused in one line and stays as it is.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::super::schema::VERSION;
use super::super::{OpenError, Store};
use super::{Place, report};

async fn refused(url: &str) -> String {
    let line = Store::open(url).await.unwrap_err().to_string();
    assert!(!line.contains('\n'), "{line}");
    line
}

/// All files of a directory with their content.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    files.map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap())).collect()
}

pub async fn a_database_of_a_newer_version_is_refused(place: Place) {
    let store = place.open().await;
    sqlx::raw_sql("INSERT INTO quorate_schema (version) VALUES (99)").execute(&store.inner.writers).await.unwrap();
    store.close().await;
    let line = refused(&place.url).await;
    let told = format!(" has schema version 99, this program knows up to {VERSION}: use the newer program");
    assert!(line.ends_with(&told), "{line}");
    assert!(line.starts_with("store ") && !line.contains("secret"), "{line}");
}

pub async fn a_database_of_somebody_else_is_refused(place: Place) {
    let store = place.open().await;
    sqlx::raw_sql("ALTER TABLE quorate_schema RENAME TO theirs").execute(&store.inner.writers).await.unwrap();
    store.close().await;
    assert!(matches!(Store::open(&place.url).await, Err(OpenError::Foreign { .. })));
}

pub async fn many_who_open_a_new_database_at_once_make_it_once(place: Place) {
    let openers = (0..6).map(|_| {
        let url = place.url.clone();
        tokio::spawn(async move { Store::open(&url).await })
    });
    for opener in openers.collect::<Vec<_>>() {
        opener.await.unwrap().unwrap();
    }
    let store = place.open().await;
    let versions: i64 =
        sqlx::query_scalar("SELECT COUNT(*) FROM quorate_schema").fetch_one(&store.inner.readers).await.unwrap();
    assert_eq!(versions, VERSION.cast_signed());
}

#[tokio::test]
async fn a_refused_file_is_not_touched() {
    let place = Place::sqlite();
    let store = place.open().await;
    sqlx::raw_sql("INSERT INTO quorate_schema (version) VALUES (99)").execute(&store.inner.writers).await.unwrap();
    store.close().await;
    let path = place.url.strip_prefix("sqlite:").unwrap();
    let directory = Path::new(path).parent().unwrap();
    let before = contents(directory);
    refused(&place.url).await;
    let mut after = contents(directory);
    // To read it, SQLite needs its index beside it; an empty log says that nothing was written.
    after.retain(|name, content| !(name.ends_with("-shm") || name.ends_with("-wal") && content.is_empty()));
    assert_eq!(after, before);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "to do: buy a database\n".repeat(100)).unwrap();
    let before = contents(directory.path());
    assert_eq!(
        refused(&format!("sqlite:{}", path.display())).await,
        format!("store sqlite:{}: file is not a database", path.display())
    );
    assert_eq!(contents(directory.path()), before);
}

#[tokio::test]
async fn a_wrong_url_is_told_with_the_right_ones() {
    for (url, line) in [
        ("", "store '': this is no URL of a database; use sqlite:PATH or postgres://USER@HOST/DATABASE"),
        (
            "mysql://h/d",
            "store 'mysql://h/d': this is no URL of a database; use sqlite:PATH or postgres://USER@HOST/DATABASE",
        ),
        ("sqlite:", "store 'sqlite:': the path is missing; use sqlite:PATH or postgres://USER@HOST/DATABASE"),
        (
            "sqlite::memory:",
            "store 'sqlite::memory:': a store in memory would lose what it acknowledged; use sqlite:PATH or \
             postgres://USER@HOST/DATABASE",
        ),
    ] {
        assert_eq!(refused(url).await, line);
    }
}

#[tokio::test]
async fn a_password_is_never_told() {
    for url in [
        "postgres://ann:secret@127.0.0.1:1/d",
        "postgres://ann:se@cret:secret@127.0.0.1:1/d",
        "postgres://ann@127.0.0.1:1/d?password=secret&user=bob",
        "postgres://ann:secret@127.0.0.1:no/d",
        "postgres://ann:secret@127.0.0.1:1/d?sslmode=sometimes",
        "mysql://ann:secret@h/d",
    ] {
        let line = refused(url).await;
        assert!(!line.contains("secret"), "{line}");
    }
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let url = format!("sqlite:{}/data/quorate.db", file.display());
    let line = refused(&url).await;
    assert_eq!(line, format!("store {url}: {}/data: Not a directory (os error 20)", file.display()));
}

#[tokio::test]
async fn a_database_is_its_users_alone_wherever_it_lies() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("a b/100%?x=1#y");
    let store = Store::open(&format!("sqlite:{}/quorate.db", data.display())).await.unwrap();
    store.store_report(report("nl-1", 1, b"x")).await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    assert_eq!(contents(&data).keys().collect::<Vec<_>>(), ["quorate.db", "quorate.db-shm", "quorate.db-wal"]);
    for name in contents(&data).keys() {
        assert_eq!(mode(&data.join(name)), 0o600, "{name}");
    }
}
