//! What goes to the terminal: tables and lines for people, JSON for programs. Colour only where a terminal wants it.

use std::io::Write as _;

use comfy_table::{Table, presets};
use quorate_core::time::Moment;
use serde::Serialize;

use super::Failure;
use crate::when;

/// A table with these headings.
pub fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings.iter().map(|heading| heading.to_uppercase()));
    table
}

/// Prints a table; its status words get their colours.
pub fn show(table: &Table) -> Result<(), Failure> {
    for row in table.lines() {
        line(&painted(row.trim_end()))?;
    }
    Ok(())
}

/// Prints a line.
pub fn line(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    written(writeln!(out, "{text}"))
}

/// Prints a value as JSON on one line.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(|error| Failure::new(format!("cannot print: {error}")))?;
    let mut out = std::io::stdout();
    written(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints what went wrong: one line, whatever it quotes.
pub fn error(failure: &Failure) {
    let told = failure.to_string().chars().fold(String::new(), |mut line, c| {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
        line
    });
    // Nobody is left to be told if standard error is gone.
    let _ = writeln!(anstream::stderr(), "\x1b[1;31merror:\x1b[0m {told}");
}

/// Prints something beside the output.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Says on a terminal how far something is, over what was said before; an empty text wipes it.
pub fn progress(text: &str) {
    let mut err = anstream::stderr();
    // Nobody is left to be told if standard error is gone.
    let _ = write!(err, "\r\x1b[2K{text}").and_then(|()| err.flush());
}

/// Whether it went out; a reader that has read enough ends the process.
pub fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        // `… | head` has read enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(|error| Failure::new(format!("cannot print: {error}"))),
    }
}

/// A status or state as people see it: a shape and the word; any other word as it is.
pub fn word(word: &str) -> String {
    let shape = match word {
        "ok" | "clear" => '●',
        "marked" | "pair_broken" => '◆',
        "contested" => '◇',
        "degraded" | "not_in_dns" | "unused" => '▲',
        "blocked" | "cut_off" => '⊘',
        "unreachable" | "forwards_nothing" | "foreign" => '✕',
        "down" => '⊠',
        "disabled" => '–',
        "no_data" | "unknown" => '○',
        "pending" => '◌',
        _ => return word.to_owned(),
    };
    format!("{shape} {}", word.replace('_', " "))
}

/// Colours the shapes: a terminal without colour loses nothing by it.
fn painted(row: &str) -> String {
    const COLOURS: [(char, &str); 7] = [
        ('●', "\x1b[32m"),
        ('◆', "\x1b[36m"),
        ('◇', "\x1b[36m"),
        ('▲', "\x1b[33m"),
        ('⊘', "\x1b[35m"),
        ('✕', "\x1b[31m"),
        ('⊠', "\x1b[31m"),
    ];
    COLOURS.iter().fold(row.to_owned(), |row, (shape, colour)| row.replace(*shape, &format!("{colour}{shape}\x1b[0m")))
}

/// The same for a line.
pub fn line_painted(text: &str) -> Result<(), Failure> {
    line(&painted(text))
}

/// A moment as people read it.
pub fn time(ms: u64) -> String {
    when::date_and_time(Moment::from_ms(ms))
}

/// A span as people say it.
pub fn span(ms: u64) -> String {
    match ms / 1000 {
        0 => format!("{ms} ms"),
        s @ 1..=119 => format!("{s} s"),
        s @ 120..=7199 => format!("{} min", s / 60),
        s @ 7200..=172_799 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}
