//! What reports make the engine say.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use quorate_core::verdict::Status;

use super::{Bench, inventory};
use crate::engine::Event;
use crate::inventory::{Inventory, PolicySettings};

#[tokio::test]
async fn a_country_that_cannot_reach_a_server_makes_it_unreachable_and_one_knock_heals_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    let mut events = bench.engine.events();
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let snapshot = bench.engine.snapshot();
    assert_eq!(snapshot.last_reports.iter().flatten().count(), 5, "every server's last report is shown");
    bench.rounds(4..=4, &[]).await;
    bench.wait_for("a", Status::Ok).await;
    let mut told = Vec::new();
    while let Ok(event) = events.try_recv() {
        told.push((event.kind.clone(), event.subject.clone(), event.to.clone().unwrap_or_default()));
    }
    let said = |kind: &str, subject: &str, to: &str| (kind.to_owned(), subject.to_owned(), to.to_owned());
    assert!(told.contains(&said("server_status", "a", "unreachable")), "{told:?}");
    assert!(told.contains(&said("route", "all", "b/tls, c/tls, d/tls, e/tls")), "{told:?}");
    assert!(told.contains(&said("route", "all", "a/tls, b/tls, c/tls, d/tls, e/tls")), "{told:?}");
    bench.close().await;
}

#[tokio::test]
async fn rounds_count_though_a_self_check_alone_came_first() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    let version = bench.engine.plans().borrow().version;
    for witness in ["a", "b", "c", "d", "e"] {
        let alone = bench.stored_with(version, witness, 1, &[]).await.unwrap();
        bench.engine.admit(alone).await.unwrap();
    }
    bench.rounds(2..=4, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    bench.close().await;
}

#[tokio::test]
async fn a_new_address_forgets_the_old_evidence_and_late_reports_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path()).await;
    bench.rounds(1..=3, &["a/tls"]).await;
    bench.wait_for("a", Status::Unreachable).await;
    let mut moved = inventory();
    moved.servers[0].address = "198.51.100.99".to_owned();
    let version = bench.store.replace_inventory(1, &moved, bench.clock.now(), "test").await.unwrap();
    bench.engine.replace_inventory(version, moved).await.unwrap();
    bench.wait_for("a", Status::Ok).await;
    // The plan is renewed at most once an interval, so these still follow the one with the old address.
    bench.rounds(4..=7, &["a/tls"]).await;
    let heard = bench.engine.read(|view| {
        let a = view.fleet.find_entry_point("a/tls").unwrap();
        view.ledger.column(a).count()
    });
    assert_eq!(heard.await.unwrap(), 0);
    bench.close().await;
}

#[test]
fn an_inventory_whose_round_would_outlast_half_of_stale_after_is_refused_before_it_is_in_force() {
    let with_spacing = |ms| Inventory {
        policy: PolicySettings {
            min_spacing_ms: Some(ms),
            stale_after_ms: Some(60_000),
            interval_ms: Some(30_000),
            all: Some(true),
            ..PolicySettings::default()
        },
        ..inventory()
    };
    assert!(with_spacing(7_500).checked().is_ok(), "four probes in half a minute");
    let refused = with_spacing(7_501).checked().unwrap_err();
    assert_eq!(refused.place(), Some(("policy".to_owned(), "stale_after_ms")));
}

#[test]
fn an_event_says_what_was_and_what_is() {
    let event = Event {
        id: 1,
        at_ms: 2,
        kind: "server_status".to_owned(),
        subject: "a".to_owned(),
        from: Some("ok".to_owned()),
        to: Some("down".to_owned()),
        reason: "Server unavailable".to_owned(),
    };
    let json = serde_json::to_string(&event).unwrap();
    let wanted = r#"{"id":1,"at_ms":2,"kind":"server_status","subject":"a","from":"ok","to":"down","reason":"Server unavailable"}"#;
    assert_eq!(json, wanted);
}
