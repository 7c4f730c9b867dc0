//! Test-only: a gateway behind edges, a resolver that says what the test wants, an agent that runs, and notes of everything
//! that the gateway saw.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quorate_proto::v1::from_agent;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use crate::AgentConfig;
use crate::edges::testbed::TestEdge;
use crate::gateway::Resolver;
use crate::session::testbed::{NAME, Running, TestGateway, TestSession, config, plan, wire};

/// A watch round every half second, a resolution every tenth, a second on an edge before a better one.
const SPEED: u32 = 600;

/// What the gateway saw, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    /// A session by way of this address.
    Opened(IpAddr),
    /// A report that was not seen before.
    Report(u64),
    /// A planned end.
    Goodbye(String),
}

pub(super) struct Stage {
    gateway: SocketAddr,
    probes: Arc<AtomicUsize>,
    seen: watch::Receiver<Vec<Seen>>,
    dns: Arc<Dns>,
    pub(super) dir: tempfile::TempDir,
    _keeper: AbortOnDropHandle<()>,
}

/// The resolver.
struct Dns {
    says: Mutex<Says>,
    asked: AtomicUsize,
}

/// What it says, and how late; nothing for an error.
#[derive(Debug, Clone, Default)]
struct Says {
    addresses: Option<Vec<IpAddr>>,
    after: Duration,
}

impl Dns {
    fn turn(&self, hosts: Option<&[u8]>, after: Duration) {
        let addresses = hosts.map(|hosts| hosts.iter().map(|host| at(*host)).collect());
        *self.says.lock().unwrap() = Says { addresses, after };
    }
}

impl Stage {
    pub(super) async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let gateway = TestGateway::start().await;
        gateway.enrol(dir.path()).await;
        let (told, seen) = watch::channel(Vec::new());
        let (address, probes) = (gateway.address, Arc::clone(&gateway.probes));
        let dns = Dns { says: Mutex::default(), asked: AtomicUsize::new(0) };
        let keeper = AbortOnDropHandle::new(tokio::spawn(keep(gateway, told)));
        Self { gateway: address, probes, seen, dns: Arc::new(dns), dir, _keeper: keeper }
    }

    pub(super) async fn edge(&self, host: u8, delay_ms: u64) -> TestEdge {
        TestEdge::start(host, self.gateway, Duration::from_millis(delay_ms)).await
    }

    /// From here on the gateway's name has these addresses.
    pub(super) fn dns(&self, hosts: &[u8]) {
        self.dns.turn(Some(hosts), Duration::ZERO);
    }

    /// From here on it has these, and the resolver takes its time.
    pub(super) fn dns_is_late(&self, hosts: &[u8], after: Duration) {
        self.dns.turn(Some(hosts), after);
    }

    /// From here on the resolver fails.
    pub(super) fn dns_fails(&self) {
        self.dns.turn(None, Duration::ZERO);
    }

    pub(super) fn agent(&self) -> Running {
        let gateway = format!("{NAME}:{}", self.gateway.port());
        let base = config(self.gateway, self.dir.path());
        let dns = Arc::clone(&self.dns);
        let resolver = Resolver::new(move |_| {
            dns.asked.fetch_add(1, SeqCst);
            let Says { addresses, after } = dns.says.lock().unwrap().clone();
            async move {
                tokio::time::sleep(after).await;
                addresses.ok_or_else(|| io::Error::other("SERVFAIL"))
            }
        });
        Running::start_with(AgentConfig { gateway, edge_speed: SPEED, ..base }, resolver)
    }

    pub(super) fn probes(&self) -> usize {
        self.probes.load(SeqCst)
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.borrow().clone()
    }

    /// Waits until what was seen from `from` on is so, and returns it.
    pub(super) async fn until(&mut self, from: usize, wanted: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        let come = async { self.seen.wait_for(|seen| wanted(&seen[from..])).await.is_ok() };
        let has_come = tokio::time::timeout(Duration::from_secs(40), come).await;
        let seen = self.seen()[from..].to_vec();
        assert_eq!(has_come, Ok(true), "{seen:?}");
        seen
    }

    /// Waits for the next session by way of this edge and a report in it; what was seen meanwhile.
    pub(super) async fn session_by(&mut self, from: usize, host: u8) -> Vec<Seen> {
        let wanted = Seen::Opened(at(host));
        self.until(from, |seen| {
            let opened = seen.iter().rposition(|seen| *seen == wanted);
            opened.is_some_and(|at| seen[at..].iter().any(|seen| matches!(seen, Seen::Report(_))))
        })
        .await
    }

    /// Waits until the resolver was asked so many times more.
    pub(super) async fn resolutions(&self, count: usize) {
        let until = self.dns.asked.load(SeqCst) + count;
        let asked = async {
            while self.dns.asked.load(SeqCst) < until {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("the resolver is asked");
    }

    /// Waits until a full measurement of so many edges has been taken in, the first since the start: a later round has begun.
    pub(super) async fn measured(&self, edges: usize) {
        let until = 3 * edges + 1;
        let probed = async {
            while self.probes() < until {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), probed).await.expect("the edges are probed");
    }

    /// Every report up to the last came, in order: none was lost.
    pub(super) fn none_is_lost(&self) {
        let reports = self.seen().into_iter().filter_map(|seen| match seen {
            Seen::Report(sequence) => Some(sequence),
            Seen::Opened(_) | Seen::Goodbye(_) => None,
        });
        let reports: Vec<u64> = reports.collect();
        let all: Vec<u64> = (1..=reports.len() as u64).collect();
        assert_eq!(reports, all);
    }
}

pub(super) fn at(host: u8) -> IpAddr {
    [127, 0, 5, host].into()
}

/// The gateway's side: it stores, acknowledges and takes notes.
async fn keep(mut gateway: TestGateway, seen: watch::Sender<Vec<Seen>>) {
    let stored = Arc::new(Mutex::new(BTreeMap::new()));
    let mut open = JoinSet::new();
    while let Some(session) = gateway.next().await {
        open.spawn(listen(session, Arc::clone(&stored), seen.clone()));
        while open.try_join_next().is_some() {}
    }
}

async fn listen(
    mut session: TestSession,
    stored: Arc<Mutex<BTreeMap<Vec<u8>, BTreeSet<u64>>>>,
    seen: watch::Sender<Vec<Seen>>,
) {
    let note = |what| seen.send_modify(|seen| seen.push(what));
    let hello = session.hello().await;
    note(Seen::Opened(hello.edge.parse::<SocketAddr>().unwrap().ip()));
    let last = stored.lock().unwrap().get(&hello.outbox_id).and_then(|all| all.last().copied());
    session.welcome(last.unwrap_or(0)).await;
    session.send(wire(&plan(1, Vec::new()))).await;
    while let Ok(Some(message)) = session.inbound.message().await {
        match message.kind {
            Some(from_agent::Kind::Report(report)) => {
                let outbox = report.outbox_id.clone();
                if stored.lock().unwrap().entry(outbox).or_default().insert(report.sequence) {
                    note(Seen::Report(report.sequence));
                }
                session.acknowledge(&report).await;
            }
            Some(from_agent::Kind::Goodbye(goodbye)) => {
                note(Seen::Goodbye(goodbye.reason));
                return;
            }
            _ => {}
        }
    }
}
