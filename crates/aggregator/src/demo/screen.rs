//! Where the demo shows itself: a live table on a terminal, one line for each change on a pipe, JSON lines for programs.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};

use super::table::Paint;
use crate::engine::Event;

/// How the demo shows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Lines scroll up above a table that is drawn anew.
    Live(Paint),
    /// Lines alone.
    Lines,
    /// Events on stdout as JSON, everything else on stderr.
    Json,
}

/// Writes to stdout (and stderr). A reader that has gone away is no reason to stop the play.
#[derive(Debug)]
pub struct Screen {
    style: Style,
    /// The table that stands at the bottom.
    drawn: Vec<String>,
}

impl Screen {
    /// As the command line and the environment want it.
    pub fn new(json: bool) -> Self {
        let word = |name: &str| std::env::var_os(name).filter(|word| !word.is_empty());
        let is_live = io::stdout().is_terminal() && word("TERM").is_some_and(|term| term != "dumb");
        let paint = if word("NO_COLOR").is_some() { Paint::Plain } else { Paint::Colour };
        let style = match (json, is_live) {
            (true, _) => Style::Json,
            (false, true) => Style::Live(paint),
            (false, false) => Style::Lines,
        };
        Self { style, drawn: Vec::new() }
    }

    /// How a table should be painted, if one is wanted.
    pub fn wants_table(&self) -> Option<Paint> {
        match self.style {
            Style::Live(paint) => Some(paint),
            Style::Lines | Style::Json => None,
        }
    }

    /// One line for people.
    pub fn say(&mut self, line: &str) {
        match self.style {
            Style::Live(_) => {
                let erased = self.erase();
                put(&mut io::stdout().lock(), &format!("{erased}{line}\n"));
            }
            Style::Lines => put(&mut io::stdout().lock(), &format!("{line}\n")),
            Style::Json => put(&mut io::stderr().lock(), &format!("{line}\n")),
        }
    }

    /// What went wrong, always on stderr.
    pub fn complain(line: &str) {
        put(&mut io::stderr().lock(), &format!("{line}\n"));
    }

    /// One change, with its reason: `event` for programs, `line` for people, if they are told.
    pub fn tell(&mut self, event: &Event, line: Option<&str>) {
        match (self.style, line) {
            (Style::Json, _) => match serde_json::to_string(event) {
                Ok(json) => put(&mut io::stdout().lock(), &format!("{json}\n")),
                Err(error) => tracing::error!("an event cannot be written: {error}"),
            },
            (Style::Live(_) | Style::Lines, Some(line)) => self.say(line),
            (Style::Live(_) | Style::Lines, None) => {}
        }
    }

    /// Draws the table below everything said so far.
    pub fn draw(&mut self, lines: &[String]) {
        if self.wants_table().is_none() || self.drawn == lines {
            return;
        }
        let mut frame = self.erase();
        // No line wraps while the table is drawn, so that it has as many rows as it has lines.
        frame.push_str("\x1b[?7l");
        for line in lines {
            let _ = writeln!(frame, "{line}");
        }
        frame.push_str("\x1b[?7h");
        put(&mut io::stdout().lock(), &frame);
        self.drawn = lines.to_vec();
    }

    /// What takes the table away.
    fn erase(&mut self) -> String {
        match std::mem::take(&mut self.drawn).len() {
            0 => String::new(),
            rows => format!("\x1b[{rows}A\r\x1b[J"),
        }
    }
}

fn put(out: &mut impl Write, text: &str) {
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
