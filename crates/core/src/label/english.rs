//! R11 · A label in English, made of its values alone.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::{Few, Label, Unseen, UnseenFrom};
use crate::words;

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("Disabled"),
            Self::Down => f.write_str("Server unavailable"),
            Self::Unreachable(unseen) => write!(f, "Unreachable from your servers: {unseen}"),
            Self::Blocked { verifiers } => {
                write!(f, "Address blocked, as seen from {}", words::few(&verifiers.shown, verifiers.more))
            }
            Self::Degraded { entry_points } => {
                write!(f, "Partly unreachable: {}", words::few(&entry_points.shown, entry_points.more))
            }
            Self::NoData => f.write_str("No data from the server"),
            Self::Pending => f.write_str("Waiting for the first report"),
            Self::Contested => f.write_str("Servers disagree"),
            Self::Marked { pairs } => write!(f, "Connection check fails: {}", pairs_text(pairs)),
            Self::Ok => f.write_str("OK"),
        }
    }
}

/// "3 of 7 cannot see it (RU 3/3)": the countries are those in which the verdict holds.
impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cannot_see == 0 {
            return f.write_str("each of its entry points is out of sight for too many");
        }
        write!(f, "{} of {} cannot see it", self.cannot_see, self.asked)?;
        if self.countries.is_empty() {
            return Ok(());
        }
        let countries: Vec<String> = self.countries.iter().map(UnseenFrom::to_string).collect();
        write!(f, " ({})", countries.join(", "))
    }
}

/// "RU 3/3".
impl fmt::Display for UnseenFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.country, self.cannot_see, self.asked)
    }
}

/// "a and b; c and d; and 4 more".
fn pairs_text(pairs: &Few<(String, String)>) -> String {
    let mut parts: Vec<String> = pairs.shown.iter().map(|(a, b)| format!("{a} and {b}")).collect();
    if pairs.more > 0 {
        parts.push(format!("and {} more", pairs.more));
    }
    parts.join("; ")
}
