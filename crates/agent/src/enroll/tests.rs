//! Enrolment against a gateway on loopback.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use super::{ENROLLED, EnrollError, Enrolled, Token, enroll};
use crate::GatewayError;
use crate::identity::{FILE, Identity};
use crate::session::testbed::{Authority, SERVER, TestGateway};

#[tokio::test]
async fn a_token_becomes_an_identity_that_only_its_owner_reads() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    let enrolled = gateway.enrol(dir.path()).await;
    assert_eq!(enrolled.server, SERVER);
    let mut names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [ENROLLED, FILE]);
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
async fn a_command_that_is_pasted_twice_did_its_work_the_first_time() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = TestGateway::start().await;
    enroll(gateway.request(dir.path(), "t")).await.unwrap();
    let identity = std::fs::read(dir.path().join(FILE)).unwrap();
    let again = enroll(gateway.request(dir.path(), "t")).await.unwrap();
    assert_eq!(again, Enrolled { server: SERVER.to_owned(), before: true });
    assert_eq!(std::fs::read(dir.path().join(FILE)).unwrap(), identity, "nothing was changed");
    // Another token is another errand, and so is the same one where its identity is gone.
    assert!(!enroll(gateway.request(dir.path(), "u")).await.unwrap().before);
    std::fs::remove_file(dir.path().join(FILE)).unwrap();
    assert!(enroll(gateway.request(dir.path(), "u")).await.is_err(), "the gateway knows that token by another key");
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
