//! Recorded traces replayed by the real binary say, byte for byte, what an independent reading of the rules says.
//!
//! `tests/cases` holds one folder per situation. Real recorded meshes are too large to keep here: they are read from the
//! folder named by `QUORATE_DATA`, else from `../shared/data` beside the repository, and skipped where there are none.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use quorate_tests::machine::{skip_for_want_of_data, workspace_binary};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// What `replay` prints for a folder, or why it failed.
fn replayed(folder: &Path, trace: &str) -> Result<String, String> {
    let mut replay = Command::new(workspace_binary("quorate-aggregator"));
    replay.arg("replay").arg("--fleet").arg(folder.join("fleet.json")).arg("--trace").arg(folder.join(trace));
    let output = replay.output().expect("our binary can be started");
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The first line that differs.
fn difference(said: &str, expected: &str) -> Option<String> {
    if said == expected {
        return None;
    }
    let pairs = said.lines().zip(expected.lines()).enumerate();
    let first = pairs.filter(|(_, (said, expected))| said != expected).map(|(ix, (said, expected))| {
        let at = said.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let from = at.saturating_sub(60);
        let part = |line: &str| line.bytes().skip(from).take(160).map(char::from).collect::<String>();
        format!("line {}: said …{}\n       expected …{}", ix + 1, part(said), part(expected))
    });
    let counts = || format!("{} lines, expected {}", said.lines().count(), expected.lines().count());
    Some(first.into_iter().next().unwrap_or_else(counts))
}

#[test]
fn every_case_says_what_is_expected() {
    let mut wrong = String::new();
    let mut count = 0;
    let cases = fs::read_dir(folder("cases")).expect("the cases lie beside this test");
    for case in cases.flatten().map(|entry| entry.path()) {
        let expected = fs::read_to_string(case.join("expected.jsonl")).expect("a case says what it expects");
        let found = replayed(&case, "trace.jsonl").map_or_else(Some, |said| difference(&said, &expected));
        if let Some(found) = found {
            writeln!(wrong, "{}: {found}", case.file_name().unwrap_or_default().display())
                .expect("a String takes text");
        }
        count += 1;
    }
    assert!(count >= 67, "only {count} cases were found");
    assert!(wrong.is_empty(), "{wrong}");
}

/// Where the recorded meshes are.
fn meshes() -> PathBuf {
    std::env::var_os("QUORATE_DATA").map_or_else(|| folder("../../shared/data"), PathBuf::from)
}

fn assert_mesh(name: &str) {
    let mesh = meshes().join(name);
    if !mesh.is_dir() {
        return skip_for_want_of_data(&format!(
            "{} is not there (name the folder of recorded meshes in QUORATE_DATA)",
            mesh.display()
        ));
    }
    let mut expected = String::new();
    let file = fs::File::open(mesh.join("expected.jsonl.gz")).expect("a mesh says what it expects");
    GzDecoder::new(file).read_to_string(&mut expected).expect("it is gzip of UTF-8");
    let said = replayed(&mesh, "trace.jsonl.gz").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(difference(&said, &expected), None);
}

#[test]
fn nineteen_days_of_a_research_network_say_what_is_expected() {
    assert_mesh("sciera");
}

#[test]
fn the_ordinary_internet_beside_it_raises_nothing_but_silence() {
    assert_mesh("sciera_ip");
}

#[test]
fn a_full_mesh_of_ninety_nine_says_what_is_expected() {
    assert_mesh("seattle");
}
