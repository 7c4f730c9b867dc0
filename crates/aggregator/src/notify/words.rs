//! The words of a message: for each thing that changed who, what, by whose word, since when, and what to do.
//!
//! Sentences about verdicts are `quorate_core::explain`'s. Advice is given where the evidence tells whose trouble it is; of a
//! broken pair both sides are named, and what there is, is a choice.

mod alarm;
mod recovery;
mod title;

use std::sync::Arc;

use quorate_core::fleet::ServerIx;
use quorate_core::notify::{Change, Key, Severity, Topic};
use quorate_core::time::Moment;

use super::message::{ITEMS_MAX, Item, Message, News};
use super::scene::Scene;
use crate::event::Event;

/// Longest list of names in a sentence.
const NAMES_MAX: usize = 12;

/// A change with what was said of it before.
#[derive(Debug)]
pub struct Known<'a> {
    /// What is to be told.
    pub change: &'a Change,
    /// How it was put into words when it was told; none if it was not.
    pub before: Option<Item>,
    /// Since when what is told stands, or stood.
    pub since: Moment,
}

/// Where links lead.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// What people type to reach the page, without a slash at its end.
    pub public_url: Option<Arc<str>>,
}

impl Links {
    fn to(&self, place: &str) -> Option<String> {
        self.public_url.as_ref().map(|url| format!("{}/#/{place}", url.trim_end_matches('/')))
    }

    fn of(&self, key: &Key) -> Option<String> {
        match key.topic {
            Topic::ServerStatus | Topic::HalfBlind | Topic::PlanRefused | Topic::Certificate | Topic::Session => {
                self.to(&format!("server/{}", key.subject))
            }
            Topic::Pair | Topic::CountryCut => self.to("mesh"),
            Topic::Route => self.to("routes"),
            Topic::Edge => self.to("edges"),
            Topic::Aggregator => self.to(""),
        }
    }
}

/// What is told of one change.
pub fn item(scene: &Scene, links: &Links, known: &Known<'_>) -> Item {
    let item = match &known.change.after {
        Some((word, severity)) => alarm::item(scene, known, word, *severity),
        None => recovery::item(scene, known),
    };
    Item { link: links.of(&known.change.key), ..item }
}

/// What is told of something that happened and is over.
pub fn note(event: &Event, topic: Topic, severity: Severity, links: &Links) -> Item {
    let key = Key { topic, subject: event.subject.as_str().into() };
    Item {
        news: News::Note,
        event: topic.as_str().to_owned(),
        subject: event.subject.clone(),
        word: event.to.clone().unwrap_or_default(),
        was: None,
        severity: severity.as_str().to_owned(),
        was_severity: None,
        since_ms: event.at_ms,
        servers: if topic == Topic::Session { vec![event.subject.clone()] } else { Vec::new() },
        addresses: Vec::new(),
        title: format!("{}: {}", event.subject, event.reason),
        facts: Vec::new(),
        advice: Vec::new(),
        link: links.of(&key),
    }
}

/// A message of all that is told at a moment: what stands before what is over, the worst first.
pub fn message(mut items: Vec<Item>, links: &Links, now: Moment) -> Message {
    items.sort_by_key(|item| {
        let over = item.news == News::Recovery;
        let severity = item.severity.parse().unwrap_or(Severity::Info);
        (over, std::cmp::Reverse(severity), item.event.clone(), item.subject.clone())
    });
    let standing = items.iter().filter(|item| item.news != News::Recovery);
    let severity = standing.filter_map(|item| item.severity.parse().ok()).max().unwrap_or(Severity::Info);
    let title = title::of(&items);
    let more = items.len().saturating_sub(ITEMS_MAX);
    items.truncate(ITEMS_MAX);
    // A message about one thing has that thing's link.
    let link = if items.len() == 1 { None } else { links.to("") };
    Message { title, severity: severity.as_str().to_owned(), at_ms: now.as_ms(), items, more, link }
}

/// "nl-1 (NL)", or the id alone.
fn placed(scene: &Scene, ix: ServerIx) -> String {
    let server = scene.snapshot.fleet.server(ix);
    server.country.map_or_else(|| server.id.clone(), |country| format!("{} ({country})", server.id))
}

/// "a", "a and b", "a, b and c", "a, b, … and 9 more".
fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first @ .., last] if names.len() <= NAMES_MAX => format!("{} and {last}", first.join(", ")),
        names => format!("{} and {} more", names[..NAMES_MAX].join(", "), names.len() - NAMES_MAX),
    }
}

#[cfg(test)]
mod tests;
