//! What holds whatever stands in a fleet file: it is taken or refused in one line with its place, and what is taken is the same
//! after it was written as TOML or JSON and read again, and can be planned. Read by the fuzz target, and by the test of
//! `quorate-aggregator` that replays its corpus.

use std::path::Path;

use quorate_aggregator::fleet_file::parse;
use quorate_aggregator::inventory::Inventory;
use quorate_core::lane::Lane;

/// What an input was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// No text.
    NoText,
    /// Refused as a whole.
    Refused,
    /// Refused with the line that is wrong.
    RefusedAtLine,
    /// A fleet.
    Taken,
}

/// Panics where something does not hold.
pub fn holds(bytes: &[u8]) -> Answer {
    let Ok(text) = std::str::from_utf8(bytes) else { return Answer::NoText };
    let path = Path::new("fleet.toml");
    let inventory = match parse(path, text) {
        Ok(inventory) => inventory,
        Err(refusal) => {
            one_line(&refusal.to_string());
            let Some(line) = refusal.line else { return Answer::Refused };
            assert!((1..=text.matches('\n').count() + 1).contains(&line), "the line is one of the file");
            return Answer::RefusedAtLine;
        }
    };
    let written = toml::to_string(&inventory).expect("an inventory can be written");
    assert_eq!(parse(path, &written).as_ref(), Ok(&inventory), "as TOML");
    let written = serde_json::to_string(&inventory).expect("an inventory can be written");
    let read: Inventory = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(read, inventory, "as JSON");
    is_sound(&inventory);
    Answer::Taken
}

/// What everything behind the file relies on.
fn is_sound(inventory: &Inventory) {
    let fleet = inventory.checked().expect("a file that was taken has a fleet");
    inventory.policy().expect("and a policy");
    assert_eq!(fleet.servers().len(), inventory.servers.len());
    for ix in fleet.entry_ixs() {
        let entry_point = fleet.entry_point(ix);
        assert_eq!(fleet.find_entry_point(&entry_point.id), Some(ix));
        let probe = entry_point.probe.as_ref().expect("a declared entry point is probed");
        assert_eq!(probe.kind.is_udp(), matches!(entry_point.lane, Lane::Udp4 | Lane::Udp6));
    }
    for ix in fleet.server_ixs() {
        assert_eq!(fleet.find_server(&fleet.server(ix).id), Some(ix));
    }
}

fn one_line(told: &str) {
    assert!(!told.is_empty() && !told.contains(char::is_control), "told in one line: {told:?}");
}
