//! What is over, in words: what it was, for how long, and what is so instead.

use quorate_core::label;
use quorate_core::notify::{Key, Topic};
use quorate_core::verdict::Status;

use super::title::said;
use super::{Item, Known, News, Scene, placed};
use crate::when;

pub(super) fn item(scene: &Scene, known: &Known<'_>) -> Item {
    let key = &known.change.key;
    let before = known.change.before.as_ref();
    let (was, severity) = before.map_or(("", "info"), |told| (&*told.word, told.severity.as_str()));
    let said_before = known.before.as_ref();
    let subject = said_before.map_or_else(|| key.subject.to_string(), |item| item.subject.clone());
    let lasted = format!("for {}, since {}", span(scene, known), when::date_and_time(known.since));
    let (name, instead) = instead(scene, key, &subject);
    let title = format!("{name}: {instead}. Before: {}, {lasted}", said(was));
    Item {
        news: News::Recovery,
        event: key.topic.as_str().to_owned(),
        subject,
        word: "ok".to_owned(),
        was: Some(was.to_owned()),
        severity: severity.to_owned(),
        was_severity: Some(severity.to_owned()),
        since_ms: known.since.as_ms(),
        servers: said_before.map(|item| item.servers.clone()).unwrap_or_default(),
        addresses: said_before.map(|item| item.addresses.clone()).unwrap_or_default(),
        title,
        facts: Vec::new(),
        advice: Vec::new(),
        link: None,
    }
}

/// The subject's name, and what is so of it.
fn instead(scene: &Scene, key: &Key, subject: &str) -> (String, String) {
    let fleet = &scene.snapshot.fleet;
    let gone = || (subject.to_owned(), "it is no part of the fleet any more".to_owned());
    let of_server = |text: &str| match fleet.find_server(subject) {
        Some(ix) => (placed(scene, ix), text.to_owned()),
        None => gone(),
    };
    match key.topic {
        Topic::ServerStatus => match fleet.find_server(subject) {
            Some(ix) => (placed(scene, ix), status(scene, ix)),
            None => gone(),
        },
        Topic::Route if fleet.find_route(subject).is_none() => gone(),
        Topic::Route => (format!("Route {subject}"), "it delivers what is good".to_owned()),
        Topic::CountryCut => (subject.to_owned(), "its servers see enough of the fleet".to_owned()),
        Topic::Pair => (subject.to_owned(), "nothing is marked between them".to_owned()),
        Topic::HalfBlind => of_server("as a witness it sees enough of its peers"),
        Topic::Edge => (format!("Edge {subject}"), "all is well with it, or it is out of use".to_owned()),
        Topic::PlanRefused => of_server("its agent follows its plan"),
        Topic::Certificate => of_server("its certificate is good, or it has none"),
        Topic::Aggregator => ("The aggregator".to_owned(), "it hears agents".to_owned()),
        Topic::Session => (subject.to_owned(), "it is over".to_owned()),
    }
}

fn status(scene: &Scene, ix: quorate_core::fleet::ServerIx) -> String {
    let snapshot = &scene.snapshot;
    match snapshot.verdicts.servers[ix.at()].status {
        Status::Ok => "OK again".to_owned(),
        Status::Disabled => "disabled by you".to_owned(),
        // Something milder is left, or something that is told by itself.
        Status::Down
        | Status::Unreachable
        | Status::Blocked
        | Status::Degraded
        | Status::NoData
        | Status::Pending
        | Status::Contested
        | Status::Marked => label::badge(&snapshot.fleet, &snapshot.verdicts, ix).to_string(),
    }
}

/// "12 min".
fn span(scene: &Scene, known: &Known<'_>) -> String {
    match scene.now.since(known.since).as_secs() {
        s @ 0..=119 => format!("{s} s"),
        s @ 120..=7199 => format!("{} min", s / 60),
        s @ 7200..=172_799 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}
