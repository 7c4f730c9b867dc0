#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::net::IpAddr;
use std::time::Duration;

use quorate_core::edge::Dial;
use quorate_proto::v1::{self, to_agent};

use super::{Lost, race};
use crate::clock::Stopwatch;
use crate::edges::testbed::{Manner, TestEdge, black_hole};
use crate::gateway::{Answer, Credentials, Gateway, Resolver};
use crate::identity::Identity;
use crate::session::testbed::{NAME, TestGateway, within};

const QUICK: Duration = Duration::ZERO;
const STAGGER: Duration = Duration::from_millis(500);
/// Nobody waits for so long here: a busy machine is no dead edge.
const NEVER: Duration = Duration::from_mins(1);
/// What a busy machine may add: half of what a dead edge would cost that had to be waited for.
const AIR: Duration = Duration::from_secs(5);

/// A gateway behind edges, and somebody with the right to enter.
struct Course {
    behind: TestGateway,
    gateway: Gateway,
    credentials: Credentials,
    _dir: tempfile::TempDir,
}

impl Course {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let behind = TestGateway::start().await;
        behind.enrol(dir.path()).await;
        let credentials = Identity::load(dir.path()).unwrap().credentials();
        let gateway = Gateway::new(&format!("{NAME}:{}", behind.address.port()), &[], Resolver::system()).unwrap();
        Self { behind, gateway, credentials, _dir: dir }
    }

    async fn edge(&self, host: u8, delay: Duration) -> TestEdge {
        TestEdge::start(host, self.behind.address, delay).await
    }

    /// Runs the race; the gateway lets everybody in, and says by which edge each came.
    async fn run(&mut self, order: &[IpAddr], stagger: Duration) -> (Result<Answer, Lost>, Vec<String>, Duration) {
        let dials: Vec<Dial> = order.iter().map(|address| Dial { address: *address, stagger }).collect();
        let hello = hello();
        let watch = Stopwatch::start();
        let racing = race(&self.gateway, &self.credentials, &dials, &hello);
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

/// An address at which nobody listens, or nobody that is an edge.
fn shut(host: u8) -> IpAddr {
    [127, 0, 5, host].into()
}

fn hello() -> v1::Hello {
    v1::Hello { purpose: v1::Purpose::Session.into(), ..v1::Hello::default() }
}

fn winner(answer: Result<Answer, Lost>) -> IpAddr {
    match answer {
        Ok(Answer::Welcome(opened)) => opened.address.ip(),
        other => panic!("nobody won: {other:?}"),
    }
}

#[tokio::test]
async fn the_first_in_rank_wins_while_it_works() {
    let mut course = Course::new().await;
    let (best, other) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
    let (answer, came, _) = course.run(&[best.address, other.address], NEVER).await;
    assert_eq!((winner(answer), came), (best.address, vec![best.told()]));
    assert_eq!(other.accepted(), 0);
}

#[tokio::test]
async fn an_edge_that_accepts_and_forwards_nothing_costs_its_stagger() {
    for manner in [Manner::Frozen, Manner::Mute] {
        let mut course = Course::new().await;
        let (dead, other) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
        dead.turn(manner);
        let (answer, _, took) = course.run(&[dead.address, other.address], STAGGER).await;
        assert_eq!(winner(answer), other.address);
        assert!((STAGGER..STAGGER + AIR).contains(&took), "{took:?}");
    }
}

#[tokio::test]
async fn a_black_hole_costs_its_stagger() {
    let mut course = Course::new().await;
    let (_hole, other) = (black_hole(1, course.behind.address).await, course.edge(2, QUICK).await);
    let (answer, _, took) = course.run(&[shut(1), other.address], STAGGER).await;
    assert_eq!(winner(answer), other.address);
    assert!((STAGGER..STAGGER + AIR).contains(&took), "{took:?}");
}

#[tokio::test]
async fn an_edge_that_refuses_costs_nothing() {
    let mut course = Course::new().await;
    let other = course.edge(2, QUICK).await;
    let (answer, _, took) = course.run(&[shut(1), shut(3), other.address], NEVER).await;
    assert_eq!(winner(answer), other.address);
    assert!(took < AIR, "{took:?}");
}

#[tokio::test]
async fn a_loser_leaves_no_second_session() {
    let mut course = Course::new().await;
    // Its handshake goes on while the other's is done.
    let slow = course.edge(1, Duration::from_millis(1_500)).await;
    let quick = course.edge(2, QUICK).await;
    let (answer, came, _) = course.run(&[slow.address, quick.address], Duration::from_millis(250)).await;
    assert_eq!((winner(answer), came), (quick.address, vec![quick.told()]));
    // The loser's connection is gone, through the edge and all.
    within(slow.is_left()).await;
    assert_eq!(course.behind.waiting(), 0);
}

#[tokio::test]
async fn a_hello_that_is_not_answered_gives_way_to_the_next_that_is_ready() {
    let mut course = Course::new().await;
    let (first, second) = (course.edge(1, QUICK).await, course.edge(2, QUICK).await);
    let dials = [first.address, second.address].map(|address| Dial { address, stagger: STAGGER });
    let hello = hello();
    let racing = race(&course.gateway, &course.credentials, &dials, &hello);
    let answering = async {
        let mut unanswered = course.behind.session().await;
        assert_eq!(unanswered.hello().await.edge, first.told());
        let mut session = course.behind.session().await;
        assert_eq!(session.hello().await.edge, second.told());
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
    let dials = [first.address, second.address].map(|address| Dial { address, stagger: NEVER });
    let hello = hello();
    let racing = race(&course.gateway, &course.credentials, &dials, &hello);
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
    let (answer, _, _) = course.run(&[shut(1), shut(2)], NEVER).await;
    let Err(Lost(failures)) = answer else { panic!("somebody answered") };
    let failed: Vec<IpAddr> = failures.iter().map(|(address, _)| *address).collect();
    assert_eq!(failed, [shut(1), shut(2)]);
    assert!(failures.iter().all(|(_, problem)| problem.contains("refused")), "{failures:?}");
}
