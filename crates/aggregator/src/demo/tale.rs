//! One line for each change, as people read it: when, who, from what to what, and why.

use std::collections::BTreeSet;
use std::time::Duration;

use quorate_core::verdict::Status;

use super::table::badge;
use crate::engine::Event;

/// What a route's event says that delivers nothing.
const NOTHING: &str = "nothing";

/// A change as a line; none for changes that another line tells better.
pub fn line(event: &Event, now: Duration) -> Option<String> {
    let (from, to, subject) = (event.from.as_deref(), event.to.as_deref(), event.subject.as_str());
    let told = match event.kind.as_str() {
        "server_status" if to == Some(Status::Ok.as_str()) => {
            let before = from.map(|from| format!("was {from}")).unwrap_or_default();
            format!("{subject:<8}{:<16}{before}", badge(Status::Ok))
        }
        "server_status" => format!("{subject:<8}{:<16}{}", to.map(word).unwrap_or_default(), event.reason),
        "half_blind" => format!("{subject:<8}{:<16}{}", if to.is_some() { "◔ half-blind" } else { "" }, event.reason),
        "country_cut" => format!("{subject:<8}{:<16}{}", to.unwrap_or("open"), event.reason),
        // One whose order alone changed delivers what it did.
        "route" if members(from) == members(to) => return None,
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

/// The entry points that a route's event names.
fn members(word: Option<&str>) -> BTreeSet<&str> {
    word.unwrap_or_default().split([',', ' ']).filter(|name| !name.is_empty()).collect()
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
        assert_eq!(told.as_deref(), Some("  12.3 s  nl-1    ✕ unreachable   Because."));
    }

    #[test]
    fn a_server_that_is_well_again_is_told_with_what_it_was() {
        let healed = Event { from: Some("blocked".to_owned()), ..event("server_status", "nl-2", "ok") };
        assert_eq!(line(&healed, Duration::ZERO).as_deref(), Some("   0.0 s  nl-2    ● ok            was blocked"));
    }

    #[test]
    fn a_route_is_told_when_what_it_delivers_changes_and_not_when_its_order_does() {
        let route = |to: &str| Event { from: Some("a/tls, b/tls".to_owned()), ..event("route", "world", to) };
        assert_eq!(line(&route("b/tls, a/tls"), Duration::ZERO), None);
        assert_eq!(line(&route("a/tls"), Duration::ZERO).as_deref(), Some("   0.0 s  route world: Because."));
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
