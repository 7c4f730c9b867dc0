//! What holds whatever stands in the files of a replay: the fleet and each line of the trace are taken or refused in one line,
//! and what an evaluation says is JSON of the documented shape. Read by the fuzz target, and by the test of
//! `quorate-aggregator` that replays its corpus.
//!
//! An input is a fleet file up to the first empty line, and a trace after it.

use quorate_aggregator::replay::{Replay, Step};
use serde_json::Value;

/// What an input was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// No text.
    NoText,
    /// No fleet.
    NoFleet,
    /// A trace that ends at a line that is none.
    Refused,
    /// A trace, with or without a line to evaluate.
    Taken {
        /// Whether there was one.
        evaluated: bool,
    },
}

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(bytes) else { return Answer::NoText };
    let (fleet, trace) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut replay = match Replay::new(fleet) {
        Ok(replay) => replay,
        Err(refusal) => {
            one_line(&format!("{refusal:#}"));
            return Answer::NoFleet;
        }
    };
    let mut evaluated = false;
    for line in trace.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let before = replay.at();
        match replay.take(line) {
            Ok(Step::Taken) => {}
            Ok(Step::Evaluated) => {
                said(&replay);
                evaluated = true;
            }
            Err(refusal) => {
                one_line(&format!("{refusal:#}"));
                return Answer::Refused;
            }
        }
        assert!(replay.at() >= before, "time never goes back");
    }
    Answer::Taken { evaluated }
}

fn said(replay: &Replay) {
    let line = replay.line();
    assert!(!line.contains('\n'));
    let said: Value = serde_json::from_str(&line).expect("what is said is JSON");
    assert_eq!(said["at_ms"], replay.at().as_ms());
    let fleet = replay.fleet();
    let rows = |name: &str| said[name].as_object().expect("an object").len();
    assert_eq!(rows("servers"), fleet.servers().len());
    assert_eq!(rows("routes"), fleet.routes().len());
    assert!(rows("entry_points") <= fleet.entry_points().len());
    for (id, route) in said["routes"].as_object().expect("an object") {
        let ix = fleet.find_route(id).expect("a route of the fleet");
        let delivered = route["deliver"].as_array().expect("a list").len();
        assert!(delivered <= fleet.route(ix).entry_points.len());
    }
}

fn one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains(char::is_control), "told in one line: {told:?}");
}
