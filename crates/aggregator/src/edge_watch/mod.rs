//! The walk round the edges: resolves the gateway's names as agents do, knocks on each address, and tells what
//! `quorate_core::edge_watch` makes of it.
//!
//! Always true: a round has an end, however many addresses hang; a fleet that declares no edges is left alone; nothing that
//! is found here changes a verdict, or whom the gateway lets in.

mod knock;
mod memory;
mod names;
mod trust;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
pub(crate) mod relay;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use quorate_core::edge::PROBE_BUDGET;
use quorate_core::edge_watch::{Answer, Change, EdgeWatch, Round};
use quorate_core::time::Moment;
use ring::rand::{SecureRandom as _, SystemRandom};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use self::knock::{Knocked, knock};
pub use self::names::{Dialled, Resolver};
pub use self::trust::{Trust, pin_of};
use crate::clock::Clock;
use crate::engine::{EngineHandle, Snapshot};
use crate::event::{Event, Kind};
use crate::gateway::Sessions;
use crate::inventory::Edges;
use crate::store::Store;
use crate::when;

/// A round is due this often at the latest: three of them, the time until something is told, are then a minute and a half,
/// and an edge hears two connections a minute.
const EVERY_MAX: Duration = Duration::from_secs(30);

/// At least this, however fast the fleet is: a round is a handshake with every edge.
const EVERY_MIN: Duration = Duration::from_millis(100);

/// What the walk was last round, for readers.
#[derive(Debug, Clone)]
pub struct Picture {
    /// When the last round was over; none before the first, and without declared edges.
    pub at: Option<Moment>,
    /// What agents dial.
    pub gateway: Vec<Dialled>,
    /// Whom to take for the gateway.
    pub trust: Trust,
    /// All that is known.
    pub watch: EdgeWatch,
}

/// Readers of the picture. Cheap to clone.
pub type Pictures = watch::Receiver<Arc<Picture>>;

/// The one who walks.
pub struct Walker {
    /// Whom to tell.
    pub engine: EngineHandle,
    /// Where what was told is kept.
    pub store: Store,
    /// Who sits on the edges.
    pub sessions: Sessions,
    /// What time it is.
    pub clock: Clock,
    /// What agents dial.
    pub gateway: Vec<Dialled>,
    /// Whom to ask for addresses.
    pub resolver: Resolver,
    /// Whom to take for the gateway.
    pub trust: Trust,
}

/// The walk under way.
struct Walk {
    walker: Walker,
    config: Arc<ClientConfig>,
    watch: EdgeWatch,
    /// Under which name each address is dialled.
    dialled: BTreeMap<SocketAddr, ServerName<'static>>,
    memory: memory::Memory,
    pictures: watch::Sender<Arc<Picture>>,
}

impl Walker {
    /// What readers see, and the walk itself, which goes on until `stop`.
    pub fn start(self, stop: CancellationToken) -> (Pictures, impl Future<Output = ()> + Send) {
        let (pictures, seen) = watch::channel(Arc::new(self.picture(None, EdgeWatch::default())));
        let walking = async move {
            tokio::select! {
                () = walk(self, pictures) => {}
                () = stop.cancelled() => {}
            }
        };
        (seen, walking)
    }

    fn picture(&self, at: Option<Moment>, watch: EdgeWatch) -> Picture {
        Picture { at, gateway: self.gateway.clone(), trust: self.trust, watch }
    }
}

async fn walk(walker: Walker, pictures: watch::Sender<Arc<Picture>>) {
    let memory = memory::Memory::read(&walker.store).await;
    let mut walk = Walk {
        config: walker.trust.handshake(),
        watch: EdgeWatch::resume(memory.standing()),
        dialled: BTreeMap::new(),
        memory,
        pictures,
        walker,
    };
    let mut snapshots = walk.walker.engine.watch();
    loop {
        let snapshot = walk.walker.engine.snapshot();
        sleep(jittered(every(&snapshot))).await;
        // The newest there is after the wait.
        let snapshot = snapshots.borrow_and_update().clone();
        walk.round(&snapshot).await;
    }
}

/// Half an interval of the agents, so that a fleet that is looked at faster has its edges looked at faster too.
fn every(snapshot: &Snapshot) -> Duration {
    (snapshot.policy.interval / 2).clamp(EVERY_MIN, EVERY_MAX)
}

/// A fifth more or less, so that two aggregators do not knock in step.
fn jittered(every: Duration) -> Duration {
    let mut byte = [0];
    // Without random numbers they may knock in step.
    let _ = SystemRandom::new().fill(&mut byte);
    every * (80 + u32::from(byte[0]) * 40 / 255) / 100
}

impl Walk {
    async fn round(&mut self, snapshot: &Snapshot) {
        let edges = match snapshot.inventory.edges() {
            Ok(edges) if !snapshot.inventory.edges.is_empty() => edges,
            // What the engine has in force was checked.
            Ok(_) | Err(_) => {
                let changes = self.watch.handle_no_edges();
                return self.end(changes, None).await;
            }
        };
        let names = &self.walker.gateway;
        let (answer, dialled) = names::resolve(&self.walker.resolver, names, &edges).await;
        if answer == Answer::NoName && self.watch.answer().is_none() {
            tracing::info!("agents dial an address and no name, so there is no set of edges in DNS to watch");
        }
        self.dialled.extend(dialled);
        self.watch.handle_answer(answer);
        self.dialled.retain(|at, _| self.watch.addresses().any(|(known, _)| known == *at));
        let budget = PROBE_BUDGET / snapshot.inventory.policy.speed.unwrap_or(1).max(1);
        let knocks = self.dialled.iter().map(async |(at, name)| {
            let knocked = knock(*at, name.clone(), Arc::clone(&self.config), budget).await;
            (*at, edge_of(&edges, *at), knocked.knock)
        });
        let knocks = join_all(knocks).await;
        let round = Round {
            gateway: names.iter().map(|name| name.host.as_str()).collect::<Vec<_>>().join(", "),
            declared: snapshot.inventory.edges.iter().map(|edge| edge.id.as_str().into()).collect(),
            knocks,
            sitting: self.sitting(&edges),
            came: self.walker.sessions.take_came(),
        };
        let now = self.walker.clock.now();
        let changes = self.watch.handle_round(&round, now);
        self.end(changes, Some(now)).await;
    }

    fn sitting(&self, edges: &Edges) -> Vec<(Arc<str>, Option<Arc<str>>)> {
        let sessions = self.walker.sessions.list().into_iter();
        sessions.map(|session| (session.server.as_str().into(), edge_of(edges, session.arrival.peer_addr))).collect()
    }

    /// Tells what there is to tell, and shows the picture.
    async fn end(&mut self, changes: Vec<Change>, at: Option<Moment>) {
        self.pictures.send_replace(Arc::new(self.walker.picture(at, self.watch.clone())));
        for change in changes {
            let event = event(&change);
            match change {
                Change::Raised(_) => tracing::warn!(edge = event.subject, "{}", event.reason),
                Change::Healed(_) => tracing::info!(edge = event.subject, "{}", event.reason),
            }
            // Without an engine there is nobody to tell: the process is going.
            let _ = self.walker.engine.tell(event).await;
        }
        self.memory.keep(&self.walker.store, &self.watch.standing()).await;
    }
}

/// The edge that an address belongs to.
pub fn edge_of(edges: &Edges, at: SocketAddr) -> Option<Arc<str>> {
    edges.of(at.ip()).map(|edge| Arc::clone(&edge.id))
}

fn event(change: &Change) -> Event {
    let (alert, from, to, reason) = match change {
        Change::Raised(alert) => {
            let since = when::date_and_time(alert.since);
            (alert, "ok", alert.trouble.as_str(), format!("{}. Since {since}. {}", alert.fact, alert.advice))
        }
        Change::Healed(alert) => (alert, alert.trouble.as_str(), "ok", alert.over()),
    };
    Event {
        id: 0,
        at_ms: 0,
        kind: Kind::Edge.as_str().to_owned(),
        subject: alert.subject(),
        from: Some(from.to_owned()),
        to: Some(to.to_owned()),
        reason,
    }
}
