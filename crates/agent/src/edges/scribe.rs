//! Keeps the file of the edge choice up to date, on a thread that may wait: a disk that hangs holds up no session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use quorate_core::edge::{Chooser, Memory};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::file::{self, Kept};
use crate::{clock, tasks};

/// How long the end of the agent waits for the last note.
const CLOSE_BUDGET: Duration = Duration::from_secs(1);

/// How often the file could not be used or written since the start; clones share the count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Arc<AtomicU32>);

impl Faults {
    pub(crate) fn count(&self) -> u32 {
        self.0.load(Relaxed)
    }

    fn one(&self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// What an earlier run left about this gateway; nothing if it left nothing that can be used.
pub(super) fn remembered(data_dir: &Path, gateway: &str, faults: &Faults) -> Memory {
    match file::read(data_dir) {
        Ok(Some(kept)) if kept.gateway == gateway => kept.memory,
        Ok(Some(kept)) => {
            tracing::info!(of = kept.gateway, "what is remembered of edges is of another gateway: beginning anew");
            Memory::default()
        }
        Ok(None) => Memory::default(),
        Err(problem) => {
            faults.one();
            let path = file::path(data_dir);
            tracing::warn!(%problem, path = %path.display(), "what is remembered of edges is ignored: beginning anew");
            Memory::default()
        }
    }
}

/// Writes what is to be remembered, the latest at a time.
#[derive(Debug)]
pub(super) struct Scribe {
    gateway: String,
    speed: u32,
    latest: watch::Sender<Option<Kept>>,
    task: JoinHandle<()>,
}

impl Scribe {
    pub(super) fn new(data_dir: &Path, gateway: &str, speed: u32, faults: Faults) -> Self {
        let (latest, notes) = watch::channel(None);
        let task = tasks::spawn(write_all(data_dir.to_owned(), notes, faults));
        Self { gateway: gateway.to_owned(), speed, latest, task }
    }

    /// Takes down what has changed, if anything has.
    pub(super) fn keep(&self, chooser: &mut Chooser) {
        if let Some(memory) = chooser.poll_memory(clock::since_boot(), clock::wall()) {
            self.latest.send_replace(Some(Kept::now(&self.gateway, self.speed, memory)));
        }
    }

    pub(super) async fn close(self) {
        drop(self.latest);
        let _ = timeout(CLOSE_BUDGET, self.task).await;
    }
}

/// Ends, after the last note, when nobody can leave another one.
async fn write_all(data_dir: PathBuf, mut notes: watch::Receiver<Option<Kept>>, faults: Faults) {
    let mut is_failing = false;
    while notes.changed().await.is_ok() {
        let Some(note) = notes.borrow_and_update().clone() else { continue };
        let dir = data_dir.clone();
        let Ok(written) = tasks::blocking(move || file::write(&dir, &note)).await else { return };
        if let Err(problem) = &written {
            faults.one();
            if !is_failing {
                let path = file::path(&data_dir);
                tracing::warn!(%problem, path = %path.display(), "edges are not remembered for the next start");
            }
        }
        is_failing = written.is_err();
    }
}
