#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quorate_proto::v1::{self, to_agent};
use rustls::ClientConfig;

use super::{Entrant, Lost, race};
use crate::clock::Stopwatch;
use crate::edges::testbed::{Manner, TestEdge};
use crate::gateway::{Answer, Gateway, Resolver};
use crate::identity::Identity;
use crate::session::testbed::{NAME, TestGateway, within};

const QUICK: Duration = Duration::ZERO;
const HEAD_START: Duration = Duration::from_millis(250);

/// A gateway behind edges, and somebody with the right to enter.
struct Course {
    behind: TestGateway,
    gateway: Gateway,
    tls: Arc<ClientConfig>,
    _dir: tempfile::TempDir,
}

impl Course {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let behind = TestGateway::start().await;
        behind.enrol(dir.path()).await;
        let tls = Identity::load(dir.path()).unwrap().client_config().unwrap();
        let gateway = Gateway::new(&format!("{NAME}:{}", behind.address.port()), &[], Resolver::system()).unwrap();
        Self { behind, gateway, tls, _dir: dir }
    }

    async fn edge(&self, host: u8, delay: Duration) -> TestEdge {
        TestEdge::start(host, self.behind.address, delay).await
    }

    /// Nobody listens there.
    fn shut(&self, host: u8) -> SocketAddr {
        SocketAddr::new([127, 0, 5, host].into(), self.behind.address.port())
    }

    /// Runs the race; the gateway lets everybody in, and says by which edge each came.
    async fn run(&mut self, order: &[SocketAddr]) -> (Result<Answer, Lost>, Vec<String>, Duration) {
        let entrants: Vec<Entrant> =
            order.iter().map(|address| Entrant { address: *address, head_start: HEAD_START }).collect();
        let watch = Stopwatch::start();
        let racing = race(&self.gateway, &self.tls, &entrants, hello);
        tokio::pin!(racing);
        let mut came = Vec::new();
        let mut sessions = Vec::new();
        let answer = loop {
            tokio::select! {
                answer = &mut racing => break answer,
                mut session = self.behind.session() => {
                    came.push(session.hello().await.edge);
                    session.welcome(0).await;
                    sessions.push(session);
                }
            }
        };
        (answer, came, watch.elapsed())
    }
}

fn hello(address: SocketAddr) -> v1::Hello {
    v1::Hello { purpose: v1::Purpose::Session.into(), edge: address.to_string(), ..v1::Hello::default() }
}

fn winner(answer: Result<Answer, Lost>) -> SocketAddr {
    match answer {
        Ok(Answer::Welcome(opened)) => opened.address,
        other => panic!("nobody won: {other:?}"),
    }
}

#[tokio::test]
async fn the_first_in_rank_wins_while_it_works() {
    let mut course = Course::new().await;
    let (best, other) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
    let (answer, came, _) = course.run(&[best.address, other.address]).await;
    assert_eq!((winner(answer), came), (best.address, vec![best.address.to_string()]));
    assert_eq!(other.accepted(), 0);
}

#[tokio::test]
async fn an_edge_that_accepts_and_forwards_nothing_costs_its_head_start() {
    for manner in [Manner::Frozen, Manner::Mute] {
        let mut course = Course::new().await;
        let (dead, other) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
        dead.turn(manner);
        let (answer, _, took) = course.run(&[dead.address, other.address]).await;
        assert_eq!(winner(answer), other.address);
        assert!((HEAD_START..HEAD_START + Duration::from_secs(1)).contains(&took), "{took:?}");
    }
}

#[tokio::test]
async fn an_edge_that_refuses_costs_nothing() {
    let mut course = Course::new().await;
    let other = course.edge(2, QUICK).await;
    let (answer, _, took) = course.run(&[course.shut(1), course.shut(3), other.address]).await;
    assert_eq!(winner(answer), other.address);
    assert!(took < HEAD_START, "{took:?}");
}

#[tokio::test]
async fn a_loser_leaves_no_second_session() {
    let mut course = Course::new().await;
    // Its handshake goes on while the other's is done.
    let slow = course.edge(1, Duration::from_millis(400)).await;
    let quick = course.edge(2, QUICK).await;
    let (answer, came, _) = course.run(&[slow.address, quick.address]).await;
    assert_eq!((winner(answer), came), (quick.address, vec![quick.address.to_string()]));
    // The loser's connection is gone, through the edge and all.
    within(slow.is_left()).await;
    assert_eq!(course.behind.waiting(), 0);
}

#[tokio::test]
async fn a_hello_that_is_not_answered_gives_way_to_the_next_that_is_ready() {
    let mut course = Course::new().await;
    let (first, second) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
    let entrants = [first.address, second.address].map(|address| Entrant { address, head_start: HEAD_START });
    let racing = race(&course.gateway, &course.tls, &entrants, hello);
    let answering = async {
        let mut unanswered = course.behind.session().await;
        assert_eq!(unanswered.hello().await.edge, first.address.to_string());
        let mut session = course.behind.session().await;
        assert_eq!(session.hello().await.edge, second.address.to_string());
        // One Hello at a time: the first was given up before the second was said.
        assert!(unanswered.next().await.is_none());
        session.welcome(0).await;
        session
    };
    let (answer, _session) = tokio::join!(racing, answering);
    assert_eq!(winner(answer), second.address);
}

#[tokio::test]
async fn what_the_gateway_says_ends_the_race() {
    let mut course = Course::new().await;
    let (first, second) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
    let entrants = [first.address, second.address].map(|address| Entrant { address, head_start: HEAD_START });
    let racing = race(&course.gateway, &course.tls, &entrants, hello);
    let refusing = async {
        let session = course.behind.session().await;
        let close = v1::Close { reason: "revoked".to_owned(), detail: String::new() };
        session.send(to_agent::Kind::Close(close)).await;
        session
    };
    let (answer, _session) = tokio::join!(racing, refusing);
    assert!(matches!(answer, Ok(Answer::Close(close)) if close.reason == "revoked"));
    assert_eq!(second.accepted(), 0);
}

#[tokio::test]
async fn when_nobody_answers_each_says_why() {
    let mut course = Course::new().await;
    let (answer, _, _) = course.run(&[course.shut(1), course.shut(2)]).await;
    let Err(Lost(failures)) = answer else { panic!("somebody answered") };
    let failed: Vec<SocketAddr> = failures.iter().map(|(address, _)| *address).collect();
    assert_eq!(failed, [course.shut(1), course.shut(2)]);
    assert!(failures.iter().all(|(_, problem)| problem.contains("refused")), "{failures:?}");
}
