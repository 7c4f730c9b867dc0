//! A message in words: as plain text, and as Telegram's HTML.

use crate::notify::message::{Item, Message, News};
use crate::when;
use quorate_core::time::Moment;

/// Things that are told of with all their facts; the rest get a line each.
const IN_FULL: usize = 5;
/// Things that get a line; the rest is counted.
const IN_LINES: usize = 30;
/// Longest subject of a mail.
const SUBJECT_CHARS_MAX: usize = 150;
/// Telegram takes 4,096 characters, counted as UTF-16 and without the tags: what is below in bytes is below in those.
const TELEGRAM_BYTES_MAX: usize = 3_800;

/// The subject of a mail.
pub fn subject(message: &Message) -> String {
    let title: String = message.title.chars().filter(|c| !c.is_control()).take(SUBJECT_CHARS_MAX).collect();
    match message.severity.as_str() {
        "info" => format!("[Quorate] {title}"),
        worse => format!("[Quorate {worse}] {title}"),
    }
}

/// The whole of it.
pub fn plain(message: &Message) -> String {
    let mut text = String::new();
    if message.items.len() != 1 {
        text.push_str(&message.title);
        text.push('\n');
    }
    for (n, item) in message.items.iter().enumerate().take(IN_LINES) {
        if !text.is_empty() {
            text.push('\n');
        }
        for line in lines(item, n < IN_FULL) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    if let Some(rest) = rest(message) {
        text.extend(["\n", &rest, "\n"]);
    }
    if let Some(link) = &message.link {
        text.extend(["\n", link, "\n"]);
    }
    text
}

/// The whole of it, as far as Telegram takes it.
pub fn telegram(message: &Message) -> String {
    let mut text = format!("<b>{}</b>", escaped(&cut(&message.title, 500)));
    let mut told = 0;
    for (n, item) in message.items.iter().enumerate().take(IN_LINES) {
        // The title of a message about one thing is that thing's.
        let skip = usize::from(message.items.len() == 1);
        let lines: Vec<String> = lines(item, n < IN_FULL).into_iter().skip(skip).map(|line| escaped(&line)).collect();
        let part = format!("\n\n{}", lines.join("\n"));
        if text.len() + part.len() > TELEGRAM_BYTES_MAX {
            break;
        }
        if !lines.is_empty() {
            text.push_str(&part);
        }
        told = n + 1;
    }
    let left = message.items.len() - told + message.more;
    if left > 0 {
        text.extend(["\n\nand ", &left.to_string(), " more"]);
    }
    if let Some(link) = &message.link {
        text.extend(["\n\n", &escaped(&cut(link, 200))]);
    }
    text
}

fn lines(item: &Item, in_full: bool) -> Vec<String> {
    let mark = match (item.news, item.severity.as_str()) {
        (News::Recovery, _) => "●",
        (News::Note, _) | (_, "info") => "◆",
        (News::Alarm | News::Change, _) => "✕",
    };
    let mut lines = vec![format!("{mark} {}", item.title)];
    if in_full {
        lines.extend(item.facts.iter().cloned());
        if matches!(item.news, News::Alarm | News::Change) {
            lines.push(format!("Since {}.", when::date_and_time(Moment::from_ms(item.since_ms))));
        }
        lines.extend(item.advice.iter().cloned());
        lines.extend(item.link.clone());
    }
    lines
}

fn rest(message: &Message) -> Option<String> {
    let left = message.items.len().saturating_sub(IN_LINES) + message.more;
    (left > 0).then(|| format!("and {left} more"))
}

fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

/// What Telegram's HTML takes for text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
