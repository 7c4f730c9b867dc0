//! R11 · The words of a badge in the languages of the one catalogue, `web/labels`: the same keys as the pages use, filled
//! with the values of a label.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use quorate_core::label::{Few, Label, Unseen};

use crate::api::label::Badge;
use crate::api::problem::Problem;

/// A language of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English: what the aggregator says where nobody asks for another.
    #[default]
    En,
    /// Spanish.
    Es,
    /// Romanian.
    Ro,
    /// Russian.
    Ru,
}

type Phrases = BTreeMap<String, String>;

static CATALOGUE: LazyLock<[Phrases; 4]> = LazyLock::new(|| {
    [
        include_str!("../../../../../web/labels/en.json"),
        include_str!("../../../../../web/labels/es.json"),
        include_str!("../../../../../web/labels/ro.json"),
        include_str!("../../../../../web/labels/ru.json"),
    ]
    .map(|file| serde_json::from_str(file).expect("the catalogue is part of the program, and a test reads it"))
});

impl Language {
    /// All.
    pub const ALL: [Self; 4] = [Self::En, Self::Es, Self::Ro, Self::Ru];

    /// As in `?lang=`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
            Self::Ro => "ro",
            Self::Ru => "ru",
        }
    }

    /// The language that somebody asked for.
    pub fn asked_for(word: Option<&str>) -> Result<Self, Problem> {
        let Some(word) = word else { return Ok(Self::default()) };
        Self::ALL.into_iter().find(|language| language.as_str() == word).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Problem::bad_request(format!("lang is '{word}': use one of {known}"))
        })
    }

    /// The text of a badge, with the word that tells of its age.
    pub fn shown(self, badge: &Badge) -> String {
        let text = self.text(&badge.label);
        if badge.stale { self.say("badge.stale", &[("text", &text)]) } else { text }
    }

    /// R11's text.
    pub fn text(self, label: &Label) -> String {
        match label {
            Label::Unreachable(unseen) => self.unreachable(unseen),
            Label::Blocked { verifiers } => self.say("badge.blocked", &[("verifiers", &self.list(verifiers))]),
            Label::Degraded { entry_points } => {
                self.say("badge.degraded", &[("entry_points", &self.list(entry_points))])
            }
            Label::Marked { pairs } => self.say("badge.marked", &[("pairs", &self.pairs(pairs))]),
            Label::Disabled | Label::Down | Label::NoData | Label::Pending | Label::Contested | Label::Ok => {
                self.say(&format!("badge.{}", label.status().as_str()), &[])
            }
        }
    }

    fn unreachable(self, unseen: &Unseen) -> String {
        if unseen.cannot_see == 0 {
            return self.say("badge.unreachable_scattered", &[]);
        }
        let (cannot_see, asked) = (unseen.cannot_see.to_string(), unseen.asked.to_string());
        let numbers = [("cannot_see", cannot_see.as_str()), ("asked", &asked)];
        if unseen.countries.is_empty() {
            return self.say("badge.unreachable", &numbers);
        }
        let countries: Vec<String> = unseen.countries.iter().map(ToString::to_string).collect();
        self.say("badge.unreachable_in", &[numbers[0], numbers[1], ("countries", &countries.join(", "))])
    }

    fn list(self, few: &Few<String>) -> String {
        match (few.shown.as_slice(), few.more) {
            ([], _) => self.say("list.nobody", &[]),
            ([only], 0) => only.clone(),
            ([start @ .., last], 0) => self.say("list.and", &[("start", &start.join(", ")), ("last", last)]),
            (shown, more) => self.say("list.more", &[("items", &shown.join(", ")), ("more", &more.to_string())]),
        }
    }

    fn pairs(self, pairs: &Few<(String, String)>) -> String {
        let both = |(a, b): &(String, String)| self.say("list.pair", &[("a", a), ("b", b)]);
        let items = pairs.shown.iter().map(both).collect::<Vec<_>>().join("; ");
        match pairs.more {
            0 => items,
            more => self.say("list.pairs_more", &[("items", &items), ("more", &more.to_string())]),
        }
    }

    /// A phrase with its values in place of their names in braces. One that is missing shows its key; a test finds it.
    fn say(self, key: &str, values: &[(&str, &str)]) -> String {
        let phrase = CATALOGUE[self as usize].get(key).map_or(key, String::as_str);
        let mut text = String::with_capacity(phrase.len());
        let mut rest = phrase;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (name, behind) = after.split_once('}').unwrap_or((after, ""));
            text.push_str(values.iter().find(|(known, _)| *known == name).map_or(name, |(_, value)| value));
            rest = behind;
        }
        text.push_str(rest);
        text
    }
}

#[cfg(test)]
mod tests;
