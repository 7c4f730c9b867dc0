//! Enrolment against a gateway on loopback.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use super::{EnrollError, Token, enroll};
use crate::GatewayError;
use crate::identity::{FILE, Identity};
use crate::session::testbed::{Authority, SERVER, TestGateway};

#[tokio::test]
async fn a_token_becomes_an_identity_that_only_its_owner_reads() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    let enrolled = gateway.enrol(dir.path()).await;
    assert_eq!(enrolled.server, SERVER);
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [FILE]);
    let mode = std::fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    Identity::load(dir.path()).unwrap();
}

#[tokio::test]
async fn after_a_lost_answer_the_same_key_asks_again() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Arc::new(Authority::new());
    *authority.answers_lost.lock().unwrap() = 1;
    let gateway = TestGateway::start_with(Arc::clone(&authority)).await;
    let lost = enroll(gateway.request(dir.path(), "t")).await;
    assert!(matches!(lost, Err(EnrollError::Refused(_))), "{lost:?}");
    assert!(Identity::load(dir.path()).is_err());
    // Another key would be refused by now.
    assert_eq!(enroll(gateway.request(dir.path(), "t")).await.unwrap().server, SERVER);
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = enroll(gateway.request(elsewhere.path(), "t")).await.unwrap_err();
    assert_eq!(refused.to_string(), "the gateway refused: this enrolment token was used with another key");
}

#[tokio::test]
async fn a_gateway_of_another_authority_is_told_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    let mut request = gateway.request(dir.path(), "t");
    request.token = Authority::new().token("t");
    let refused = enroll(request).await.unwrap_err();
    assert!(matches!(refused, EnrollError::Gateway(GatewayError::Tls { .. })), "{refused}");
    assert!(Identity::load(dir.path()).is_err());
}

#[test]
fn a_token_has_one_form() {
    let good = Authority::new().token("abc-1");
    assert_eq!(Token::parse(&good).unwrap().id, "abc-1");
    for wrong in ["", "q1", "q1.a.b.c", "q2.a.b.c", &good.replace("abc-1", "../etc"), &format!("{good}.more")] {
        assert!(Token::parse(wrong).is_err(), "{wrong}");
    }
}
