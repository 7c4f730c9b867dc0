#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use expect_test::{Expect, expect};
use quorate_core::notify::{Change, Key, Severity, Told, Topic};
use quorate_core::verdict::{HalfBlind, Status};

use super::{Item, Known, Links, item, message};
use crate::engine::Refusal;
use crate::notify::message::News;
use crate::notify::scene::Scene;
use crate::notify::scene::tests::{Drawn, NOW, SINCE};
use crate::notify::text;

fn links() -> Links {
    Links { public_url: Some("https://watch.example.org/q/".into()) }
}

fn told(word: &str) -> Told {
    Told { word: word.into(), severity: Severity::Warning, silent: false, at: SINCE }
}

/// What is said of everything that stands in a scene.
fn said(scene: &Scene, expect: &Expect) {
    let items = scene.alarms().into_iter().map(|alarm| {
        let after = Some((alarm.standing.word.clone(), alarm.standing.severity));
        let change = Change { key: alarm.standing.key, before: None, after };
        item(scene, &links(), &Known { change: &change, before: None, since: alarm.since.unwrap_or(NOW) })
    });
    let message = message(items.collect(), &links(), NOW);
    expect.assert_eq(&format!("[{}] {}\n---\n{}", message.severity, message.title, text::plain(&message)));
}

fn over(scene: &Scene, topic: Topic, subject: &str, word: &str) -> Item {
    let key = Key { topic, subject: subject.into() };
    let change = Change { key, before: Some(told(word)), after: None };
    item(scene, &links(), &Known { change: &change, before: None, since: SINCE })
}

#[test]
fn a_blocked_address_is_named_with_who_sees_it_since_when_and_the_advice_to_change_it() {
    let mut inventory = Drawn::new().inventory;
    inventory["servers"][3]["verifier"] = true.into();
    said(&Drawn::of(inventory).blocked("nl-1", "ru-1").scene(), &expect![[""]]);
}

#[test]
fn a_pair_without_verifier_is_named_on_both_sides_and_nothing_is_advised_but_a_choice() {
    said(&Drawn::new().broken("nl-1", "ru-1", true).broken("ru-1", "nl-1", true).scene(), &expect![[""]]);
    said(&Drawn::new().broken("nl-1", "ru-1", false).scene(), &expect![[""]]);
}

#[test]
fn a_route_at_its_last_resort_says_what_it_delivers() {
    said(&Drawn::new().blocked("nl-1", "ru-1").blocked("de-1", "ru-1").scene(), &expect![[""]]);
}

#[test]
fn what_a_witness_and_an_agent_have_is_said_of_them() {
    let mut drawn = Drawn::new();
    let unseen = vec![drawn.ix("nl-1"), drawn.ix("nl-2")];
    drawn.server("ru-1").half_blind = Some(HalfBlind { unseen, judged: 4 });
    let reason = "10.0.0.20 is a private address".to_owned();
    let refusal = Refusal { plan_version: 3, since_ms: SINCE.as_ms(), reason };
    drawn.snapshot.refusals = Arc::new([("de-1".to_owned(), refusal)].into());
    said(&drawn.scene(), &expect![[""]]);
}

#[test]
fn an_aggregator_that_hears_nobody_says_where_to_look() {
    let mut drawn = Drawn::new();
    for verdict in &mut drawn.verdicts.servers {
        verdict.silent = true;
    }
    said(&drawn.scene(), &expect![[""]]);
}

#[test]
fn a_recovery_says_what_was_and_for_how_long() {
    let scene = Drawn::new().scene();
    let item = over(&scene, Topic::ServerStatus, "nl-1", "unreachable");
    assert_eq!(item.title, "nl-1 (NL): OK again. Before: unreachable, for 7 min, since 2026-11-30 13:55:00 UTC");
    assert_eq!((item.news, item.word.as_str(), item.was.as_deref()), (News::Recovery, "ok", Some("unreachable")));
    assert_eq!(item.link.as_deref(), Some("https://watch.example.org/q/#/server/nl-1"));
    let title = |topic, subject, word| over(&scene, topic, subject, word).title;
    let before = |word: &str| format!("Before: {word}, for 7 min, since 2026-11-30 13:55:00 UTC");
    let of_route = title(Topic::Route, "eu", "last_resort");
    assert_eq!(of_route, format!("Route eu: it delivers what is good. {}", before("last resort")));
    let of_pair = title(Topic::Pair, "nl-1 and ru-1", "broken");
    assert_eq!(of_pair, format!("nl-1 and ru-1: nothing is marked between them. {}", before("broken")));
    let gone = title(Topic::ServerStatus, "us-9", "down");
    assert_eq!(gone, format!("us-9: it is no part of the fleet any more. {}", before("down")));
}

#[test]
fn what_ended_in_something_milder_says_so() {
    let scene = Drawn::new().broken("nl-1", "ru-1", false).scene();
    let item = over(&scene, Topic::ServerStatus, "nl-1", "unreachable");
    assert!(
        item.title.starts_with("nl-1 (NL): Connection check fails: nl-1 and ru-1. Before: unreachable"),
        "{item:?}"
    );
    let scene = Drawn::new().status("nl-1", Status::Disabled).scene();
    assert!(over(&scene, Topic::ServerStatus, "nl-1", "down").title.starts_with("nl-1 (NL): disabled by you. "));
}

#[test]
fn a_change_names_what_was_told_before() {
    let scene = Drawn::new().status("nl-1", Status::Down).scene();
    let key = Key { topic: Topic::ServerStatus, subject: "nl-1".into() };
    let after = Some(("down".into(), Severity::Warning));
    let change = Change { key: key.clone(), before: Some(told("unreachable")), after: after.clone() };
    let known = Known { change: &change, before: None, since: SINCE };
    let said = item(&scene, &links(), &known);
    assert_eq!((said.news, said.was.as_deref()), (News::Change, Some("unreachable")));
    let silent = Change { key, before: Some(Told { silent: true, ..told("unreachable") }), after };
    let said = item(&scene, &links(), &Known { change: &silent, before: None, since: SINCE });
    assert_eq!((said.news, said.was.as_deref()), (News::Alarm, None), "what was not told is no before");
}

#[test]
fn a_message_of_several_names_them_by_what_they_are() {
    let scene = Drawn::new().scene();
    let blocked = |subject: &str| Item {
        news: News::Alarm,
        subject: subject.to_owned(),
        word: "blocked".to_owned(),
        ..over(&scene, Topic::ServerStatus, subject, "x")
    };
    let mut items = vec![over(&scene, Topic::ServerStatus, "de-1", "down")];
    items.extend(["nl-1", "nl-2", "ru-1", "ru-2"].map(blocked));
    let told = message(items, &links(), NOW);
    assert_eq!(told.title, "blocked: nl-1, nl-2, ru-1 and 1 more; over: de-1");
    assert_eq!((told.severity.as_str(), told.more), ("warning", 0));
    assert_eq!(told.link.as_deref(), Some("https://watch.example.org/q/#/"));
    let many = (0..500).map(|n| blocked(&format!("s{n:03}"))).collect();
    let told = message(many, &links(), NOW);
    assert_eq!((told.items.len(), told.more), (200, 300));
    assert_eq!(told.title, "blocked: s000, s001, s002 and 497 more");
    let all_over = message(vec![over(&scene, Topic::ServerStatus, "de-1", "down")], &links(), NOW);
    assert_eq!(all_over.severity, "info", "a recovery wakes nobody");
}
