//! `replay` gives, byte for byte, what the rules say: on each named case, on random histories, and on bad input.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]

mod cases;
mod refusals;
mod shell;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use quorate_aggregator::replay::ReplayArgs;
use quorate_aggregator::replay::args::replay;

/// What was printed, and how it ended.
fn run(args: &ReplayArgs) -> (String, Result<(), String>) {
    let mut out = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let end = runtime.block_on(replay(args, &mut out)).map_err(|error| format!("{error:#}"));
    (String::from_utf8(out).unwrap(), end)
}

fn args(fleet: PathBuf, trace: PathBuf) -> ReplayArgs {
    ReplayArgs {
        fleet: Some(fleet),
        trace: Some(trace),
        archive: None,
        from: None,
        to: None,
        explain: None,
        summary: false,
    }
}

/// Shared with the tests of the real binary, which replay the recorded meshes too.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases");

fn case(name: &str) -> ReplayArgs {
    let folder = Path::new(CASES).join(name);
    args(folder.join("fleet.json"), folder.join("trace.jsonl"))
}

const FLEET: &str = r#"{"servers": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}"#;
const GOOD: &str = r#"{"at_ms": 60000, "evaluate": true}"#;

/// Replays a fleet and a trace that are no files yet.
fn run_text(fleet: &str, trace: &str) -> (String, Result<(), String>) {
    let folder = tempfile::tempdir().unwrap();
    let (fleet_path, trace_path) = (folder.path().join("fleet.json"), folder.path().join("trace.jsonl"));
    fs::write(&fleet_path, fleet).unwrap();
    fs::write(&trace_path, trace).unwrap();
    let (printed, end) = run(&args(fleet_path, trace_path));
    let place = format!("{}/", folder.path().display());
    (printed, end.map_err(|error| error.replace(&place, "")))
}
