//! Renewal over the live session, and what can go wrong between question, answer and first use.

use std::time::Duration;

use quorate_aggregator::store::CertificateState::{Active, Pending, Retired};

use quorate_tests::machine::skip;
use quorate_tests::wall;

use crate::bench::{ACTIVE, DAY, Ground, Log, PENDING, until};
use crate::relay::Line;

/// Old enough to be renewed at once: two thirds of its life, and the longest that chance may add, are over.
const OLD: Duration = DAY.saturating_mul(25);

#[tokio::test]
async fn a_certificate_is_renewed_over_the_live_session() {
    let log = Log::listen();
    let bench = Ground::new().await.with_agent(OLD).await.serve(Line::Open).await;
    assert_eq!(bench.api("/api/v1/servers/nl-1").await["certificates"][0]["stage"], "late");
    assert_eq!(bench.api("/api/v1/fleet").await["late_certificates"][0]["server"], "nl-1");

    let agent = bench.start_agent();
    until("the new certificate is in use", async || bench.states().await == [Retired, Active]).await;
    let [_, new] = &bench.certificates().await[..] else { panic!("two certificates") };
    until("the agent has put it in its place", async || bench.holds(ACTIVE, new)).await;
    assert!(!bench.has_pending());
    until("it reports under it", async || bench.reports() > 0 && bench.is_connected()).await;
    let ends: Vec<_> = bench.sessions().await.into_iter().map(|session| session.reason).collect();
    assert_eq!(ends, [Some("renewed".to_owned()), None], "a planned end, and one new session");
    assert_eq!(bench.told().await, ["renewed"]);
    let shown = &bench.api("/api/v1/servers/nl-1").await["certificates"];
    assert_eq!((&shown[0]["state"], &shown[0]["stage"]), (&"active".into(), &"fresh".into()));
    assert_eq!(shown[0]["not_after_ms"], new.lifetime.not_after.as_ms());
    assert_eq!(shown.as_array().unwrap().len(), 1);
    assert_eq!(bench.api("/api/v1/fleet").await["late_certificates"].as_array().unwrap().len(), 0);
    assert!(log.has("the new certificate is in use"), "{}", log.text());
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn a_fresh_certificate_is_not_renewed() {
    let bench = Ground::new().await.with_agent(DAY * 15).await.serve(Line::Open).await;
    let agent = bench.start_agent();
    // A renewal comes before the first report.
    until("a report came", async || bench.reports() > 0).await;
    assert_eq!((bench.states().await, bench.renewals()), (vec![Active], 0));
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn a_wall_clock_that_is_weeks_ahead_or_years_behind_neither_hurries_a_renewal_nor_puts_it_off() {
    if let Err(reason) = wall::available() {
        return skip(&reason);
    }
    for (age, hours, renewals) in [(DAY, 24 * 28, 0), (DAY, -24 * 400, 0), (OLD, 24 * 28, 1), (OLD, -24 * 400, 1)] {
        let bench = Ground::new().await.with_agent(age).await.serve(Line::Open).await;
        let agent = bench.start_agent_off_by_hours(hours);
        // A renewal that is due comes before the first report.
        until("a report came", async || bench.reports() > 0).await;
        let last = bench.certificates().await.pop().unwrap();
        until("the agent has it in its place", async || bench.holds(ACTIVE, &last) && bench.is_connected()).await;
        assert_eq!(bench.renewals(), renewals, "{age:?} old, {hours} h off");
        agent.end();
        bench.close().await;
    }
}

#[tokio::test]
async fn a_renewal_whose_answer_was_lost_gets_the_same_certificate() {
    let bench = Ground::new().await.with_agent(OLD).await.serve(Line::Held).await;
    let agent = bench.start_agent();
    bench.relay.cut_when("the new certificate is stored", async || bench.states().await == [Active, Pending]).await;
    assert!(!bench.has_pending(), "the agent has not heard of it");
    let stored = bench.certificates().await.remove(1);
    until("the gateway notices", async || !bench.is_connected()).await;

    bench.relay.set(Line::Open);
    until("the new certificate is in use", async || bench.states().await == [Retired, Active]).await;
    assert_eq!(bench.certificates().await[1].fingerprint, stored.fingerprint);
    until("the agent has put it in its place", async || bench.holds(ACTIVE, &stored)).await;
    assert_eq!((bench.renewals(), bench.told().await), (2, vec!["renewed".to_owned()]), "asked twice, told once");
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn an_agent_killed_before_the_first_use_of_its_new_certificate_comes_back_with_it() {
    let bench = Ground::new().await.with_agent(OLD).await.serve(Line::Held).await;
    let agent = bench.start_agent();
    bench.relay.cut_when("the new certificate is on the agent's disk", async || bench.has_pending()).await;
    agent.kill().await;
    let [old, new] = &bench.certificates().await[..] else { panic!("two certificates") };
    assert!(bench.holds(ACTIVE, old) && bench.holds(PENDING, new));
    assert_eq!((old.state, new.state), (Active, Pending), "not used yet");
    until("the gateway notices", async || !bench.is_connected()).await;

    bench.relay.set(Line::Open);
    let agent = bench.start_agent();
    until("the new certificate is in use", async || bench.states().await == [Retired, Active]).await;
    until("the agent has put it in its place", async || bench.holds(ACTIVE, new)).await;
    assert_eq!((bench.renewals(), bench.sessions().await.len()), (1, 2), "shown first, and nothing asked again");
    agent.end().await;
    bench.close().await;
}

#[tokio::test]
async fn an_agent_whose_new_certificate_the_gateway_does_not_know_comes_back_with_the_old_one() {
    // As after a restore of the aggregator's database from a backup.
    let bench = Ground::new().await.with_agent(DAY).await.with_unknown_pending().serve(Line::Open).await;
    let agent = bench.start_agent();
    until("it is in", async || bench.is_connected()).await;
    // It has another one made for the same key.
    until("the new certificate is in use", async || bench.states().await == [Retired, Active]).await;
    until("the agent has put it in its place", async || !bench.has_pending()).await;
    assert_eq!(bench.renewals(), 1);
    agent.end().await;
    bench.close().await;
}
