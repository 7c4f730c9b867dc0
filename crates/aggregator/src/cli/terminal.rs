//! What the output goes to: how wide it is, and whether somebody watches.

use std::io::{IsTerminal as _, stderr, stdout};

/// Columns of the output: `COLUMNS` if it is set, else those of the terminal; none where there is no edge, as in a file.
pub fn columns() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    let measured = || terminal_size::terminal_size_of(stdout()).map(|(width, _)| usize::from(width.0));
    told.or_else(measured)
}

/// Whether a person sees what is written beside the output.
pub fn is_watched() -> bool {
    stderr().is_terminal()
}
