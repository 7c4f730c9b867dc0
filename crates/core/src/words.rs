//! How lists, places and spans are put into words, for badges and explanations alike.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::fleet::{Fleet, ServerIx};
use crate::policy::Share;
use crate::verdict::{Scope, Scopes};

/// Longer lists end in "and 9 more": a sentence over hundreds of servers is read by nobody.
const NAMES_MAX: usize = 12;

/// "a", "a and b", "a, b and c"; "a, b, c and 9 more" if there are more than are shown.
pub(crate) fn few(shown: &[String], more: usize) -> String {
    match (shown, more) {
        ([], _) => String::from("nobody"),
        ([only], 0) => only.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (shown, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A list of what nobody would count one by one.
pub(crate) fn names(items: &[String]) -> String {
    let shown = items.get(..NAMES_MAX).unwrap_or(items);
    few(shown, items.len() - shown.len())
}

/// "ru-1 (RU)", or the id alone.
pub(crate) fn placed(fleet: &Fleet, ix: ServerIx) -> String {
    let server = fleet.server(ix);
    server.country.map_or_else(|| server.id.clone(), |country| format!("{} ({country})", server.id))
}

/// "ru-1 (RU; 4 failures)", or "ru-1 (4 failures)".
pub(crate) fn placed_with(fleet: &Fleet, ix: ServerIx, also: &str) -> String {
    let server = fleet.server(ix);
    match server.country {
        Some(country) => format!("{} ({country}; {also})", server.id),
        None => format!("{} ({also})", server.id),
    }
}

/// Several servers with their countries.
pub(crate) fn all_placed(fleet: &Fleet, servers: impl IntoIterator<Item = ServerIx>) -> String {
    let servers: Vec<String> = servers.into_iter().map(|ix| placed(fleet, ix)).collect();
    names(&servers)
}

/// "in RU and in the whole fleet".
pub(crate) fn scopes(scopes: &Scopes) -> String {
    let places: Vec<String> = scopes.iter().copied().map(scope).collect();
    names(&places)
}

/// "in RU", "in the whole fleet".
pub(crate) fn scope(scope: Scope) -> String {
    match scope {
        Scope::Country(country) => format!("in {country}"),
        Scope::Fleet => String::from("in the whole fleet"),
    }
}

/// "6 h", "3 min", "90 s", "250 ms".
pub(crate) fn span(span: Duration) -> String {
    match span.as_millis() {
        ms if ms % 3_600_000 == 0 && ms >= 7_200_000 => format!("{} h", ms / 3_600_000),
        ms if ms % 60_000 == 0 && ms >= 120_000 => format!("{} min", ms / 60_000),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}

/// "50 %", "33.3 %".
pub(crate) fn percent(share: Share) -> String {
    let thousandths = share.thousandths();
    match thousandths % 10 {
        0 => format!("{} %", thousandths / 10),
        tenth => format!("{}.{tenth} %", thousandths / 10),
    }
}
