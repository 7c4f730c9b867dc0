//! Whether each report was folded once: the series of failures that the aggregator counts (R4), against the archive, read
//! and counted by itself.

use prost::Message as _;
use quorate_core::outcome::Outcome;
use quorate_proto::{outcomes, v1};
use quorate_tests::fleet::{Archived, Fleet};

/// Compares the streak of every witness that fails to see an entry point with the failures in its reports. Nothing may come
/// in meanwhile: the agents are ended.
pub fn differences(fleet: &Fleet, archive: &[Archived], entry_point: &str) -> Vec<String> {
    let (server, _) = entry_point.split_once('/').expect("an entry point's id is server/name");
    let votes = fleet.get(&format!("/api/v1/servers/{server}/votes")).expect("the API answers");
    let votes = votes["votes"].as_array().expect("votes are a list").clone();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for vote in votes.iter().filter(|vote| vote["entry_point"] == entry_point && vote["streak"].as_u64() > Some(0)) {
        let (Some(witness), Some(streak)) = (vote["witness"].as_str(), vote["streak"].as_u64()) else { continue };
        let (place, targets) = place(fleet, witness, entry_point);
        // Backwards in the order of folding until it was last reached: dates play no part, which faults may have moved.
        let of_witness = archive.iter().rev().filter(|report| report.server == witness);
        let outcomes = of_witness.filter_map(|report| outcome(&report.payload, place, targets));
        let series = outcomes.take_while(|outcome| !matches!(outcome, Outcome::Reached { .. }));
        let failed = series.filter(|outcome| matches!(outcome, Outcome::Failed(_))).count() as u64;
        compared += 1;
        if failed != streak {
            wrong.push(format!("{witness} failed to see {entry_point} {failed} times in a row, counted as {streak}"));
        }
    }
    assert!(compared > 0, "nobody fails to see {entry_point}: there is nothing to compare");
    eprintln!("  the series of {compared} witnesses counted again");
    wrong
}

/// Where the entry point stands among the outcomes of a witness, and how many there are.
fn place(fleet: &Fleet, witness: &str, entry_point: &str) -> (usize, usize) {
    let report = fleet.server(witness).expect("the API answers")["last_report"].take();
    let outcomes = report["outcomes"].as_array().expect("a witness has reported on a round");
    let place = outcomes.iter().position(|outcome| outcome["entry_point"] == entry_point);
    (place.expect("it is in the witness's plan"), outcomes.len())
}

fn outcome(payload: &[u8], place: usize, targets: usize) -> Option<Outcome> {
    let report = v1::Report::decode(payload).expect("the archive has reports");
    // One without a round carries the self-check alone.
    outcomes::unpack(&report.outcomes, targets).ok()?.get(place).copied()
}
