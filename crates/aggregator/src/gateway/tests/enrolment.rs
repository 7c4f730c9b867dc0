//! What a token is good for, and what it is not.

use std::time::Duration;

use quorate_proto::v1;
use rcgen::KeyPair;
use tonic::{Code, Status};

use super::bed::Bed;
use crate::authority::{Authority, Token};
use crate::digest::sha256;
use crate::gateway::limits::{ENROLMENT_BURST, ENROLMENT_TOKEN_BURST};
use crate::gateway::{ALPN_ENROLMENT, mint_enrolment};

#[tokio::test]
async fn a_lost_answer_is_given_again_for_the_same_key() {
    let bed = Bed::start().await;
    let token = bed.token("nl-1").await;
    let key = KeyPair::generate().unwrap();
    let first = bed.present(&token, &key).await.unwrap();
    let again = bed.present(&token, &key).await.unwrap();
    assert_eq!(first, again);
}

#[tokio::test]
async fn a_token_with_another_key_is_refused_and_told() {
    let mut bed = Bed::start().await;
    let token = bed.token("nl-1").await;
    bed.present(&token, &KeyPair::generate().unwrap()).await.unwrap();
    let refused = bed.present(&token, &KeyPair::generate().unwrap()).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().starts_with("'nl-1' is enrolled already: "), "{}", refused.message());
    assert!(refused.message().contains("'quorate-aggregator enroll nl-1'"), "{}", refused.message());
    assert_eq!(bed.events.recv().await.unwrap().to.as_deref(), Some("enrolled"));
    let told = bed.events.recv().await.unwrap();
    assert_eq!((told.subject.as_str(), told.to.as_deref()), ("nl-1", Some("enrolment_refused")));
}

#[tokio::test]
async fn of_two_racers_with_one_token_one_wins_and_the_other_is_told() {
    let mut bed = Bed::start().await;
    let token = bed.token("nl-1").await;
    let keys = [KeyPair::generate().unwrap(), KeyPair::generate().unwrap()];
    let (one, two) = tokio::join!(bed.present(&token, &keys[0]), bed.present(&token, &keys[1]));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    let loser = one.and(two).unwrap_err();
    assert_eq!(loser.code(), Code::PermissionDenied, "{}", loser.message());
    assert!(loser.message().contains("used with another key"), "{}", loser.message());
    let told = [bed.events.recv().await.unwrap().to, bed.events.recv().await.unwrap().to];
    assert!(told.contains(&Some("enrolment_refused".to_owned())), "the operator too: {told:?}");
    assert_eq!(bed.store.certificates("nl-1").await.unwrap().len(), 1);
}

#[tokio::test]
async fn two_at_once_with_one_token_and_one_key_get_one_certificate() {
    let bed = Bed::start().await;
    let token = bed.token("nl-1").await;
    let key = KeyPair::generate().unwrap();
    let (one, two) = tokio::join!(bed.present(&token, &key), bed.present(&token, &key));
    assert_eq!(one.unwrap(), two.unwrap());
}

#[tokio::test]
async fn a_token_that_is_wrong_foreign_or_expired_is_refused_in_one_line() {
    let bed = Bed::start().await;
    let key = KeyPair::generate().unwrap();
    let long_ago = bed.clock.now().before(Duration::from_hours(1));
    let expired = mint_enrolment(&bed.store, &bed.authority, "nl-1", long_ago).await.unwrap();
    let never_minted = Token::mint(bed.authority.spki_pin()).unwrap().to_string();
    let elsewhere = Authority::open(&bed.dir.path().join("elsewhere")).unwrap();
    let foreign = mint_enrolment(&bed.store, &elsewhere, "nl-1", bed.clock.now()).await.unwrap();
    let mut forged = bed.token("nl-1").await.split('.').map(str::to_owned).collect::<Vec<_>>();
    forged[2] = never_minted.split('.').nth(2).unwrap().to_owned();
    for (token, expected) in [
        (expired.as_str(), "expired"),
        (&never_minted, "not known"),
        (&forged.join("."), "not known"),
        (&foreign, "another aggregator"),
        ("q1.nonsense", "no enrolment token"),
        ("", "no enrolment token"),
    ] {
        let refused = bed.present(token, &key).await.unwrap_err();
        assert!(refused.message().contains(expected), "{expected}: {}", refused.message());
        assert!(!refused.message().contains('\n'));
    }
    assert_eq!(bed.handle.sessions().totals().enrolments_refused, 6);
}

#[tokio::test]
async fn a_request_that_is_none_leaves_the_token_unused() {
    let bed = Bed::start().await;
    let token = bed.token("nl-1").await;
    let garbage =
        v1::EnrollRequest { token: token.clone(), csr_der: b"garbage".to_vec(), agent_version: String::new() };
    assert_eq!(bed.ask(garbage).await.unwrap_err().code(), Code::InvalidArgument);
    let huge = v1::EnrollRequest { token: token.clone(), csr_der: vec![0; 1 << 20], agent_version: String::new() };
    assert_eq!(bed.ask(huge).await.unwrap_err().code(), Code::OutOfRange);
    bed.present(&token, &KeyPair::generate().unwrap()).await.unwrap();
}

#[tokio::test]
async fn the_gateway_shows_the_authority_that_a_token_pins() {
    let bed = Bed::start().await;
    let token = Token::parse(&bed.token("nl-1").await).unwrap();
    let stream = bed.tls(None, ALPN_ENROLMENT).await.unwrap();
    let chain = stream.get_ref().1.peer_certificates().unwrap();
    let (_, shown) = x509_parser::parse_x509_certificate(chain.last().unwrap()).unwrap();
    assert_eq!(sha256(shown.tbs_certificate.subject_pki.raw), token.pin());
    assert_eq!(chain.last().unwrap(), bed.authority.certificate());
}

/// Presents nonsense until that is slowed down.
async fn fill_the_pace(bed: &Bed) -> Status {
    let key = KeyPair::generate().unwrap();
    let unknown = Token::mint(bed.authority.spki_pin()).unwrap().to_string();
    for attempt in 0..=ENROLMENT_BURST + 5 {
        let token = if attempt % 2 == 0 { "q1.nonsense" } else { &unknown };
        let refused = bed.present(token, &key).await.unwrap_err();
        if refused.code() == Code::ResourceExhausted {
            return refused;
        }
    }
    panic!("never slowed down");
}

#[tokio::test]
async fn enrolment_attempts_from_one_address_are_slowed_down() {
    let bed = Bed::start().await;
    let slowed = fill_the_pace(&bed).await;
    assert!(slowed.message().contains("try again in"), "{}", slowed.message());
}

#[tokio::test]
async fn whoever_fills_the_pace_of_an_address_keeps_no_real_token_out() {
    let bed = Bed::start().await;
    fill_the_pace(&bed).await;
    // All from one address, as through an edge.
    for server in ["nl-1", "nl-2", "nl-3"] {
        let (token, key) = (bed.token(server).await, KeyPair::generate().unwrap());
        let first = bed.present(&token, &key).await.unwrap();
        assert_eq!(first, bed.present(&token, &key).await.unwrap(), "and its answer may be lost");
    }
    let unknown = Token::mint(bed.authority.spki_pin()).unwrap().to_string();
    let refused = bed.present(&unknown, &KeyPair::generate().unwrap()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{}", refused.message());
}

#[tokio::test]
async fn a_real_token_has_a_pace_of_its_own_and_keeps_no_other_out() {
    let bed = Bed::start().await;
    fill_the_pace(&bed).await;
    let (token, key) = (bed.token("nl-1").await, KeyPair::generate().unwrap());
    for _ in 0..ENROLMENT_TOKEN_BURST {
        bed.present(&token, &key).await.unwrap();
    }
    let refused = bed.present(&token, &key).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{}", refused.message());
    bed.present(&bed.token("nl-2").await, &KeyPair::generate().unwrap()).await.unwrap();
}
