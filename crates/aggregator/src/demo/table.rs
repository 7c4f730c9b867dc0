//! The fleet as a table for people: one line for each server, one for each route, one for what is going on. A status is a
//! word with a shape; colour only repeats it.

#[cfg(test)]
mod tests;

use std::time::Duration;

use quorate_core::verdict::{State, Status};

use super::scene::{Door, Offered, Scene, Seen};
use super::script::Trouble;

/// Whether lines may carry colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Words and shapes alone.
    Plain,
    /// ANSI colours beside them.
    Colour,
}

/// Seconds of real life that a second of the demo stands for, and how long it has run.
#[derive(Debug, Clone, Copy)]
pub struct Caption<'a> {
    /// Since start.
    pub running: Duration,
    /// One round of the fleet.
    pub round: Duration,
    /// Where page and API are.
    pub url: &'a str,
}

/// Columns of a status: the longest word with its shape and some air.
const STATUS_COLUMNS: usize = 15;
/// Columns of an entry point.
const DOOR_COLUMNS: usize = 16;

/// The lines, top to bottom.
pub fn lines(scene: &Scene, troubles: &[Trouble], caption: Caption<'_>, paint: Paint) -> Vec<String> {
    let seconds = caption.running.as_secs();
    let mut lines = vec![
        String::new(),
        format!(
            "{:02}:{:02}  a round takes {}  {}",
            seconds / 60,
            seconds % 60,
            span(caption.round.as_millis() as u64),
            caption.url
        ),
        format!(
            "{:<8}{:<8}{:<STATUS_COLUMNS$}{:<DOOR_COLUMNS$}{:<DOOR_COLUMNS$}FOR",
            "SERVER", "COUNTRY", "STATUS", "QUIC", "TLS"
        ),
    ];
    lines.extend(scene.servers.iter().map(|server| line(server, paint)));
    lines.extend(scene.routes.iter().map(route));
    lines.push(if troubles.is_empty() {
        "now: calm".to_owned()
    } else {
        let told: Vec<String> = troubles.iter().map(|trouble| trouble.told()).collect();
        format!("now: {}", told.join("; "))
    });
    lines
}

/// A status as shape and word.
pub fn badge(status: Status) -> String {
    format!("{} {}", shape(status), status.as_str())
}

fn line(server: &Seen, paint: Paint) -> String {
    let country = if server.verifier { format!("{} ✓", server.country) } else { server.country.clone() };
    let badge = painted(&format!("{:<STATUS_COLUMNS$}", badge(server.status)), colour(server.status), paint);
    let doors = server.doors.iter().map(|found| format!("{:<DOOR_COLUMNS$}", door(found))).collect::<Vec<_>>().concat();
    let blind = server.half_blind.map(|(unseen, judged)| format!("  ◔ half-blind: cannot see {unseen} of {judged}"));
    let since = span(server.since_ms / 1000 * 1000);
    format!("{:<8}{country:<8}{badge}{doors}{since}{}", server.id, blind.unwrap_or_default())
}

fn door(door: &Door) -> String {
    match (door.state, door.accused_by) {
        (State::Down, _) => "says it is down".to_owned(),
        (_, 0) => format!("{} see it", door.seen_by),
        (_, accused_by) => format!("{} see, {accused_by} not", door.seen_by),
    }
}

fn route(route: &Offered) -> String {
    let last_resort = if route.last_resort { ", as a last resort" } else { "" };
    format!("route {:<10}delivers {} of {} entry points{last_resort}", route.id, route.delivered, route.of)
}

fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min", ms / 60_000),
    }
}

const fn shape(status: Status) -> char {
    match status {
        Status::Disabled => '–',
        Status::Down => '⊠',
        Status::Unreachable => '✕',
        Status::Blocked => '⊘',
        Status::Degraded => '▲',
        Status::NoData => '○',
        Status::Pending => '◌',
        Status::Contested => '◇',
        Status::Marked => '◆',
        Status::Ok => '●',
    }
}

/// SGR code.
const fn colour(status: Status) -> u8 {
    match status {
        Status::Down | Status::Unreachable | Status::Blocked => 31,
        Status::Degraded | Status::Contested | Status::Marked => 33,
        Status::NoData | Status::Pending | Status::Disabled => 90,
        Status::Ok => 32,
    }
}

fn painted(text: &str, colour: u8, paint: Paint) -> String {
    match paint {
        Paint::Plain => text.to_owned(),
        Paint::Colour => format!("\x1b[{colour}m{text}\x1b[0m"),
    }
}
