//! What an agent may count on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quorate_proto::v1::{self, from_agent, to_agent};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::bed::{Bed, PATIENCE, eventually, hello, report};
use crate::gateway::writer::{Order, Submission, Writer};
use crate::limits::REPORT_BYTES_MAX;

#[tokio::test]
async fn an_enrolled_agent_is_welcomed_and_its_report_is_stored_folded_and_acknowledged() {
    let mut bed = Bed::start().await;
    bed.publish(7, &["nl-1"]);
    let credentials = bed.enrol("nl-1").await;
    let (mut link, welcome) = bed.session(&credentials).await;
    assert_eq!((welcome.server.as_str(), welcome.stored_sequence), ("nl-1", 0));
    let Some(to_agent::Kind::Plan(plan)) = link.next().await else { panic!("no Plan") };
    assert_eq!(plan.version, 7);

    let before = bed.clock.now();
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
    let admitted = bed.admitted.recv().await.unwrap();
    assert_eq!((admitted.server.as_str(), admitted.report.sequence), ("nl-1", 1));
    assert_eq!(admitted.received_at.since(admitted.observed_at), Duration::from_secs(5));
    assert!(admitted.received_at >= before && admitted.received_at <= bed.clock.now());
    assert_eq!(bed.store.stored_sequence("nl-1", b"outbox").await.unwrap(), 1);

    let sessions = bed.handle.sessions();
    let [session] = &sessions.of("nl-1")[..] else { panic!("one session") };
    assert_eq!((session.agent_version.as_str(), session.plan_version), ("test", 7));
    assert_eq!(session.dialled.as_deref(), Some("192.0.2.11:8443"));
    assert_eq!(session.outbox, "6f7574626f78");
    assert!(session.arrival.peer_addr.ip().is_loopback() && session.last_message_at >= session.since);

    link.send(from_agent::Kind::Goodbye(v1::Goodbye { reason: "shutdown".to_owned(), detail: String::new() })).await;
    assert_eq!(link.next().await, None);
    eventually("the session is gone", || sessions.list().is_empty()).await;
    let totals = sessions.totals();
    assert_eq!((totals.sessions, totals.reports_stored, totals.enrolments), (1, 1, 1));
    let (_link, welcome) = bed.session(&credentials).await;
    assert_eq!(welcome.stored_sequence, 1, "what is stored need not be sent again");
}

#[tokio::test]
async fn a_plan_that_an_agent_refuses_is_told_with_its_reason() {
    let mut bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    let (reason, detail) = ("plan_refused".to_owned(), "10.0.0.20 is a private address".to_owned());
    link.send(from_agent::Kind::Goodbye(v1::Goodbye { reason, detail })).await;
    let told = loop {
        let event = bed.events.recv().await.unwrap();
        if event.to.as_deref() == Some("plan_refused") {
            break event;
        }
    };
    assert_eq!(told.subject, "nl-1");
    assert!(told.reason.ends_with("10.0.0.20 is a private address"), "{}", told.reason);
}

#[tokio::test]
async fn reports_that_were_shed_are_counted_and_told_once() {
    let mut bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    for sequence in [1, 5, 6, 8] {
        link.report(report(sequence)).await;
        assert_eq!(link.ack().await, sequence);
    }
    let mut told = Vec::new();
    while let Ok(event) = bed.events.try_recv() {
        told.extend(Some(event).filter(|event| event.to.as_deref() == Some("reports_lost")));
    }
    let [lost] = &told[..] else { panic!("{told:?}") };
    assert!(lost.reason.starts_with("3 reports of its agent will never come (numbers 2 to 4)"), "{}", lost.reason);
    assert_eq!(bed.handle.sessions().totals().reports_lost, 4);
    // The next session goes on where this one was: what is known to be lost is not told again.
    drop(link);
    let (mut link, welcome) = bed.session(&credentials).await;
    assert_eq!(welcome.stored_sequence, 8);
    link.report(report(9)).await;
    assert_eq!(link.ack().await, 9);
    assert_eq!(bed.handle.sessions().totals().reports_lost, 4);
}

#[tokio::test]
async fn a_repeated_report_is_acknowledged_each_time_and_folded_once() {
    let mut bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    for _ in 0..3 {
        link.report(report(1)).await;
        assert_eq!(link.ack().await, 1);
    }
    link.report(report(2)).await;
    assert_eq!(link.ack().await, 2);
    assert_eq!(bed.admitted.recv().await.unwrap().report.sequence, 1);
    assert_eq!(bed.admitted.recv().await.unwrap().report.sequence, 2);
    let totals = bed.handle.sessions().totals();
    assert_eq!((totals.reports_stored, totals.reports_repeated), (2, 2));
}

#[tokio::test]
async fn a_full_outbox_is_replayed_in_order_and_acknowledged_to_its_end() {
    let mut bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    // The oldest were shed: numbers need not begin at 1.
    let (first, last) = (301, 1300);
    let mut acknowledged = 0;
    let mut next = first;
    while acknowledged < last {
        // Never further ahead than what fits on the way, so that neither side waits for the other.
        while next <= last && next < acknowledged.max(first) + 8 {
            link.report(report(next)).await;
            next += 1;
        }
        let sequence = link.ack().await;
        assert!(sequence > acknowledged && sequence < next);
        acknowledged = sequence;
    }
    for sequence in first..=last {
        assert_eq!(bed.admitted.recv().await.unwrap().report.sequence, sequence);
    }
}

#[tokio::test]
async fn a_report_that_was_not_stored_is_not_acknowledged() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
    bed.store.close().await;
    link.report(report(2)).await;
    let close = link.close().await;
    assert_eq!(close.reason, "unavailable", "{}", close.detail);
    assert_eq!(bed.handle.sessions().totals().reports_refused, 1);
    assert!(!bed.running.is_finished());
}

#[tokio::test]
async fn what_follows_a_report_that_was_not_stored_is_not_stored_before_it() {
    let bed = Bed::start().await;
    let (writer, queue) = Writer::new();
    let (one, other) = (Order::default(), Order::default());
    let too_large = Bytes::from(vec![0; REPORT_BYTES_MAX + 1]);
    let mut answers = Vec::new();
    for (server, sequence, payload, order) in [
        ("nl-1", 1, Bytes::new(), &one),
        ("nl-1", 2, too_large, &one),
        ("nl-1", 3, Bytes::new(), &one),
        ("de-1", 1, Bytes::new(), &other),
    ] {
        let (server, order, report) = (server.to_owned(), order.clone(), report(sequence));
        let (received_at, observed_at) = (bed.clock.now(), bed.clock.now());
        let submission = Submission { server, received_at, observed_at, report, payload, order };
        answers.push(writer.submit(submission).await.unwrap());
    }
    drop(writer);
    let outage = Arc::default();
    queue.run(bed.store.clone(), bed.engine.clone(), bed.handle.sessions(), outage, CancellationToken::new()).await;
    let mut stored = Vec::new();
    for answer in answers {
        stored.push(answer.await.unwrap().is_ok());
    }
    assert_eq!(stored, [true, false, false, true]);
    // The agent sends 2 and 3 again; neither is taken for a repeat.
    assert_eq!(bed.store.stored_sequence("nl-1", &report(2).outbox_id).await.unwrap(), 1);
}

#[tokio::test]
async fn each_new_plan_is_sent_and_one_that_the_agent_holds_is_not() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    bed.publish(3, &["nl-1"]);
    let mut link = bed.link(&credentials).await.unwrap();
    link.hello(v1::Hello { plan_version: 3, ..hello() }).await;
    assert!(matches!(link.next().await, Some(to_agent::Kind::Welcome(_))));
    eventually("the session is live", || !bed.handle.sessions().list().is_empty()).await;
    bed.publish(4, &["nl-1"]);
    let Some(to_agent::Kind::Plan(plan)) = link.next().await else { panic!("no Plan") };
    assert_eq!(plan.version, 4);
    bed.publish(5, &["nl-2"]);
    let Some(to_agent::Kind::Plan(plan)) = link.next().await else { panic!("no Plan") };
    assert_eq!(
        (plan.version, plan.targets.len(), plan.interval_ms),
        (5, 0, 1000),
        "not in the inventory: knock on none"
    );
}

#[tokio::test]
async fn a_probe_is_welcomed_and_is_no_session() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let mut link = bed.link(&credentials).await.unwrap();
    link.hello(v1::Hello { purpose: v1::Purpose::Probe.into(), outbox_id: Vec::new(), ..hello() }).await;
    assert!(matches!(link.next().await, Some(to_agent::Kind::Welcome(_))));
    assert_eq!(link.next().await, None);
    let totals = bed.handle.sessions().totals();
    assert_eq!((totals.probes, totals.sessions), (1, 0));
}

#[tokio::test]
async fn a_third_session_replaces_the_oldest() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut first, _) = bed.session(&credentials).await;
    let (mut second, _) = bed.session(&credentials).await;
    assert_eq!(bed.handle.sessions().of("nl-1").len(), 2, "an old and a new one overlap");
    let (mut third, _) = bed.session(&credentials).await;
    assert_eq!(first.close().await.reason, "replaced");
    for (link, sequence) in [(&mut second, 1), (&mut third, 2)] {
        link.report(report(sequence)).await;
        assert_eq!(link.ack().await, sequence);
    }
}

#[tokio::test]
async fn revoking_ends_live_sessions_within_a_second_and_lets_nobody_in_again() {
    let mut bed = Bed::start().await;
    let revoked = bed.enrol("nl-1").await;
    let other = bed.enrol("nl-2").await;
    let (mut link, _) = bed.session(&revoked).await;
    let (mut bystander, _) = bed.session(&other).await;
    let unused_token = bed.token("nl-1").await;

    let started = Instant::now();
    bed.handle.revoke("nl-1").await.unwrap();
    assert_eq!(link.close().await.reason, "revoked");
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(!bed.gets_in(&revoked).await);
    let key = rcgen::KeyPair::generate().unwrap();
    assert!(bed.present(&unused_token, &key).await.is_err(), "open tokens are void too");
    bystander.report(report(1)).await;
    assert_eq!(bystander.ack().await, 1);
    let mut told = Vec::new();
    while let Ok(event) = bed.events.try_recv() {
        told.push((event.subject, event.to.unwrap_or_default()));
    }
    assert!(told.contains(&("nl-1".to_owned(), "revoked".to_owned())), "{told:?}");
}

#[tokio::test]
async fn what_another_process_enrolled_or_revoked_counts_here_too() {
    let bed = Bed::start().await;
    let other = Bed::beside(&bed).await;
    let credentials = other.enrol("nl-1").await;
    bed.handle.0.refresh_pins().await.unwrap();
    let (mut link, _) = bed.session(&credentials).await;
    other.handle.revoke("nl-1").await.unwrap();
    bed.handle.0.refresh_pins().await.unwrap();
    assert_eq!(link.close().await.reason, "revoked");
    assert!(!bed.gets_in(&credentials).await);
}

#[tokio::test]
async fn what_another_process_revoked_is_noticed_at_hello() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    bed.store.revoke("nl-1").await.unwrap();
    let mut link = bed.link(&credentials).await.unwrap();
    link.hello(hello()).await;
    assert_eq!(link.close().await.reason, "revoked");
}

#[tokio::test]
async fn a_new_certificate_retires_the_old_one_at_its_first_use() {
    let bed = Bed::start().await;
    let old = bed.enrol("nl-1").await;
    let (mut old_link, _) = bed.session(&old).await;
    let new = bed.enrol("nl-1").await;
    old_link.report(report(1)).await;
    assert_eq!(old_link.ack().await, 1, "the new one is pending: the old one is good");
    let (mut new_link, _) = bed.session(&new).await;
    assert_eq!(old_link.close().await.reason, "replaced");
    assert!(!bed.gets_in(&old).await);
    new_link.report(report(2)).await;
    assert_eq!(new_link.ack().await, 2);
}

#[tokio::test]
async fn shutdown_tells_every_session_and_ends_within_five_seconds() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut link, _) = bed.session(&credentials).await;
    let silent = tokio::net::TcpStream::connect(bed.addr).await.unwrap();
    let mute = bed.link(&bed.enrol("nl-2").await).await.unwrap();
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
    bed.shutdown.cancel();
    assert_eq!(link.close().await.reason, "draining");
    drop(link);
    timeout(Duration::from_secs(5), bed.running).await.unwrap().unwrap();
    drop((silent, mute));
}

#[tokio::test]
async fn an_agent_that_is_suddenly_gone_leaves_no_session() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (link, _) = bed.session(&credentials).await;
    let sessions = bed.handle.sessions();
    eventually("the session is live", || sessions.list().len() == 1).await;
    drop(link);
    eventually("the session is gone", || sessions.list().is_empty()).await;
    let (mut link, _) = timeout(PATIENCE, bed.session(&credentials)).await.unwrap();
    link.report(report(1)).await;
    assert_eq!(link.ack().await, 1);
}
