//! What goes to the terminal. A reader that has gone is no error, and no reason to leave half-way through something.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::time::Duration;

use anyhow::Context as _;

/// Prints a line; `… | head` may have read enough.
pub(super) fn line(text: impl Display) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot print"),
    }
}

/// Prints what went wrong; nobody is left to be told if standard error is gone.
pub(super) fn error(error: &anyhow::Error) {
    let _ = writeln!(anstream::stderr(), "{error:#}");
}

/// Milliseconds to a tenth.
pub(super) fn ms(span: Duration) -> f64 {
    (span.as_secs_f64() * 10_000.0).round() / 10.0
}

pub(super) fn ms_text(span: Duration) -> String {
    format!("{:.1} ms", ms(span))
}
