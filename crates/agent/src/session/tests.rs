//! A whole agent against a gateway whose lines the test speaks.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_proto::v1::{self, to_agent};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::fmt::MakeWriter;

use super::testbed::{Running, TestGateway, config, outcomes, plan, target, wire, within};
use crate::AgentConfig;
use crate::probe::testbed::{Manner, Peer, closed_port};

#[tokio::test]
async fn an_agent_walks_its_plan_reports_and_says_goodbye() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let peer = Peer::start(Manner::Tls).await;
    let plan = plan(7, vec![target("a", peer.address), target("b", closed_port().await)]);
    let agent = Running::start(config(gateway.address, dir.path()));

    let mut session = gateway.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.purpose(), hello.plan_version, hello.outbox_id.len()), (v1::Purpose::Session, 0, 16));
    session.welcome(0).await;
    session.send(wire(&plan)).await;

    // At once: it is alive, and has seen nothing yet.
    let first = session.report().await;
    assert_eq!((first.sequence, first.plan_version), (1, 7));
    assert_eq!(outcomes(&first, 2), []);
    assert_eq!(first.self_check.as_ref().unwrap().health(), v1::Health::Ok);
    assert!(first.self_check.unwrap().metrics.unwrap().memory_total_bytes.is_some());
    let mut sequence = 1;
    loop {
        let report = session.report().await;
        sequence += 1;
        assert_eq!((report.sequence, &report.outbox_id), (sequence, &hello.outbox_id));
        session.acknowledge(&report).await;
        if let [Outcome::Reached { .. }, Outcome::Failed(_)] = outcomes(&report, 2)[..] {
            break;
        }
        assert!(sequence < 10);
    }
    agent.shutdown.cancel();
    assert_eq!(session.goodbye().await.reason, "shutdown");
    drop(session);
    agent.stop().await;
}

#[tokio::test]
async fn what_is_not_acknowledged_comes_again_and_what_is_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let agent = Running::start(config(gateway.address, dir.path()));
    let mut session = gateway.session().await;
    session.hello().await;
    session.welcome(0).await;
    session.send(wire(&plan(1, Vec::new()))).await;
    let first = session.report().await;
    session.acknowledge(&first).await;
    let second = session.report().await;
    let third = session.report().await;
    assert_eq!([first.sequence, second.sequence, third.sequence], [1, 2, 3]);
    // The line breaks; the second and the third were never acknowledged.
    drop(session);

    let mut session = gateway.session().await;
    assert_eq!(session.hello().await.plan_version, 1);
    // The second was stored after all: its receipt was lost.
    session.welcome(2).await;
    let again = session.report().await;
    assert_eq!((again.sequence, &again.outbox_id), (3, &third.outbox_id));
    assert!(again.age_ms >= third.age_ms);
    session.acknowledge(&again).await;
    assert_eq!(session.report().await.sequence, 4);
    drop(session);
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_goes_on_by_its_cached_plan_and_keeps_its_reports_while_nobody_answers() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let agent = Running::start(config(gateway.address, dir.path()));
    let mut session = gateway.session().await;
    session.hello().await;
    session.welcome(0).await;
    session.send(wire(&plan(1, Vec::new()))).await;
    let first = session.report().await;
    drop(session);
    agent.stop().await;

    // A restart without an answer from the gateway: rounds go on.
    let agent = Running::start(config(gateway.address, dir.path()));
    let kept = async {
        while std::fs::read_dir(dir.path().join("outbox")).unwrap().count() < 4 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(kept).await;
    let mut session = gateway.session().await;
    let hello = session.hello().await;
    assert_eq!((hello.plan_version, &hello.outbox_id), (1, &first.outbox_id));
    session.welcome(1).await;
    for sequence in 2..=4 {
        assert_eq!(session.report().await.sequence, sequence);
    }
    drop(session);
    agent.stop().await;
}

#[tokio::test]
async fn a_plan_beyond_the_own_limits_is_refused_aloud_once_and_the_old_one_goes_on() {
    let log = Log::default();
    let lines = tracing_subscriber::fmt().with_ansi(false).with_writer(log.clone()).finish();
    let _logging = tracing::subscriber::set_default(lines);
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let agent = Running::start(config(gateway.address, dir.path()));
    let mut session = gateway.session().await;
    session.hello().await;
    session.welcome(0).await;
    session.send(wire(&plan(1, Vec::new()))).await;
    session.report().await;
    let outside = plan(2, vec![target("x", "10.0.0.1:443".parse().unwrap())]);
    session.send(wire(&outside)).await;
    let goodbye = session.goodbye().await;
    assert_eq!(goodbye.reason, "plan_refused");
    assert_eq!(
        goodbye.detail,
        "plan 2: entry point 'x/tls': 10.0.0.1 is a private address, and limits.allow_private is false"
    );
    drop(session);
    // It comes back with the plan it holds, and does not quarrel about the same plan again.
    let mut session = gateway.session().await;
    assert_eq!(session.hello().await.plan_version, 1);
    session.welcome(0).await;
    session.send(wire(&outside)).await;
    for _ in 0..4 {
        assert_eq!(session.report().await.plan_version, 1);
    }
    drop(session);
    agent.stop().await;
    assert_eq!(log.text().matches("plan refused").count(), 1, "{}", log.text());
}

/// What is logged on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn a_planned_end_is_followed_by_a_new_session() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let agent = Running::start(config(gateway.address, dir.path()));
    let mut session = gateway.session().await;
    session.hello().await;
    session.welcome(0).await;
    session.send(to_agent::Kind::Close(v1::Close { reason: "draining".to_owned(), detail: String::new() })).await;
    let mut session = gateway.session().await;
    session.hello().await;
    drop(session);
    agent.stop().await;
}

#[tokio::test]
async fn an_agent_that_is_not_enrolled_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let config = AgentConfig::new("127.0.0.1:1", dir.path());
    let error = crate::run(config, CancellationToken::new()).await.unwrap_err().to_string();
    assert!(error.ends_with("run the command that 'quorate-aggregator enroll' prints"), "{error}");
}

#[tokio::test]
async fn an_agent_whose_gateway_is_gone_still_ends_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    gateway.enrol(dir.path()).await;
    let config = config(gateway.address, dir.path());
    drop(gateway);
    let agent = Running::start(config);
    tokio::task::yield_now().await;
    agent.stop().await;
}
