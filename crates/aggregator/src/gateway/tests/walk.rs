//! Who sits on which edge, as the walk round them sees it.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_core::edge_watch::Trouble;
use quorate_core::policy::Policy;
use quorate_proto::v1;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::bed::{Bed, PATIENCE, eventually, hello};
use crate::edge_watch::relay::Relay;
use crate::edge_watch::{Dialled, Pictures, Resolver, Trust, Walker};
use crate::engine::Snapshot;
use crate::gateway::ALPN_SESSION;
use crate::inventory::ProxyEntry::Require;

/// One who could walk round the edges of a gateway, whose name leads to `at`.
fn walker_to(bed: &Bed, at: SocketAddr) -> Walker {
    Walker {
        engine: bed.engine.clone(),
        store: bed.store.clone(),
        sessions: bed.handle.sessions(),
        clock: bed.clock.clone(),
        gateway: vec![Dialled { host: "gateway.test".to_owned(), port: at.port() }],
        resolver: Resolver::new(move |_, _| async move { Ok(vec![at]) }),
        trust: Trust::Pinned(bed.authority.spki_pin()),
    }
}

/// What is seen of the edges where nobody walks.
pub fn nobody_walks(bed: &Bed) -> Pictures {
    walker_to(bed, bed.addr).start(bed.shutdown.clone()).0
}

/// One who walks round the one edge of a gateway, ten times a second.
fn walker(bed: &Bed, edge: &Relay) -> Walker {
    bed.edges(&[("fra", "127.0.2.0/24", Require)]);
    bed.snapshots.send_modify(|snapshot| {
        let policy = Arc::new(Policy { interval: Duration::from_millis(200), ..Policy::default() });
        *snapshot = Arc::new(Snapshot { policy, ..Snapshot::clone(snapshot) });
    });
    walker_to(bed, edge.at)
}

/// The next event about edges: its subject, what it is now, and the reason.
async fn told(bed: &mut Bed) -> (String, String, String) {
    loop {
        let event = timeout(PATIENCE, bed.events.recv()).await.expect("an event comes").unwrap();
        if event.kind == "edge" {
            return (event.subject, event.to.unwrap(), event.reason);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_come_past_the_edges_are_told_until_they_come_through_one() {
    let mut bed = Bed::start().await;
    let edge = Relay::start([127, 0, 2, 9], bed.addr).await;
    let (pictures, walking) = walker(&bed, &edge).start(bed.shutdown.clone());
    let walking = tokio::spawn(walking);
    let (good, stray) = (bed.enrol("nl-1").await, bed.enrol("de-1").await);
    let (_nl, _) = bed.session_over(TcpStream::connect(edge.at).await.unwrap(), &good).await;
    let (mut past, _) = bed.session(&stray).await;

    let (subject, to, reason) = told(&mut bed).await;
    assert_eq!((subject.as_str(), to.as_str()), ("gateway", "past_the_edges"));
    assert!(reason.starts_with("de-1 comes to the gateway past the edges. Since "), "{reason}");
    assert!(reason.contains("Give them the gateway's name (gateway.test)"), "{reason}");
    assert_eq!(pictures.borrow().watch.alerts()[0].trouble, Trouble::Past);

    past.hang_up();
    assert_eq!(past.next().await, None);
    let (_de, _) = bed.session_over(TcpStream::connect(edge.at).await.unwrap(), &stray).await;
    assert_eq!(told(&mut bed).await.1, "ok");
    eventually("nothing stands", || pictures.borrow().watch.alerts().is_empty()).await;

    bed.shutdown.cancel();
    timeout(PATIENCE, walking).await.expect("the walk ends with the gateway").unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_only_measures_an_edge_has_come_through_it() {
    let bed = Bed::start().await;
    let edge = Relay::start([127, 0, 2, 9], bed.addr).await;
    bed.edges(&[("fra", "127.0.2.0/24", Require)]);
    let credentials = bed.enrol("nl-1").await;
    let sessions = bed.handle.sessions();
    assert_eq!(sessions.take_came(), BTreeSet::new(), "an enrolment is no agent yet");
    let stream = TcpStream::connect(edge.at).await.unwrap();
    let config = bed.client_config(Some(&credentials), ALPN_SESSION);
    let mut link = super::bed::Link::open(Bed::tls_over(stream, Arc::new(config)).await.unwrap()).await.unwrap();
    link.hello(v1::Hello { purpose: v1::Purpose::Probe.into(), ..hello() }).await;
    assert!(link.next().await.is_some());
    assert_eq!(sessions.take_came(), BTreeSet::from(["fra".into()]));
    assert_eq!(sessions.take_came(), BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_walk_leaves_no_complaint_at_the_gateway_and_no_place_taken() {
    let bed = Bed::start().await;
    let edge = Relay::start([127, 0, 2, 9], bed.addr).await;
    let (pictures, walking) = walker(&bed, &edge).start(bed.shutdown.clone());
    let walking = tokio::spawn(walking);
    let mut rounds = pictures.clone();
    let walked = timeout(PATIENCE, async {
        for _ in 0..20 {
            rounds.changed().await.unwrap();
        }
    });
    walked.await.expect("twenty rounds");
    let totals = bed.handle.sessions().totals();
    assert!(totals.connections >= 19, "{totals:?}");
    assert_eq!((totals.handshakes_failed, totals.connections_shed, totals.connections_refused), (0, 0, 0));
    bed.shutdown.cancel();
    walking.await.unwrap();
}
