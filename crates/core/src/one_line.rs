//! Words that somebody else chose, as a part of one line for people: what would end the line, move the cursor or colour the
//! terminal is shown and not obeyed.

use core::fmt::{self, Write as _};

#[cfg(test)]
mod tests;

/// Shows what it holds with control characters escaped, as in Rust source: `\n`, `\u{1b}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneLine<T>(pub T);

impl<T: fmt::Display> fmt::Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaping(f), "{}", self.0)
    }
}

/// Escapes what is written through it.
struct Escaping<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl fmt::Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| breaks(*c)) {
            self.0.write_str(&rest[..at])?;
            for escaped in c.escape_default() {
                self.0.write_char(escaped)?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}

/// Control characters, and the two that only Unicode calls the end of a line or paragraph.
fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}
