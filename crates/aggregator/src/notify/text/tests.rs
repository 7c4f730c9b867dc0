#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::{plain, subject, telegram};
use crate::notify::message::Message;
use crate::notify::tests::{item, message};

fn many(count: usize, fact: &str) -> Message {
    let mut one = item();
    one.facts = vec![fact.to_owned()];
    Message { title: "blocked: all of them".to_owned(), items: vec![one; count], more: 3, ..message() }
}

#[test]
fn a_subject_is_one_line_of_bounded_length() {
    let told = Message { title: format!("a\r\nBcc: b {}", "x".repeat(500)), ..message() };
    let subject = subject(&told);
    assert!(subject.starts_with("[Quorate warning] aBcc: b xxx"), "{subject}");
    assert!(subject.chars().count() < 180 && !subject.contains(['\r', '\n']));
    assert_eq!(
        super::subject(&Message { severity: "info".to_owned(), ..message() }),
        format!("[Quorate] {}", message().title)
    );
}

#[test]
fn of_many_things_a_few_are_told_in_full_and_the_rest_is_counted() {
    let text = plain(&many(60, "a fact"));
    assert_eq!(text.matches("a fact").count(), 5);
    assert_eq!(text.matches("Address blocked").count(), 30);
    assert!(text.ends_with("and 33 more\n"), "{text}");
}

#[test]
fn telegram_gets_no_more_than_it_takes_and_no_tag_is_cut() {
    for (count, fact) in [(1, "<".repeat(9_000)), (60, "ф".repeat(700)), (30, "a & b".to_owned())] {
        let text = telegram(&many(count, &fact));
        assert!(text.encode_utf16().count() <= 4096, "{}", text.len());
        assert_eq!(text.matches("<b>").count(), text.matches("</b>").count());
        assert_eq!(text.replace("<b>", "").replace("</b>", "").matches('<').count(), 0);
        assert!(text.contains(" more"), "{text}");
    }
}

#[test]
fn a_message_about_one_thing_says_its_title_once() {
    assert_eq!(plain(&message()).matches(&item().title).count(), 1);
    assert_eq!(telegram(&message()).matches(&item().title).count(), 1);
}
