//! Why the session goes through the edge it goes through, and what would change that: as data and in sentences.
//!
//! Everything said here is read off a memory; nothing is decided. Moments are put into words by the caller, who knows the
//! reader's time zone.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::memory::{Memory, MoveReason, Ranked, Seat, Why};
use super::ranking::ROUNDS_NEEDED;
use super::times::{GAIN_LEAST, GAIN_PERCENT_LEAST, Gain};
use super::timing::Timing;
use crate::explain::When;
use crate::words;

/// What an operator is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The edge under the session, while there is one.
    pub seat: Option<Seat>,
    /// Every edge of the set, first comes first.
    pub rows: Vec<Row>,
    /// What is to be said, each with its full stop.
    pub sentences: Vec<String>,
}

/// One edge of the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// What is known of it.
    pub edge: Ranked,
    /// Where it stands as seen from the current edge.
    pub place: Place,
}

/// Where an edge stands as seen from the one under the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the one.
    Current,
    /// It comes before it, and is gone back to when it is good in two rounds.
    Before,
    /// It comes behind it.
    Behind {
        /// By how much it was nearer when both were last measured; `None` if it was farther, or one was never measured.
        nearer_by: Option<Gain>,
    },
    /// No session is up.
    Idle,
}

/// Explains a memory: the one that an agent last wrote, or [`Chooser::memory`](super::Chooser::memory).
pub fn explain(memory: &Memory, timing: &Timing, when: When<'_>) -> Explanation {
    let rows = rows(memory);
    let mut sentences = Vec::new();
    match memory.addresses.as_slice() {
        [] => sentences.push(String::from("No address of the gateway's name is known.")),
        [only] => sentences.push(format!("The gateway's name has one address, {only}: there is nothing to choose.")),
        _ => {}
    }
    sentences.push(memory.seat.as_ref().map_or_else(|| String::from("No session is up."), |seat| on(seat, when)));
    if memory.addresses.len() >= 2 {
        sentences.push(measured(memory, timing, when));
        sentences.extend(rows.iter().filter_map(|row| would_change(row, timing)));
    }
    if let Some(seat) = &memory.seat {
        sentences.push(removal(seat));
    }
    Explanation { seat: memory.seat, rows, sentences }
}

fn rows(memory: &Memory) -> Vec<Row> {
    let seat = memory.seat.map(|seat| seat.address);
    let own = memory.ranking.iter().find(|edge| Some(edge.address) == seat).and_then(|edge| edge.times);
    let mut place = if seat.is_some() { Place::Before } else { Place::Idle };
    let mut rows = Vec::new();
    for edge in &memory.ranking {
        let behind = || edge.times.zip(own).and_then(|(times, own)| times.gain_over(&own));
        if Some(edge.address) == seat {
            place = Place::Current;
        } else if matches!(place, Place::Current | Place::Behind { .. }) || seat.is_some() && edge.times.is_none() {
            place = Place::Behind { nearer_by: behind() };
        }
        if memory.addresses.contains(&edge.address) {
            rows.push(Row { edge: *edge, place });
        }
    }
    rows
}

/// Where it is, since when, and why.
fn on(seat: &Seat, when: When<'_>) -> String {
    let why = match seat.why {
        Why::NoChoice => "there was nothing to choose by when it began",
        Why::First => "it comes first",
        Why::Fallback => "those that come before it did not answer in time",
        Why::Moved(MoveReason::Removed) => "the edge before it is no longer in DNS",
        Why::Moved(MoveReason::Return) => "it is back, and comes before the edge used meanwhile",
        Why::Moved(MoveReason::Better) => "it is clearly nearer than the edge before it",
    };
    format!("The session goes through {} since {}: {why}.", seat.address, when(seat.since))
}

fn measured(memory: &Memory, timing: &Timing, when: When<'_>) -> String {
    let Some(at) = memory.measured_at else {
        return String::from("The edges are not measured yet; a round beside a session does it.");
    };
    let age = words::span(timing.stale_after);
    format!(
        "The edges were measured at {}, and are measured anew when that is {age} old or an address comes or goes.",
        when(at)
    )
}

/// What would make the agent leave its edge for this one.
fn would_change(row: &Row, timing: &Timing) -> Option<String> {
    let Row { edge, place } = row;
    let address = edge.address;
    match place {
        Place::Idle if edge.failing => Some(format!("{address} does not answer: it is dialled last.")),
        Place::Current | Place::Idle => None,
        Place::Before => {
            let so_far = if edge.failing { String::from("it does not answer now") } else { rounds(edge.good_rounds) };
            Some(format!(
                "The agent goes back to {address} when that is good in {ROUNDS_NEEDED} rounds in a row: {so_far}."
            ))
        }
        Place::Behind { .. } if edge.failing => {
            Some(format!("{address} does not answer: it is dialled last, and tried again in every round."))
        }
        Place::Behind { .. } if edge.times.is_none() => Some(format!("{address} is not measured yet.")),
        Place::Behind { nearer_by } => {
            let now = match nearer_by {
                None => String::from("it is no nearer now"),
                Some(gain) => format!("now {} and {} %", words::span(gain.by), gain.percent),
            };
            let so_far = if edge.better_rounds == 0 { now } else { format!("{now}, {}", rounds(edge.better_rounds)) };
            Some(format!(
                "The agent leaves for {address} when that is nearer by {} and {GAIN_PERCENT_LEAST} % in {ROUNDS_NEEDED} \
                 measurements in a row, after {} here at the earliest: {so_far}.",
                words::span(GAIN_LEAST),
                words::span(timing.dwell)
            ))
        }
    }
}

fn rounds(seen: u8) -> String {
    if seen == 0 { String::from("in none so far") } else { format!("in {seen} of them so far") }
}

/// The one end of a seat that needs no other edge to be good.
fn removal(seat: &Seat) -> String {
    let missing = match seat.missing {
        0 => String::new(),
        1 => ": it was missing the last time".to_string(),
        times => format!(": it was missing the last {times} times"),
    };
    format!(
        "The agent leaves {} when that is missing from the name's addresses {ROUNDS_NEEDED} times in a row{missing}.",
        seat.address
    )
}

#[cfg(test)]
mod tests;
