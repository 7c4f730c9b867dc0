//! Folded state, statuses, events and small facts: what a restart goes on from.

use std::collections::BTreeMap;

use quorate_core::verdict::Status;

use super::super::{Checkpoint, EventQuery, NewSession, StandingRow, StatusChange, StatusSpan};
use super::{Place, at, report};
use crate::engine::Event;
use crate::inventory::Inventory;

pub async fn a_checkpoint_never_goes_back(place: Place) {
    let store = place.open().await;
    assert_eq!(store.checkpoint().await.unwrap(), None);
    let first = Checkpoint { through: 7, at: at(10), inventory_version: 2, ledger: vec![0, 1, 255] };
    store.save_checkpoint(&first).await.unwrap();
    assert_eq!(store.checkpoint().await.unwrap().as_ref(), Some(&first));
    let same_report_later = Checkpoint { at: at(11), ledger: vec![9], ..first.clone() };
    store.save_checkpoint(&same_report_later).await.unwrap();
    store.save_checkpoint(&Checkpoint { through: 6, at: at(12), ..first }).await.unwrap();
    assert_eq!(store.checkpoint().await.unwrap(), Some(same_report_later));
}

pub async fn standing_verdicts_change_row_by_row(place: Place) {
    let store = place.open().await;
    let row = |unreachable: &[&str], since| StandingRow {
        unreachable: unreachable.iter().map(|&scope| scope.to_owned()).collect(),
        blocked: vec!["fleet".to_owned()],
        since: at(since),
    };
    let changed = [("nl-1/tls".to_owned(), row(&["NL", "DE"], 5)), ("de-1/tls".to_owned(), row(&[], 6))];
    store.save_standing(&changed, &[], at(7)).await.unwrap();
    assert_eq!(store.standing().await.unwrap(), BTreeMap::from(changed.clone()));
    let changed_again = [("nl-1/tls".to_owned(), row(&["NL"], 8))];
    store.save_standing(&changed_again, &["de-1/tls".to_owned(), "no-such/tls".to_owned()], at(9)).await.unwrap();
    assert_eq!(store.standing().await.unwrap(), BTreeMap::from(changed_again));
    store.save_standing(&[], &[], at(10)).await.unwrap();
}

pub async fn statuses_make_spans(place: Place) {
    let store = place.open().await;
    let change = |server: &str, status, since| StatusChange { server: server.to_owned(), status, since: at(since) };
    store.record_status(&[]).await.unwrap();
    store.record_status(&[change("nl-1", Status::Pending, 10), change("de-1", Status::Ok, 10)]).await.unwrap();
    store.record_status(&[change("nl-1", Status::Ok, 20)]).await.unwrap();
    store.record_status(&[change("nl-1", Status::Blocked, 30)]).await.unwrap();
    store.record_status(&[change("nl-1", Status::Unreachable, 30)]).await.unwrap();
    let now = store.status_since().await.unwrap();
    assert_eq!(now["nl-1"], (Status::Unreachable, at(30)));
    assert_eq!(now["de-1"], (Status::Ok, at(10)));
    let pending = StatusSpan { status: Status::Pending, since: at(10), until: Some(at(20)) };
    let ok = StatusSpan { status: Status::Ok, since: at(20), until: Some(at(30)) };
    let unreachable = StatusSpan { status: Status::Unreachable, since: at(30), until: None };
    assert_eq!(store.status_history("nl-1", at(0), at(100), 10).await.unwrap(), [pending, ok, unreachable]);
    assert_eq!(store.status_history("nl-1", at(19), at(29), 10).await.unwrap(), [pending, ok]);
    assert_eq!(store.status_history("nl-1", at(20), at(30), 10).await.unwrap(), [ok, unreachable]);
    assert_eq!(store.status_history("nl-1", at(0), at(9), 10).await.unwrap(), []);
    assert_eq!(store.status_history("fr-1", at(0), at(9), 10).await.unwrap(), []);
    assert_eq!(store.status_history("nl-1", at(0), at(100), 1).await.unwrap(), [unreachable], "the newest");
}

fn event(id: u64, kind: &str, subject: &str) -> Event {
    Event {
        id,
        at_ms: 1000 + id,
        kind: kind.to_owned(),
        subject: subject.to_owned(),
        from: None,
        to: Some("ok".to_owned()),
        reason: format!("because of {id}"),
    }
}

pub async fn events_are_found_from_both_ends(place: Place) {
    let store = place.open().await;
    assert_eq!(store.last_event_id().await.unwrap(), 0);
    store.append_events(&[], None).await.unwrap();
    let all = [
        event(1, "server_status", "nl-1"),
        event(2, "session", "nl-1"),
        event(3, "server_status", "de-1"),
        event(4, "server_status", "nl-1"),
    ];
    store.append_events(&all, None).await.unwrap();
    assert_eq!(store.last_event_id().await.unwrap(), 4);
    let query = |after, before, subject: Option<&str>, kind: Option<&str>, limit| EventQuery {
        after,
        before,
        subject: subject.map(str::to_owned),
        kind: kind.map(str::to_owned),
        limit,
    };
    let ids = async |query| store.events(query).await.unwrap().into_iter().map(|event| event.id).collect::<Vec<_>>();
    assert_eq!(store.events(query(Some(0), None, None, None, 100)).await.unwrap(), all);
    assert_eq!(ids(query(None, None, None, None, 2)).await, [4, 3]);
    assert_eq!(ids(query(None, Some(3), None, None, 2)).await, [2, 1]);
    assert_eq!(ids(query(Some(1), None, None, None, 2)).await, [2, 3]);
    assert_eq!(ids(query(Some(1), Some(4), None, None, 9)).await, [2, 3]);
    assert_eq!(ids(query(None, None, Some("nl-1"), None, 9)).await, [4, 2, 1]);
    assert_eq!(ids(query(None, None, Some("nl-1"), Some("server_status"), 9)).await, [4, 1]);
    assert_eq!(ids(query(Some(u64::MAX), None, None, None, 9)).await, [0; 0]);
}

pub async fn events_whose_answer_was_lost_are_appended_once(place: Place) {
    let store = place.open().await;
    let all = [event(1, "session", "nl-1"), event(2, "session", "nl-1")];
    store.append_events(&all[..1], None).await.unwrap();
    store.append_events(&all, None).await.unwrap();
    store.append_events(&all, None).await.unwrap();
    assert_eq!(store.last_event_id().await.unwrap(), 2);
    assert_eq!(store.events(EventQuery { after: Some(0), limit: 9, ..EventQuery::default() }).await.unwrap(), all);
}

pub async fn the_latest_moment_is_that_of_anything(place: Place) {
    let store = place.open().await;
    assert_eq!(store.latest_moment().await.unwrap(), at(0));
    store.store_report(report("nl-1", 1, b"x")).await.unwrap();
    assert_eq!(store.latest_moment().await.unwrap(), at(1_001_000));
    store.replace_inventory(0, &Inventory::default(), at(2_000_000), "file").await.unwrap();
    assert_eq!(store.latest_moment().await.unwrap(), at(2_000_000));
    store.save_standing(&[], &[], at(1)).await.unwrap();
    assert_eq!(store.latest_moment().await.unwrap(), at(2_000_000));
}

pub async fn a_fact_is_remembered_by_its_name(place: Place) {
    let store = place.open().await;
    assert_eq!(store.meta("ca").await.unwrap(), None);
    store.set_meta("ca", "one").await.unwrap();
    store.set_meta("ca", "two").await.unwrap();
    assert_eq!(store.meta("ca").await.unwrap().as_deref(), Some("two"));
}

pub async fn text_with_a_nul_and_without_end_is_stored_shortened(place: Place) {
    let store = place.open().await;
    let session = NewSession {
        server: "nl-1".to_owned(),
        peer_addr: "127.0.0.1:5".to_owned(),
        edge: None,
        claimed_addr: None,
        agent_version: format!("1\0{}", "ä".repeat(5000)),
        opened_at: at(1),
    };
    store.open_session(&session).await.unwrap();
    let version = store.sessions("nl-1", 1).await.unwrap().remove(0).agent_version;
    assert!(version.starts_with("1\u{fffd}ää"));
    assert_eq!(version.chars().count(), 2 + 2047);
}

pub async fn all_is_there_after_a_restart(place: Place) {
    let store = place.open().await;
    store.store_report(report("nl-1", 1, b"x")).await.unwrap();
    store.append_events(&[event(1, "session", "nl-1")], None).await.unwrap();
    store.replace_inventory(0, &Inventory::default(), at(5), "file").await.unwrap();
    store.close().await;
    assert!(store.latest_moment().await.is_err());
    let store = place.open().await;
    assert_eq!(store.reports_after(0, 9).await.unwrap().len(), 1);
    assert_eq!(store.stored_sequence("nl-1", b"box").await.unwrap(), 1);
    assert_eq!(store.last_event_id().await.unwrap(), 1);
    assert_eq!(store.inventory().await.unwrap().unwrap().version, 1);
    assert_eq!(store.latest_moment().await.unwrap(), at(1_001_000));
}
