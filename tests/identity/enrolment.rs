//! Enrolment by real agents: one token is one certificate.

use quorate_agent::EnrollError;
use quorate_aggregator::store::CertificateState::Pending;

use crate::bench::{ACTIVE, Ground, until};
use crate::relay::Line;

#[tokio::test]
async fn of_two_machines_with_one_token_one_wins_and_the_other_is_told() {
    let bench = Ground::new().await.serve(Line::Open).await;
    let token = bench.token().await;
    let other_dir = tempfile::tempdir().unwrap();
    let dir = bench.agent_dir();
    let (one, other) = tokio::join!(bench.enrol(&dir, &token), bench.enrol(other_dir.path(), &token));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let loser = one.and(other).unwrap_err();
    assert!(matches!(loser, EnrollError::Refused(_)), "{loser:?}");
    for told in ["used with another key", "if it was not you who enrolled it, revoke it first"] {
        assert!(loser.to_string().contains(told), "{loser}");
    }
    until("the operator is told", async || bench.told().await.contains(&"enrolment_refused".to_owned())).await;
    assert_eq!(bench.states().await, [Pending]);
    bench.close().await;
}

#[tokio::test]
async fn an_enrolment_whose_answer_was_lost_gets_the_same_certificate() {
    let bench = Ground::new().await.serve(Line::Held).await;
    let (token, dir) = (bench.token().await, bench.agent_dir());
    let stored = bench.relay.cut_when("the certificate is stored", async || bench.states().await == [Pending]);
    let (lost, ()) = tokio::join!(bench.enrol(&dir, &token), stored);
    assert!(lost.is_err(), "{lost:?}");
    let stored = bench.certificates().await.remove(0);

    bench.relay.set(Line::Open);
    bench.enrol(&dir, &token).await.unwrap();
    assert!(bench.holds(ACTIVE, &stored));
    assert_eq!(bench.certificates().await.len(), 1);
    let agent = bench.start_agent();
    until("it is in", async || bench.is_connected()).await;
    agent.end().await;
    bench.close().await;
}
