//! Quorate as a detector says what `replay` prints: on every case of `tests/cases`, whose expected output the real program is
//! held to byte by byte.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet};
use quorate_core::time::Moment;
use quorate_trace::Line;
use serde_json::Value;

use crate::detector::{Detector, Findings};
use crate::rival::quorate::Quorate;
use crate::tape::{Setting, Step};

/// What `replay` prints of a moment, as findings.
fn expected(fleet: &Fleet, line: &str) -> Findings {
    let line: Value = serde_json::from_str(line).expect("it is JSON");
    let ix = |id: &str| fleet.find_entry_point(id).expect("it is one of the fleet's");
    let of_tier = |tiers: std::ops::RangeInclusive<u64>| -> BTreeSet<EntryIx> {
        let all = line["entry_points"].as_object().expect("by id");
        let tier = |entry_point: &Value| entry_point["tier"].as_u64().expect("a number");
        all.iter().filter(|(_, entry_point)| tiers.contains(&tier(entry_point))).map(|(id, _)| ix(id)).collect()
    };
    let delivered = |route: &Value| -> Vec<EntryIx> {
        let ids = route["deliver"].as_array().expect("a list").iter();
        ids.map(|id| ix(id.as_str().expect("an id"))).collect()
    };
    Findings {
        removed: of_tier(2..=4),
        doubted: of_tier(1..=1),
        delivered: line["routes"].as_object().expect("by id").values().map(delivered).collect(),
    }
}

/// Plays a case; returns how many moments were compared.
fn assert_case(folder: &Path) -> usize {
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a case is whole");
    let declared = quorate_trace::parse_fleet(&read("fleet.json")).expect("a case's fleet is one");
    let mut fleet = Arc::new(declared.fleet);
    let policy = declared.policy.unwrap_or_default();
    let (interval, ends_at) = (policy.interval, Moment::MAX);
    let setting = Setting { fleet: fleet.clone(), policy: policy.clone(), interval, ends_at };
    let mut quorate = Quorate::new(&setting, None);
    let (expected_lines, mut compared) = (read("expected.jsonl"), 0);
    let mut said = expected_lines.lines();
    for text in read("trace.jsonl").lines().filter(|text| !text.trim().is_empty()) {
        let (at, line) = quorate_trace::parse_line(text, &fleet).expect("a case's trace is one");
        let step = match line {
            Line::Report(report) => Step::Report(report),
            Line::Resumed => Step::Resumed,
            Line::Evaluate => Step::Judge,
            // A tape has one policy: what comes after another one is not for it.
            Line::Fleet(declared) if declared.policy.as_ref().is_some_and(|new| *new != policy) => break,
            Line::Fleet(declared) => {
                fleet = Arc::new(declared.fleet);
                Step::Fleet(fleet.clone())
            }
        };
        quorate.take(at, &step);
        if let Step::Judge = step {
            let wanted = expected(&fleet, said.next().expect("a line for each moment"));
            assert_eq!(*quorate.findings(), wanted, "{}, {} ms", folder.display(), at.as_ms());
            compared += 1;
        }
    }
    compared
}

#[test]
fn quorate_as_a_detector_says_what_replay_says() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let folders = fs::read_dir(cases).expect("the cases lie beside the simulator").flatten();
    let compared: Vec<usize> = folders.map(|folder| assert_case(&folder.path())).collect();
    assert!(compared.len() >= 60 && compared.iter().sum::<usize>() > 600, "{compared:?}");
}
