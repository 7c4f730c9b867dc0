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
    said(
        &Drawn::of(inventory).blocked("nl-1", "ru-1").scene(),
        &expect![[r"
        [warning] nl-1 (NL): Address blocked, as seen from ru-1
        ---
        ✕ nl-1 (NL): Address blocked, as seen from ru-1
        The address is 198.51.100.7:443.
        nl-1/tls is blocked in RU: ru-1 (RU), whose word you trust, cannot reach it.
        Accusing: ru-1 (RU; 7 failures in a row since 2026-11-30 13:55:00 UTC). (Failures count after 3 in a row over at least 90 s.)
        Nobody vouches for it: no server reaches it.
        Since 2026-11-30 13:55:00 UTC.
        nl-1 itself reports that it is well, last at 2026-11-30 14:01:47 UTC: the trouble is on the way to it. What to do: change its address.
        https://watch.example.org/q/#/server/nl-1
    "]],
    );
}

#[test]
fn a_pair_without_verifier_is_named_on_both_sides_and_nothing_is_advised_but_a_choice() {
    said(
        &Drawn::new().broken("nl-1", "ru-1", true).broken("ru-1", "nl-1", true).scene(),
        &expect![[r"
        [info] ru-1 (RU) and nl-1 (NL) cannot reach each other
        ---
        ◆ ru-1 (RU) and nl-1 (NL) cannot reach each other
        That is a single pair, too little for a verdict: nothing is taken out of a route.
        Since 2026-11-30 13:55:00 UTC.
        Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides.
        https://watch.example.org/q/#/mesh
    "]],
    );
    said(
        &Drawn::new().broken("nl-1", "ru-1", false).scene(),
        &expect![[r"
        [info] ru-1 (RU) cannot reach nl-1 (NL)
        ---
        ◆ ru-1 (RU) cannot reach nl-1 (NL)
        That is a single pair, too little for a verdict: nothing is taken out of a route. The other way round it works, or is not tried.
        Since 2026-11-30 13:55:00 UTC.
        Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides.
        https://watch.example.org/q/#/mesh
    "]],
    );
}

#[test]
fn a_route_at_its_last_resort_says_what_it_delivers() {
    said(
        &Drawn::new().blocked("nl-1", "ru-1").blocked("de-1", "ru-1").scene(),
        &expect![[r"
        [critical] last resort: eu; blocked: de-1 and nl-1
        ---
        last resort: eu; blocked: de-1 and nl-1

        ✕ Route eu is at its last resort: nothing good is left, and it delivers the best of the bad
        It delivers de-1/tls (blocked) and nl-1/tls (blocked).
        Since 2026-11-30 14:02:07 UTC.
        What to do: bring back what stands against its servers, or add one that can be reached: `quorate-aggregator explain eu` says what stands against each.
        https://watch.example.org/q/#/routes

        ✕ de-1 (DE): Address blocked, as seen from ru-1
        The address is 203.0.113.1:443.
        de-1/tls is blocked in RU: ru-1 (RU), whose word you trust, cannot reach it.
        Accusing: ru-1 (RU; 7 failures in a row since 2026-11-30 13:55:00 UTC). (Failures count after 3 in a row over at least 90 s.)
        Nobody vouches for it: no server reaches it.
        Since 2026-11-30 13:55:00 UTC.
        de-1 itself reports that it is well, last at 2026-11-30 14:01:47 UTC: the trouble is on the way to it. What to do: change its address.
        https://watch.example.org/q/#/server/de-1

        ✕ nl-1 (NL): Address blocked, as seen from ru-1
        The address is 198.51.100.7:443.
        nl-1/tls is blocked in RU: ru-1 (RU), whose word you trust, cannot reach it.
        Accusing: ru-1 (RU; 7 failures in a row since 2026-11-30 13:55:00 UTC). (Failures count after 3 in a row over at least 90 s.)
        Nobody vouches for it: no server reaches it.
        Since 2026-11-30 13:55:00 UTC.
        nl-1 itself reports that it is well, last at 2026-11-30 14:01:47 UTC: the trouble is on the way to it. What to do: change its address.
        https://watch.example.org/q/#/server/nl-1

        https://watch.example.org/q/#/
    "]],
    );
}

#[test]
fn what_a_witness_and_an_agent_have_is_said_of_them() {
    let mut drawn = Drawn::new();
    let unseen = vec![drawn.ix("nl-1"), drawn.ix("nl-2")];
    drawn.server("ru-1").half_blind = Some(HalfBlind { unseen, judged: 4 });
    let reason = "10.0.0.20 is a private address".to_owned();
    let refusal = Refusal { plan_version: 3, since_ms: SINCE.as_ms(), reason };
    drawn.snapshot.refusals = Arc::new([("de-1".to_owned(), refusal)].into());
    said(
        &drawn.scene(),
        &expect![[r"
        [warning] refused: de-1; half blind: ru-1
        ---
        refused: de-1; half blind: ru-1

        ✕ de-1 (DE): its agent refuses the plan: 10.0.0.20 is a private address
        It goes on with the plan before, if it has one, so what is new in this one is not probed by it.
        Since 2026-11-30 13:55:00 UTC.
        What to do: change what the plan asks for, or widen the limits in the agent's own file on de-1.
        https://watch.example.org/q/#/server/de-1

        ◆ ru-1 (RU): as a witness it cannot see 2 of the 4 servers that it judges
        It cannot see nl-1 (NL) and nl-2 (NL). That is said of the witness, and marks none of them.
        Since 2026-11-30 14:02:07 UTC.
        What to do if ru-1 goes on seeing so little: look at its own way out, at its firewall, its provider, and at whether the network it stands in blocks what it dials.
        https://watch.example.org/q/#/server/ru-1

        https://watch.example.org/q/#/
    "]],
    );
}

#[test]
fn an_aggregator_that_hears_nobody_says_where_to_look() {
    let mut drawn = Drawn::new();
    for verdict in &mut drawn.verdicts.servers {
        verdict.silent = true;
    }
    said(
        &drawn.scene(),
        &expect![[r"
        [critical] The aggregator hears no agent: all 5 that have ever reported are silent
        ---
        ✕ The aggregator hears no agent: all 5 that have ever reported are silent
        Nobody watches meanwhile: verdicts stay as they are for a while, and then lapse.
        Since 2026-11-30 14:01:47 UTC.
        What to do: look at the aggregator's own network first: its gateway's port, the edges before it, its clock.
        https://watch.example.org/q/#/
    "]],
    );
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
