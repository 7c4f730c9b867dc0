//! An agent's outbox, session and choice of edges on a simulated host: what only a simulation of whole fleets needs.
//!
//! A stage with real actors: everything that decides is the agent's own code; clocks, chance, the disk's moods and the
//! network are the [`Host`]'s, and the host is moved by whoever simulates. Rounds are pushed from outside, because what a
//! probe would find is known there.
//!
//! Always true: nothing here waits for a thread or reads a real clock, so that on one thread with a paused clock two runs of
//! the same operations are the same run.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quorate_core::plan::ProbePlan;
use quorate_proto::v1;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::edges::Edges;
use crate::gateway::{Gateway, Resolver};
use crate::identity::{Identity, IdentityError, Wallet};
use crate::outbox::Outbox;
use crate::shared::Shared;
use crate::spool::{Bounds, Observed, Spool};
use crate::{AgentConfig, RunError, clock, session, tasks};

pub use crate::simulated::{Host, Mood, Network, Stream};

/// A running agent without its prober. Dropped, it is killed at that instant.
#[derive(Debug)]
pub struct Agent {
    shared: Arc<Shared>,
    host: Host,
    shutdown: CancellationToken,
    session: AbortOnDropHandle<()>,
}

/// What is in an outbox, as its owner counts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tray {
    /// The id that new reports carry.
    pub outbox: Vec<u8>,
    /// Reports that wait for their receipt.
    pub waiting: usize,
    /// Reports lost since the start: shed, or found corrupt.
    pub shed: u32,
}

impl Agent {
    /// Starts an agent on `host`, with an outbox of at most so many reports and bytes; `edges` are the gateway's addresses.
    pub async fn start(
        config: AgentConfig,
        host: Host,
        (reports, bytes): (usize, u64),
        edges: Vec<IpAddr>,
    ) -> Result<Self, RunError> {
        let on = host.clone();
        host.clone()
            .run(async move {
                let resolver = Resolver::new(move |_| std::future::ready(Ok(edges.clone())));
                let gateway = Gateway::new(&config.gateway, &config.source_addresses, resolver)?;
                let wallet = Wallet::open(&config.data_dir)?;
                let dir = outbox_dir(&config.data_dir);
                let spool = Spool::open(&dir, Bounds { reports, bytes })
                    .map_err(|problem| RunError::DataDir { path: dir, problem })?;
                let shared = Arc::new(Shared::new(config, Outbox::new(spool), wallet));
                let edges = Edges::new(gateway, &shared.config, shared.edge_faults.clone());
                let shutdown = CancellationToken::new();
                let session = session::run(Arc::clone(&shared), edges, shutdown.clone());
                let session = AbortOnDropHandle::new(tasks::spawn(session));
                Ok(Self { shared, host: on, shutdown, session })
            })
            .await
    }

    /// A round has just ended: puts its report, which needs no number, date or outbox, into the outbox.
    pub async fn push(&self, report: v1::Report) {
        let pushed = async { self.shared.outbox.push(report, Observed::at(clock::since_boot())).await };
        self.host.clone().run(pushed).await;
    }

    /// The plan in force.
    pub fn plan(&self) -> Option<Arc<ProbePlan>> {
        self.shared.plan.borrow().clone()
    }

    /// What is in the outbox.
    pub fn tray(&self) -> Tray {
        let outbox = &self.shared.outbox;
        Tray { outbox: outbox.id(), waiting: outbox.waiting(), shed: outbox.shed() }
    }

    /// The reports that wait for their receipt, in order.
    pub fn waiting(&self) -> Vec<v1::Report> {
        self.shared.outbox.all()
    }

    /// Those of them that are in memory alone.
    pub fn in_memory(&self) -> Vec<v1::Report> {
        self.shared.outbox.in_memory()
    }

    /// Says Goodbye and ends. Returns what is lost with the process: how many reports were before, and those in memory.
    pub async fn stop(self) -> (u32, Vec<v1::Report>) {
        self.shutdown.cancel();
        // A session that broke down ends too.
        let _ = self.session.await;
        let outbox = &self.shared.outbox;
        (outbox.shed(), outbox.in_memory())
    }
}

/// Where the outbox of an agent is.
pub fn outbox_dir(data_dir: &Path) -> PathBuf {
    data_dir.join(crate::agent::OUTBOX_DIR)
}

/// Gives an agent its identity, as an enrolment would.
pub fn enrol(data_dir: &Path, key_pem: &str, certificate: &[u8], authority: &[u8]) -> Result<(), IdentityError> {
    Identity::store(data_dir, key_pem, certificate, authority)
}
