//! What a certificate is good for, and how its agent comes by the next one.

use std::sync::Arc;
use std::time::Duration;

use quorate_proto::v1::{self, from_agent, to_agent};
use rcgen::KeyPair;

use super::bed::{Bed, Credentials, Link, csr, hello, report};
use crate::authority::AGENT_VALID_FOR;
use crate::clock::wall;
use crate::gateway::limits::RENEWAL_BURST;
use crate::store::CertificateState::{self, Active, Pending, Retired};

const DAY: Duration = Duration::from_hours(24);

async fn ask(link: &mut Link, csr_der: Vec<u8>) -> v1::Renewed {
    link.send(from_agent::Kind::Renew(v1::Renew { csr_der })).await;
    match link.next().await {
        Some(to_agent::Kind::Renewed(renewed)) => renewed,
        other => panic!("no Renewed but {other:?}"),
    }
}

/// Asks for a certificate for `key` and is given one.
async fn renew(link: &mut Link, key: &Arc<KeyPair>) -> Credentials {
    let renewed = ask(link, csr(key)).await;
    assert_eq!(renewed.refused, "");
    Credentials { certificate: renewed.certificate_der.into(), key: Arc::clone(key) }
}

fn fresh_key() -> Arc<KeyPair> {
    Arc::new(KeyPair::generate().unwrap())
}

async fn open(bed: &Bed, credentials: &Credentials, purpose: v1::Purpose) -> Link {
    let mut link = bed.link(credentials).await.unwrap();
    link.hello(v1::Hello { purpose: purpose.into(), ..hello() }).await;
    link
}

/// Comes to renew, and is welcomed.
async fn come_to_renew(bed: &Bed, credentials: &Credentials) -> Link {
    let mut link = open(bed, credentials, v1::Purpose::Renew).await;
    assert!(matches!(link.next().await, Some(to_agent::Kind::Welcome(_))));
    link
}

async fn states(bed: &Bed) -> Vec<CertificateState> {
    let mut found = bed.store.certificates("nl-1").await.unwrap();
    found.sort_by_key(|certificate| certificate.lifetime.not_after);
    found.into_iter().map(|certificate| certificate.state).collect()
}

#[tokio::test]
async fn a_certificate_renewed_over_the_live_session_retires_the_old_one_at_its_first_use() {
    let mut bed = Bed::start().await;
    let old = bed.issue("nl-1", wall().before(DAY * 20)).await;
    let (mut session, _) = bed.session(&old).await;
    let key = fresh_key();
    let new = renew(&mut session, &key).await;
    let (_, read) = x509_parser::parse_x509_certificate(&new.certificate).unwrap();
    assert_eq!(read.subject().to_string(), "CN=nl-1");
    assert!(!String::from_utf8_lossy(&new.certificate).contains("impostor"), "what the request asks for is ignored");
    assert_eq!(states(&bed).await, [Active, Pending]);
    session.report(report(1)).await;
    assert_eq!(session.ack().await, 1, "the session goes on");

    let (mut next, welcome) = bed.session(&new).await;
    assert_eq!(welcome.server, "nl-1");
    assert_eq!(session.close().await.reason, "replaced");
    assert_eq!(states(&bed).await, [Retired, Active]);
    assert!(!bed.gets_in(&old).await);
    next.report(report(2)).await;
    assert_eq!(next.ack().await, 2);
    let told = bed.events.recv().await.unwrap();
    assert_eq!((told.subject.as_str(), told.to.as_deref()), ("nl-1", Some("renewed")));
    assert_eq!(bed.handle.sessions().totals().renewals, 1);
}

#[tokio::test]
async fn a_lost_answer_is_given_again_and_another_key_takes_its_place() {
    let bed = Bed::start().await;
    let old = bed.enrol("nl-1").await;
    let (mut session, _) = bed.session(&old).await;
    let key = fresh_key();
    let first = renew(&mut session, &key).await;
    drop(session);
    let (mut session, _) = bed.session(&old).await;
    let again = renew(&mut session, &key).await;
    assert_eq!(first.certificate, again.certificate);

    let other = renew(&mut session, &fresh_key()).await;
    assert!(!bed.gets_in(&first).await, "one pending certificate at most");
    assert!(bed.gets_in(&other).await);
}

#[tokio::test]
async fn a_refused_renewal_says_why_and_ends_no_session() {
    let bed = Bed::start().await;
    let (mut session, _) = bed.session(&bed.enrol("nl-1").await).await;
    let mut forged = csr(&fresh_key());
    *forged.last_mut().unwrap() ^= 1;
    let p384 = KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384).unwrap();
    for (request, why) in [
        (b"garbage".to_vec(), "cannot be read"),
        (Vec::new(), "cannot be read"),
        (forged, "not signed by its own key"),
        (csr(&p384), "not for a P-256 key"),
    ] {
        let renewed = ask(&mut session, request).await;
        assert!(renewed.refused.contains(why) && renewed.certificate_der.is_empty(), "{why}: {}", renewed.refused);
    }
    assert_eq!(states(&bed).await, [Active]);
    session.report(report(1)).await;
    assert_eq!(session.ack().await, 1);
    assert_eq!(bed.handle.sessions().totals().renewals_refused, 4);
}

#[tokio::test]
async fn renewals_of_one_server_are_slowed_down_and_those_of_others_are_not() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let mut session = bed.session(&credentials).await.0;
    for _ in 0..RENEWAL_BURST {
        renew(&mut session, &fresh_key()).await;
    }
    // Another session makes no difference.
    let mut session = bed.session(&credentials).await.0;
    let renewed = ask(&mut session, csr(&fresh_key())).await;
    assert!(renewed.refused.contains("try again in"), "{}", renewed.refused);
    let mut neighbour = bed.session(&bed.enrol("nl-2").await).await.0;
    renew(&mut neighbour, &fresh_key()).await;
}

#[tokio::test]
async fn a_certificate_that_has_ended_can_be_renewed_and_nothing_else() {
    let bed = Bed::start().await;
    let ended = bed.issue("nl-1", wall().before(AGENT_VALID_FOR + DAY)).await;
    for purpose in [v1::Purpose::Session, v1::Purpose::Probe] {
        let close = open(&bed, &ended, purpose).await.close().await;
        assert_eq!(close.reason, "expired", "{}", close.detail);
    }
    let mut link = come_to_renew(&bed, &ended).await;
    link.report(report(1)).await;
    assert_eq!(link.close().await.reason, "expired");
    assert_eq!(bed.store.stored_sequence("nl-1", b"outbox").await.unwrap(), 0);
    assert!(bed.handle.sessions().list().is_empty(), "it is no sign of life");

    let mut link = come_to_renew(&bed, &ended).await;
    let new = renew(&mut link, &fresh_key()).await;
    link.send(from_agent::Kind::Goodbye(v1::Goodbye { reason: "renewed".to_owned(), detail: String::new() })).await;
    assert_eq!(link.next().await, None);
    let (mut session, _) = bed.session(&new).await;
    session.report(report(1)).await;
    assert_eq!(session.ack().await, 1);
    assert_eq!(states(&bed).await, [Retired, Active]);
    assert_eq!(bed.handle.sessions().totals().sessions, 1);
}

#[tokio::test]
async fn a_lost_answer_to_an_ended_certificate_is_given_again_too() {
    let bed = Bed::start().await;
    let ended = bed.issue("nl-1", wall().before(AGENT_VALID_FOR + DAY)).await;
    let key = fresh_key();
    let first = renew(&mut come_to_renew(&bed, &ended).await, &key).await;
    let again = renew(&mut come_to_renew(&bed, &ended).await, &key).await;
    assert_eq!(first.certificate, again.certificate);
    assert!(bed.gets_in(&again).await);
}

#[tokio::test]
async fn a_pending_certificate_that_has_ended_is_not_given_again() {
    let bed = Bed::start().await;
    let (mut session, _) = bed.session(&bed.enrol("nl-1").await).await;
    let ended = bed.issue("nl-1", wall().before(AGENT_VALID_FOR + DAY)).await;
    let new = renew(&mut session, &ended.key).await;
    assert_ne!(new.certificate, ended.certificate);
    assert!(bed.gets_in(&new).await);
}

#[tokio::test]
async fn ninety_days_after_its_end_a_certificate_is_good_for_nothing() {
    let bed = Bed::start().await;
    let renewable = bed.issue("nl-1", wall().before(AGENT_VALID_FOR + DAY * 89)).await;
    let lost = bed.issue("nl-2", wall().before(AGENT_VALID_FOR + DAY * 91)).await;
    come_to_renew(&bed, &renewable).await;
    let Ok(mut refused) = bed.link(&lost).await else { return };
    refused.hello(v1::Hello { purpose: v1::Purpose::Renew.into(), ..hello() }).await;
    assert_eq!(refused.next().await, None);
}

#[tokio::test]
async fn a_good_certificate_may_come_to_renew_but_not_to_report_under_that_purpose() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let new = renew(&mut come_to_renew(&bed, &credentials).await, &fresh_key()).await;
    let mut link = come_to_renew(&bed, &credentials).await;
    link.report(report(1)).await;
    let close = link.close().await;
    assert_eq!((close.reason.as_str(), close.detail.contains("purpose renew")), ("protocol", true));
    assert!(bed.gets_in(&new).await);
}

#[tokio::test]
async fn a_session_does_not_outlive_its_certificate() {
    let bed = Bed::start().await;
    let almost_over = wall().before(AGENT_VALID_FOR).after(Duration::from_secs(2));
    let (mut session, _) = bed.session(&bed.issue("nl-1", almost_over).await).await;
    let (mut other, _) = bed.session(&bed.enrol("nl-2").await).await;
    let refreshing = async {
        loop {
            bed.handle.0.refresh_pins().await.unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        close = session.close() => assert_eq!(close.reason, "expired"),
        () = refreshing => {}
    }
    other.report(report(1)).await;
    assert_eq!(other.ack().await, 1);
}

#[tokio::test]
async fn whoever_was_revoked_while_asking_gets_nothing() {
    let bed = Bed::start().await;
    let credentials = bed.enrol("nl-1").await;
    let (mut session, _) = bed.session(&credentials).await;
    // By another process: this one has not heard of it.
    bed.store.revoke("nl-1").await.unwrap();
    let renewed = ask(&mut session, csr(&fresh_key())).await;
    assert!(renewed.refused.contains("no longer in use"), "{}", renewed.refused);
    bed.handle.0.refresh_pins().await.unwrap();
    assert_eq!(session.close().await.reason, "revoked");
    assert!(bed.store.pinned_certificates().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_certificates_of_a_server_are_seen_with_their_state() {
    let bed = Bed::start().await;
    let old = bed.issue("nl-1", wall().before(DAY * 28)).await;
    let (mut session, _) = bed.session(&old).await;
    let late = bed.handle.late_certificates(wall());
    assert_eq!(late.iter().map(|pin| &*pin.server).collect::<Vec<_>>(), ["nl-1"]);
    let new = renew(&mut session, &fresh_key()).await;
    let seen = || {
        let mut seen: Vec<_> = bed.handle.certificates("nl-1").into_iter().map(|pin| pin.state.as_str()).collect();
        seen.sort_unstable();
        seen
    };
    assert_eq!(seen(), ["active", "pending"]);
    bed.session(&new).await;
    assert_eq!(seen(), ["active"]);
    assert!(bed.handle.late_certificates(wall()).is_empty());
}
