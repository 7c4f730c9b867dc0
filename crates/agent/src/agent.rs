//! One agent: its tasks, from the start to the Goodbye. Nothing is global, so many can live in one process.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::config::AgentConfig;
use crate::edges::Edges;
use crate::gateway::{Gateway, GatewayError, Resolver};
use crate::identity::{IdentityError, Wallet};
use crate::outbox::Outbox;
use crate::shared::Shared;
use crate::spool::{Bounds, Spool};
use crate::{reporter, rounds, session};

#[cfg(test)]
mod tests;

pub(crate) const OUTBOX_DIR: &str = "outbox";
/// Held by the agent that works in the data directory.
const LOCK_FILE: &str = "lock";

/// Why an agent does not run, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It does not know who it is.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// It does not know where to go.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// The data directory cannot be used.
    #[error("{}: {problem}: make it writable for the agent, or choose another data_dir", path.display())]
    DataDir {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: std::io::Error,
    },
    /// Another agent works in the data directory.
    #[error("{}: another agent runs on it; stop that one, or give this one another data_dir", .0.display())]
    InUse(PathBuf),
    /// A part of it ended that never should.
    #[error("a part of the agent broke down: {0}")]
    Broken(tokio::task::JoinError),
}

/// Runs an agent until `shutdown`: then it says Goodbye and ends within a few seconds.
pub async fn run(config: AgentConfig, shutdown: CancellationToken) -> Result<(), RunError> {
    run_with(config, Resolver::system(), shutdown).await
}

/// As [`run`], with another source of addresses.
pub(crate) async fn run_with(
    config: AgentConfig,
    resolver: Resolver,
    shutdown: CancellationToken,
) -> Result<(), RunError> {
    // Several agents of one process are told apart by where they live.
    let span = tracing::info_span!("agent", dir = %config.data_dir.display());
    run_here(config, resolver, shutdown).instrument(span).await
}

async fn run_here(config: AgentConfig, resolver: Resolver, shutdown: CancellationToken) -> Result<(), RunError> {
    let gateway = Gateway::new(&config.gateway, &config.source_addresses, resolver)?;
    let wallet = Wallet::open(&config.data_dir)?;
    // Two on one outbox would each send, and drop, what is the other's.
    let _alone = lock(&config.data_dir)?;
    let outbox_dir = config.data_dir.join(OUTBOX_DIR);
    let spool = Spool::open(&outbox_dir, Bounds::default())
        .map_err(|problem| RunError::DataDir { path: outbox_dir, problem })?;
    let shared = Arc::new(Shared::new(config, Outbox::new(spool), wallet));
    let edges = Edges::new(gateway, &shared.config, shared.edge_faults.clone());

    let (rounds_done, rounds_seen) = rounds::channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(rounds::run(Arc::clone(&shared), rounds_done).in_current_span());
    tasks.spawn(reporter::run(Arc::clone(&shared), rounds_seen).in_current_span());
    // The session ends by itself, after its Goodbye; the others are dropped with the set.
    let session = session::run(Arc::clone(&shared), edges, shutdown);
    let mut session = AbortOnDropHandle::new(tokio::spawn(session.in_current_span()));
    tokio::select! {
        ended = &mut session => ended.map_err(RunError::Broken),
        Some(Err(broken)) = tasks.join_next() => Err(RunError::Broken(broken)),
    }
}

/// Holds the data directory for this agent alone. The system lets go of it however the process ends.
fn lock(data_dir: &Path) -> Result<File, RunError> {
    let path = data_dir.join(LOCK_FILE);
    let open = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = open.map_err(|problem| RunError::DataDir { path: path.clone(), problem })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::InUse(data_dir.to_owned())),
        Err(TryLockError::Error(problem)) => Err(RunError::DataDir { path, problem }),
    }
}
