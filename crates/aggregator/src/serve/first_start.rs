//! What the first start makes: the data directory and an admin token.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use super::{ADMIN_TOKEN_FILE, ServeError};
use crate::api::access;
use crate::api::audit;
use crate::api::tokens::TokenView;
use crate::clock::Clock;
use crate::store::{NewAudit, Store, TokenScope};

/// Held by the aggregator that works on the data directory.
const LOCK_FILE: &str = "lock";

pub(crate) fn make_data_dir(path: &Path) -> Result<(), ServeError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|problem| ServeError::DataDir { path: path.to_owned(), problem })
}

/// Holds the data directory for this process alone: two engines on one store would overwrite each other's state. The
/// system lets go of it however the process ends.
pub(super) fn lock(data_dir: &Path) -> Result<fs::File, ServeError> {
    let path = data_dir.join(LOCK_FILE);
    let open = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = open.map_err(|problem| ServeError::DataDir { path: path.clone(), problem })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(ServeError::InUse(data_dir.to_owned())),
        Err(fs::TryLockError::Error(problem)) => Err(ServeError::DataDir { path, problem }),
    }
}

/// An admin token, if the store has no token at all.
pub(super) async fn first_token(store: &Store, clock: &Clock, data_dir: &Path) -> Result<Option<String>, ServeError> {
    if !store.tokens().await?.is_empty() {
        return Ok(None);
    }
    let (token, secret) = access::new_token("admin", TokenScope::Admin, None, clock.now())?;
    // The file first: a token that only the store knows would be nobody's.
    write_private(&data_dir.join(ADMIN_TOKEN_FILE), &format!("{secret}\n"))?;
    store.create_token(&token).await?;
    let audit = NewAudit {
        at: clock.now(),
        by: "start".to_owned(),
        action: "token.create".to_owned(),
        subject: token.id.clone(),
        detail: "the first admin token".to_owned(),
        before: None,
        after: audit::shown(&TokenView::from(&token)),
    };
    store.append_audit(&audit).await?;
    Ok(Some(secret))
}

/// Writes a file of ours whole or not at all, readable by its owner alone.
pub(super) fn write_private(path: &Path, content: &str) -> Result<(), ServeError> {
    let beside = path.with_extension("new");
    let write = || {
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|problem| ServeError::DataDir { path: path.to_owned(), problem })
}
