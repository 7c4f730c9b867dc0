//! What becomes of agents whose certificate has ended, or was ended.

use std::time::Duration;

use quorate_aggregator::authority::AGENT_VALID_FOR;
use quorate_aggregator::store::CertificateState::{Active, Retired, Revoked};

use crate::bench::{ACTIVE, DAY, Ground, Log, until};
use crate::relay::Line;

/// Age of a certificate that ended so many days ago.
fn ended_for(days: u32) -> Duration {
    AGENT_VALID_FOR + DAY * days
}

#[tokio::test]
async fn an_agent_whose_certificate_has_ended_renews_it_before_it_reports() {
    let log = Log::listen();
    let bench = Ground::new().await.with_agent(ended_for(89)).await.serve(Line::Open).await;
    assert_eq!(bench.api("/api/v1/servers/nl-1").await["certificates"][0]["stage"], "expired");
    let agent = bench.start_agent();
    until("a report came", async || bench.reports() > 0).await;
    assert_eq!(bench.states().await, [Retired, Active]);
    let new = bench.certificates().await.remove(1);
    assert!(bench.holds(ACTIVE, &new) && !bench.has_pending());
    assert_eq!((bench.renewals(), bench.sessions().await.len()), (1, 1), "no session under the old one");
    assert!(log.has("the certificate has ended: coming back to renew it"), "{}", log.text());
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn ninety_one_days_after_its_end_an_agent_is_refused_and_says_what_to_do() {
    let log = Log::listen();
    let bench = Ground::new().await.with_agent(ended_for(91)).await.serve(Line::Open).await;
    let agent = bench.start_agent();
    until("its log says what to do", async || log.has("ended too long ago to be renewed: enrol again")).await;
    assert_eq!((bench.states().await, bench.renewals()), (vec![Active], 0));
    assert!(bench.sessions().await.is_empty());
    assert_eq!(bench.api("/api/v1/fleet").await["late_certificates"][0]["stage"], "lost");

    // What it says helps: the running agent takes the new identity up.
    bench.enrol(&bench.agent_dir(), &bench.token().await).await.unwrap();
    until("it is in", async || bench.is_connected()).await;
    assert_eq!(bench.states().await, [Retired, Active]);
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn a_revoked_agent_is_out_within_a_second_and_says_what_to_do() {
    let log = Log::listen();
    let bench = Ground::new().await.with_agent(DAY).await.serve(Line::Open).await;
    let agent = bench.start_agent();
    until("it is in", async || bench.is_connected()).await;
    bench.revoke().await;
    let took = until("it is out", async || !bench.is_connected()).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    until("its log says why", async || log.has("was revoked: enrol it again")).await;
    // It tries again, and is not let in.
    until("its log says what to do", async || log.has("it was revoked, or is of another aggregator: enrol again"))
        .await;
    assert_eq!(bench.states().await, [Revoked]);
    assert_eq!(bench.sessions().await.len(), 1);
    agent.end().await;
    bench.close().await;
}
