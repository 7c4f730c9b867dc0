#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use quorate_core::label::{Few, Label, Unseen, UnseenFrom};

use super::{CATALOGUE, Language};
use crate::api::label::Badge;

fn few<T: Clone>(shown: &[T], more: usize) -> Few<T> {
    Few { shown: shown.to_vec(), more }
}

/// Every status, with each form that its text takes.
fn all() -> Vec<Label> {
    let ids = |n: usize| ["nl-1", "de-1", "ru-1"][..n].iter().map(ToString::to_string).collect::<Vec<_>>();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let from = |country: &str, cannot_see, asked| UnseenFrom { country: country.parse().unwrap(), cannot_see, asked };
    let unseen = |cannot_see, countries| Label::Unreachable(Unseen { cannot_see, asked: 7, countries });
    vec![
        Label::Disabled,
        Label::Down,
        unseen(0, vec![]),
        unseen(1, vec![]),
        unseen(3, vec![from("RU", 3, 3)]),
        unseen(5, vec![from("IR", 1, 2), from("RU", 3, 3)]),
        Label::Blocked { verifiers: few(&ids(1), 0) },
        Label::Blocked { verifiers: few(&ids(2), 0) },
        Label::Blocked { verifiers: few(&ids(3), 0) },
        Label::Blocked { verifiers: few(&ids(3), 9) },
        Label::Blocked { verifiers: few(&[], 0) },
        Label::Degraded { entry_points: few(&ids(2), 0) },
        Label::NoData,
        Label::Pending,
        Label::Contested,
        Label::Marked { pairs: few(&[pair("a", "b")], 0) },
        Label::Marked { pairs: few(&[pair("a", "b"), pair("c", "d")], 0) },
        Label::Marked { pairs: few(&[pair("a", "b"), pair("c", "d")], 1) },
        Label::Ok,
    ]
}

#[test]
fn the_english_of_the_catalogue_is_that_of_the_rules() {
    for label in all() {
        assert_eq!(Language::En.text(&label), label.to_string());
        for stale in [false, true] {
            let badge = Badge { label: label.clone(), reason: None, stale };
            assert_eq!(Language::En.shown(&badge), badge.shown());
        }
    }
}

#[test]
fn every_language_has_words_of_its_own_for_every_status() {
    for language in Language::ALL {
        for label in all() {
            let text = language.text(&label);
            assert!(!text.is_empty() && !text.contains(['{', '}']), "{text}");
            assert!(!text.starts_with("badge.") && !text.contains("list."), "{} lacks {text}", language.as_str());
            let is_translated = language == Language::En || label == Label::Ok || text != Language::En.text(&label);
            assert!(is_translated, "{}: {text}", language.as_str());
        }
    }
}

#[test]
fn every_language_says_the_same_numbers_and_names() {
    for language in Language::ALL {
        let text = |at: usize| language.text(&all()[at]);
        for (at, said) in
            [(5, &["5", "7", "IR 1/2, RU 3/3"][..]), (9, &["nl-1, de-1, ru-1", "9"]), (17, &["a", "d", "1"])]
        {
            for word in said {
                assert!(text(at).contains(word), "{}: {word} in {}", language.as_str(), text(at));
            }
        }
    }
}

#[test]
fn a_name_in_braces_is_no_placeholder() {
    let label = Label::Blocked { verifiers: few(&["{more}".to_owned()], 0) };
    assert_eq!(Language::En.text(&label), "Address blocked, as seen from {more}");
}

#[test]
fn a_language_that_nobody_speaks_is_told() {
    assert_eq!(Language::asked_for(None).unwrap(), Language::En);
    assert_eq!(Language::asked_for(Some("ru")).unwrap(), Language::Ru);
    let refused = Language::asked_for(Some("de")).unwrap_err();
    assert_eq!((refused.status, refused.detail.as_str()), (400, "lang is 'de': use one of en, es, ro, ru"));
    assert_eq!(CATALOGUE.len(), Language::ALL.len());
}
