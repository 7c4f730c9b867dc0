//! The outbox as the tasks use it: the disk is touched on threads that may wait, and who waits for a report is woken.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate_proto::v1;
use tokio::sync::Notify;

use crate::spool::{Observed, Spool};
use crate::tasks;

/// One for all tasks; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    spool: Arc<Mutex<Spool>>,
    filled: Arc<Notify>,
}

impl Outbox {
    pub(crate) fn new(spool: Spool) -> Self {
        Self { spool: Arc::new(Mutex::new(spool)), filled: Arc::default() }
    }

    /// Keeps a report until it is acknowledged.
    pub(crate) async fn push(&self, report: v1::Report, observed: Observed) {
        self.with(move |spool| spool.push(report, observed)).await;
        self.filled.notify_one();
    }

    /// The next report after `sequence`, once there is one.
    pub(crate) async fn after(&self, sequence: u64) -> v1::Report {
        loop {
            let filled = self.filled.notified();
            if let Some(report) = self.with(move |spool| spool.after(sequence)).await {
                return report;
            }
            filled.await;
        }
    }

    pub(crate) async fn acknowledge(&self, outbox: Vec<u8>, sequence: u64) {
        self.with(move |spool| spool.acknowledge(&outbox, sequence)).await;
    }

    pub(crate) fn id(&self) -> Vec<u8> {
        lock(&self.spool).outbox().to_vec()
    }

    pub(crate) fn shed(&self) -> u32 {
        lock(&self.spool).shed()
    }

    pub(crate) fn waiting(&self) -> usize {
        lock(&self.spool).waiting()
    }

    #[cfg(feature = "simulation")]
    pub(crate) fn all(&self) -> Vec<v1::Report> {
        let mut spool = lock(&self.spool);
        let mut found: Vec<v1::Report> = Vec::new();
        while let Some(report) = spool.after(found.last().map_or(0, |last| last.sequence)) {
            found.push(report);
        }
        found
    }

    #[cfg(feature = "simulation")]
    pub(crate) fn in_memory(&self) -> Vec<v1::Report> {
        lock(&self.spool).in_memory()
    }

    async fn with<T: Send + 'static>(&self, action: impl FnOnce(&mut Spool) -> T + Send + 'static) -> T {
        let spool = Arc::clone(&self.spool);
        tasks::blocking(move || action(&mut lock(&spool))).await.expect("the outbox does not panic")
    }
}

/// What the lock guards is whole between its calls: a panic elsewhere changes nothing.
fn lock(spool: &Mutex<Spool>) -> MutexGuard<'_, Spool> {
    spool.lock().unwrap_or_else(PoisonError::into_inner)
}
