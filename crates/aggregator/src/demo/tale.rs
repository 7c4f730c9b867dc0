//! One line for each change, as people read it: when, who, from what to what, and why.

use std::time::Duration;

use super::table::badge;
use crate::engine::Event;
use quorate_core::verdict::Status;

/// What a route's event says that delivers nothing.
const NOTHING: &str = "nothing";

/// A change as a line; none for changes that another line tells better.
pub fn line(event: &Event, now: Duration) -> Option<String> {
    let (to, subject) = (event.to.as_deref(), event.subject.as_str());
    let told = match event.kind.as_str() {
        "server_status" => format!("{subject:<8}{:<16}{}", to.map(word).unwrap_or_default(), event.reason),
        "half_blind" => format!("{subject:<8}{:<16}{}", if to.is_some() { "◔ half-blind" } else { "" }, event.reason),
        "country_cut" => format!("{subject:<8}{:<16}{}", to.unwrap_or("open"), event.reason),
        "route" => format!("route {subject}: {}", event.reason),
        // Entry points stand in their server's line; sessions and the inventory are the demo's own doing.
        _ => return None,
    };
    Some(stamped(now, &told))
}

/// A line with the time before it.
pub fn stamped(now: Duration, told: &str) -> String {
    format!("{:6.1} s  {told}", now.as_secs_f64())
}

/// Whether a route is told to deliver nothing.
pub fn is_an_empty_route(event: &Event) -> bool {
    event.kind == "route" && event.to.as_deref() == Some(NOTHING)
}

fn word(word: &str) -> String {
    let known = Status::ALL.into_iter().find(|status| status.as_str() == word);
    known.map_or_else(|| word.to_owned(), badge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_time_subject_shape_word_and_reason() {
        let told = line(&event("server_status", "nl-1", "unreachable"), Duration::from_millis(12_340));
        assert_eq!(told.as_deref(), Some("  12.3 s  nl-1    ✖ unreachable   Because."));
    }

    #[test]
    fn entry_points_are_told_with_their_server() {
        assert_eq!(line(&event("entry_point_state", "nl-1/tls", "unreachable"), Duration::ZERO), None);
    }

    #[test]
    fn a_route_that_delivers_nothing_is_noticed() {
        assert!(is_an_empty_route(&event("route", "world", "nothing")));
        assert!(!is_an_empty_route(&event("route", "world", "nl-1/tls")));
        assert!(!is_an_empty_route(&event("server_status", "world", "nothing")));
    }

    fn event(kind: &str, subject: &str, to: &str) -> Event {
        Event {
            id: 1,
            at_ms: 0,
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            from: None,
            to: Some(to.to_owned()),
            reason: "Because.".to_owned(),
        }
    }
}
