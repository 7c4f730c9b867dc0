//! What a whole agent reports when its host, its network or itself is in trouble.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::time::Duration;

use quorate_core::outcome::{Outcome, Reason};
use quorate_core::plan::ProbePlan;
use quorate_proto::v1::{Finding, Health, OwnEntryPoint, Report};
use tokio_util::sync::CancellationToken;

use crate::probe::testbed::{Manner, Peer, closed_port};
use crate::session::testbed::{Running, TestGateway, TestSession, config, outcomes, plan, target, wire};

/// An agent that has been given `plan`, seen from its gateway.
struct Watched {
    session: TestSession,
    agent: Running,
    plan: ProbePlan,
    _gateway: TestGateway,
    _dir: tempfile::TempDir,
}

impl Watched {
    async fn start(plan: ProbePlan) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut gateway = TestGateway::start().await;
        gateway.enrol(dir.path()).await;
        let agent = Running::start(config(gateway.address, dir.path()));
        let mut session = gateway.session().await;
        session.hello().await;
        session.welcome(0).await;
        session.send(wire(&plan)).await;
        Self { session, agent, plan, _gateway: gateway, _dir: dir }
    }

    async fn report(&mut self) -> (Report, Vec<Outcome>) {
        let report = self.session.report().await;
        self.session.acknowledge(&report).await;
        let outcomes = outcomes(&report, self.plan.targets.len());
        (report, outcomes)
    }

    /// The outcomes of the next round, heartbeats left aside.
    async fn round(&mut self) -> Vec<Outcome> {
        loop {
            let (_, outcomes) = self.report().await;
            if !outcomes.is_empty() {
                return outcomes;
            }
        }
    }

    /// Waits for a round that ends like this: on a busy machine one may be stalled.
    async fn sees(&mut self, wanted: impl Fn(&[Outcome]) -> bool) {
        let mut seen = Vec::new();
        for _ in 0..20 {
            seen = self.round().await;
            if wanted(&seen) {
                return;
            }
        }
        panic!("no such round in 20, the last is {seen:?}");
    }

    async fn stop(self) {
        drop(self.session);
        self.agent.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_was_stopped_reports_stalled_and_never_failed() {
    let peer = Peer::start(Manner::Tls).await;
    let targets = (0..10).map(|at| target(&format!("t{at}"), peer.address)).collect();
    let mut watched = Watched::start(plan(1, targets)).await;
    watched.round().await;
    let mut stalled = 0;
    for _ in 0..6 {
        peer.is_knocked_at().await;
        // Everything on this thread stands still in the middle of a knock, as after SIGSTOP; budgets are 250 ms.
        std::thread::sleep(Duration::from_millis(700));
        let outcomes = watched.round().await;
        assert!(outcomes.iter().all(|outcome| !matches!(outcome, Outcome::Failed(_))), "{outcomes:?}");
        stalled += outcomes.iter().filter(|outcome| **outcome == Outcome::Inconclusive(Reason::Stalled)).count();
    }
    assert!(stalled > 0);
    watched.stop().await;
}

#[tokio::test]
async fn when_no_control_answers_failures_count_for_nothing() {
    let peer = Peer::start(Manner::Tls).await;
    let targets = || vec![target("up", peer.address), target("down", "127.0.0.1:1".parse().unwrap())];
    let unknown = "no-such-host.invalid:443".to_owned();
    let mut cut_off = Watched::start(ProbePlan { controls: vec![unknown.clone()], ..plan(1, targets()) }).await;
    cut_off.sees(|seen| matches!(seen, [Outcome::Reached { .. }, Outcome::Inconclusive(Reason::ControlsFailed)])).await;
    cut_off.stop().await;
    // One that answers is enough.
    let controls = vec![unknown, peer.address.to_string()];
    let mut online = Watched::start(ProbePlan { controls, ..plan(1, targets()) }).await;
    online.sees(|seen| matches!(seen, [Outcome::Reached { .. }, Outcome::Failed(_)])).await;
    online.stop().await;
}

#[tokio::test]
async fn a_server_whose_entry_points_do_not_answer_locally_says_that_it_is_down() {
    let (peer, closed) = (Peer::start(Manner::Tls).await, closed_port().await);
    let own = vec![target("me", peer.address), target("me-too", closed)];
    let mut watched = Watched::start(ProbePlan { own, ..plan(1, Vec::new()) }).await;
    let check = watched.report().await.0.self_check.unwrap();
    assert_eq!(check.health(), Health::Ok);
    let findings: Vec<Finding> = check.own.iter().map(OwnEntryPoint::finding).collect();
    assert_eq!(findings, [Finding::Ok, Finding::Failed]);
    assert!(check.own[0].certificate_days_left.unwrap() > 60_000);
    assert_eq!(check.own[1].detail, "connect: connection_refused");
    drop(peer);
    while watched.report().await.0.self_check.unwrap().health() != Health::Down {}
    watched.stop().await;
}

#[tokio::test]
async fn a_second_agent_on_one_data_dir_is_refused_and_may_follow_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let first = Running::start(config(gateway.address, dir.path()));
    gateway.session().await.hello().await;
    let refused =
        crate::run(config(gateway.address, dir.path()), CancellationToken::new()).await.unwrap_err().to_string();
    let line = "another agent runs on it; stop that one, or give this one another data_dir";
    assert_eq!(refused, format!("{}: {line}", dir.path().display()));
    first.stop().await;
    let second = Running::start(config(gateway.address, dir.path()));
    gateway.session().await.hello().await;
    second.stop().await;
}
