//! The line above several things: how many of what, by name as far as names fit.

use super::{Item, News, list};

/// Names of one kind in a title; more are counted.
const NAMES_MAX: usize = 3;

/// Of one thing its own; of several "unreachable: nl-1, nl-2; over: de-1".
pub(super) fn of(items: &[Item]) -> String {
    match items {
        [] => "Nothing changed".to_owned(),
        [only] => only.title.clone(),
        items => several(items),
    }
}

fn several(items: &[Item]) -> String {
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for item in items {
        let kind = match item.news {
            News::Recovery => "over".to_owned(),
            News::Alarm | News::Change | News::Note => said(&item.word),
        };
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, subjects)) => subjects.push(item.subject.clone()),
            None => kinds.push((kind, vec![item.subject.clone()])),
        }
    }
    let kinds = kinds.into_iter().map(|(kind, mut subjects)| {
        subjects.dedup();
        let names = match subjects.len() {
            ..=NAMES_MAX => list(&subjects),
            many => format!("{} and {} more", subjects[..NAMES_MAX].join(", "), many - NAMES_MAX),
        };
        format!("{kind}: {names}")
    });
    kinds.collect::<Vec<_>>().join("; ")
}

/// A word as people read it.
pub(super) fn said(word: &str) -> String {
    word.replace('_', " ")
}
