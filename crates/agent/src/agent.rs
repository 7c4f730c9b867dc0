//! One agent: its state, and the tasks that share it. Nothing is global, so many can live in one process.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prost::Message as _;
use quorate_core::plan::ProbePlan;
use quorate_proto::v1;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::clock::Reference;
use crate::config::AgentConfig;
use crate::identity::{Identity, IdentityError};
use crate::limits::Refusal;
use crate::probe::{Knocker, OwnAddresses, public_roots};
use crate::spool::{Bounds, Observed, Spool};
use crate::{files, reporter, rounds, session};

#[cfg(test)]
mod tests;

/// The plan that goes on without an aggregator, in the data directory.
const PLAN_FILE: &str = "plan.bin";
const OUTBOX_DIR: &str = "outbox";

/// Why an agent does not run, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It does not know who it is.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Key and certificate do not fit each other, or are no such.
    #[error("the identity cannot be used: {0}: enrol this server again")]
    Tls(#[from] rustls::Error),
    /// The data directory cannot be used.
    #[error("{}: {problem}: make it writable for the agent, or choose another data_dir", path.display())]
    DataDir {
        /// Which.
        path: PathBuf,
        /// What the system said.
        problem: std::io::Error,
    },
    /// A part of it ended that never should.
    #[error("a part of the agent broke down: {0}")]
    Broken(tokio::task::JoinError),
}

/// What an agent's tasks share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: AgentConfig,
    pub(crate) plan: watch::Sender<Option<Arc<ProbePlan>>>,
    pub(crate) outbox: Outbox,
    reference: Mutex<Option<Reference>>,
    roots: Arc<rustls::RootCertStore>,
}

/// The outbox as tasks use it: the disk is touched on threads that may wait.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    spool: Arc<Mutex<Spool>>,
    filled: Arc<Notify>,
}

/// Runs an agent until `shutdown`: then it says Goodbye and ends within a few seconds.
pub async fn run(config: AgentConfig, shutdown: CancellationToken) -> Result<(), RunError> {
    // Several agents of one process are told apart by where they live.
    let span = tracing::info_span!("agent", dir = %config.data_dir.display());
    run_here(config, shutdown).instrument(span).await
}

async fn run_here(config: AgentConfig, shutdown: CancellationToken) -> Result<(), RunError> {
    let tls = identity(&config)?;
    let outbox_dir = config.data_dir.join(OUTBOX_DIR);
    let spool = Spool::open(&outbox_dir, Bounds::default())
        .map_err(|problem| RunError::DataDir { path: outbox_dir, problem })?;
    let shared = Arc::new(Shared {
        plan: watch::Sender::new(None),
        outbox: Outbox { spool: Arc::new(Mutex::new(spool)), filled: Arc::default() },
        reference: Mutex::new(None),
        roots: public_roots(),
        config,
    });
    shared.plan.send_replace(shared.cached_plan());

    let (rounds_done, rounds_seen) = rounds::channel();
    let mut tasks = JoinSet::new();
    tasks.spawn(rounds::run(Arc::clone(&shared), rounds_done).in_current_span());
    tasks.spawn(reporter::run(Arc::clone(&shared), rounds_seen).in_current_span());
    // The session ends by itself, after its Goodbye; the others are dropped with the set.
    let mut session =
        AbortOnDropHandle::new(tokio::spawn(session::run(Arc::clone(&shared), tls, shutdown).in_current_span()));
    tokio::select! {
        ended = &mut session => ended.map_err(RunError::Broken),
        Some(Err(broken)) = tasks.join_next() => Err(RunError::Broken(broken)),
    }
}

fn identity(config: &AgentConfig) -> Result<Arc<rustls::ClientConfig>, RunError> {
    Ok(Arc::new(Identity::load(&config.data_dir)?.client_config()?))
}

impl Shared {
    /// Reads the identity as it is on disk.
    pub(crate) fn identity(&self) -> Result<Arc<rustls::ClientConfig>, RunError> {
        identity(&self.config)
    }

    /// Knocks as the plan in force demands.
    pub(crate) fn knocker(&self, speed: u32) -> Knocker {
        Knocker {
            sources: self.config.source_addresses.clone(),
            addresses: self.config.limits.addresses,
            own: OwnAddresses::Refused,
            roots: Arc::clone(&self.roots),
            speed,
            clock_offset_ms: self.clock_offset_ms(),
        }
    }

    /// Own wall clock minus the aggregator's, once a session told.
    pub(crate) fn clock_offset_ms(&self) -> Option<i64> {
        lock(&self.reference).map(Reference::offset_ms)
    }

    pub(crate) fn set_reference(&self, reference: Reference) {
        *lock(&self.reference) = Some(reference);
    }

    /// Version of the plan in force; 0 for none.
    pub(crate) fn plan_version(&self) -> u64 {
        self.plan.borrow().as_ref().map_or(0, |plan| plan.version)
    }

    /// Takes a plan up if the own limits allow it, and keeps it on disk.
    pub(crate) fn adopt(&self, plan: ProbePlan) -> Result<(), Refusal> {
        self.config.limits.check(&plan)?;
        let path = self.config.data_dir.join(PLAN_FILE);
        let bytes = quorate_proto::plan::to_wire(&plan).encode_to_vec();
        if let Err(problem) = files::write_whole(&path, &bytes) {
            tracing::warn!(%problem, path = %path.display(), "the plan is not kept for the next start");
        }
        self.plan.send_replace(Some(Arc::new(plan)));
        Ok(())
    }

    /// The plan of the last run, if it can be read and the limits of today allow it.
    fn cached_plan(&self) -> Option<Arc<ProbePlan>> {
        let bytes = std::fs::read(self.config.data_dir.join(PLAN_FILE)).ok()?;
        let plan = v1::Plan::decode(&*bytes).ok().and_then(|plan| quorate_proto::plan::from_wire(plan).ok());
        let Some(plan) = plan else {
            tracing::warn!("the cached plan cannot be read: waiting for one from the aggregator");
            return None;
        };
        match self.config.limits.check(&plan) {
            Ok(()) => Some(Arc::new(plan)),
            Err(refusal) => {
                tracing::warn!(%refusal, "the cached plan is beyond the limits: waiting for another one");
                None
            }
        }
    }
}

impl Outbox {
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

    async fn with<T: Send + 'static>(&self, action: impl FnOnce(&mut Spool) -> T + Send + 'static) -> T {
        let spool = Arc::clone(&self.spool);
        tokio::task::spawn_blocking(move || action(&mut lock(&spool))).await.expect("the outbox does not panic")
    }
}

/// What a lock guards is whole between its calls: a panic elsewhere changes nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
