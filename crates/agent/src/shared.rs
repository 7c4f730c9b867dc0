//! What an agent's tasks share: the plan in force, the outbox, who the agent is, the aggregator's time, and how it knocks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prost::Message as _;
use quorate_core::plan::ProbePlan;
use quorate_core::time::Moment;
use quorate_proto::v1;
use tokio::sync::watch;

use crate::clock::Reference;
use crate::config::AgentConfig;
use crate::edges::Faults;
use crate::files;
use crate::identity::Wallet;
use crate::limits::Refusal;
use crate::outbox::Outbox;
use crate::probe::{Knocker, OwnAddresses, public_roots};

/// The plan that goes on without an aggregator, in the data directory.
const PLAN_FILE: &str = "plan.bin";

/// What an agent's tasks share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: AgentConfig,
    pub(crate) plan: watch::Sender<Option<Arc<ProbePlan>>>,
    pub(crate) outbox: Outbox,
    pub(crate) edge_faults: Faults,
    wallet: Mutex<Wallet>,
    reference: Mutex<Option<Reference>>,
    roots: Arc<rustls::RootCertStore>,
}

impl Shared {
    /// The last run's plan is in force until the first session brings another.
    pub(crate) fn new(config: AgentConfig, outbox: Outbox, wallet: Wallet) -> Self {
        let shared = Self {
            config,
            plan: watch::Sender::new(None),
            outbox,
            edge_faults: Faults::default(),
            wallet: Mutex::new(wallet),
            reference: Mutex::new(None),
            roots: public_roots(),
        };
        shared.plan.send_replace(shared.cached_plan());
        shared
    }

    /// The identities at hand; never held across an await.
    pub(crate) fn wallet(&self) -> MutexGuard<'_, Wallet> {
        self.wallet.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.reference().map(Reference::offset_ms)
    }

    /// The aggregator's wall clock, once a session told.
    pub(crate) fn their_now(&self) -> Option<Moment> {
        self.reference().map(Reference::their_now)
    }

    pub(crate) fn set_reference(&self, reference: Reference) {
        *self.reference() = Some(reference);
    }

    /// The last word is whole: a panic elsewhere changes nothing.
    fn reference(&self) -> MutexGuard<'_, Option<Reference>> {
        self.reference.lock().unwrap_or_else(PoisonError::into_inner)
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
