//! Random worlds under watch: always the same ones, and a few that nobody has seen yet.
//!
//! A world that breaks an invariant is made short, and printed with the command that runs it again; what is printed last can
//! be pinned as it is.

#![allow(clippy::print_stderr, reason = "what is found is for whoever runs it")]

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use quorate_sim::invariant::Rigour;
use quorate_sim::random::{Case, Ran};

/// How many runs a failing world is worth to be made short.
const TRIES: u32 = 300;

#[test]
fn the_same_random_worlds_keep_every_invariant() {
    let words: usize = (0..16).map(|seed| held(&Case::of(seed)).words).sum();
    assert!(words > 1_000, "something happens in them: {words}");
}

/// `QUORATE_SEED=‹seed›` runs the world of that seed alone, `QUORATE_WORLDS=‹count›` so many new ones; with `QUORATE_WHOLE`
/// what is known not to hold counts too.
#[test]
fn a_random_world_keeps_every_invariant() {
    let number = |name: &str| {
        let word = std::env::var(name).ok()?;
        Some(word.parse::<u64>().unwrap_or_else(|_| panic!("{name}={word} is no number")))
    };
    if let Some(seed) = number("QUORATE_SEED") {
        held(&Case::of(seed));
        return;
    }
    for nth in 0..number("QUORATE_WORLDS").unwrap_or(4) {
        // The hasher of the standard library is seeded by the system.
        held(&Case::of(RandomState::new().hash_one(nth) >> 16));
    }
}

#[test]
fn pinned_worlds_keep_every_invariant() {
    for (name, case) in cases("pinned") {
        if let Err(breach) = case.run(Rigour::Whole) {
            panic!("{name}: {}: {breach}", case.why);
        }
    }
}

/// One that holds after all belongs to the pinned ones.
#[test]
fn open_worlds_break_the_invariant_that_they_are_named_after() {
    for (name, case) in cases("open") {
        let Err(breach) = case.run(Rigour::Whole) else { panic!("{name} holds: move it to tests/sim/pinned/") };
        assert_eq!(name, breach.invariant.replace(' ', "_"), "{breach}");
    }
}

/// By name.
fn cases(folder: &str) -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(&folder).expect("it is there").map(|file| file.expect("it is").path());
    let mut files: Vec<_> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "json")).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).expect("it is text");
        let case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        (file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(), case)
    };
    files.iter().map(read).collect()
}

fn held(case: &Case) -> Ran {
    let rigour = if std::env::var_os("QUORATE_WHOLE").is_some() { Rigour::Whole } else { Rigour::AsKnown };
    let breach = match case.run(rigour) {
        Ok(ran) => return ran,
        Err(breach) => breach,
    };
    eprintln!("{}: {breach}", case.why);
    eprintln!("Again: QUORATE_SEED={} cargo nextest run -p quorate-sim a_random_world", case.seed);
    let short = case.shrunk(&breach, TRIES);
    let told = short.run(Rigour::Whole).map_or_else(|breach| breach.to_string(), |_| "it holds".to_owned());
    eprintln!("With less: {told}");
    for operation in &short.blueprint.operations {
        eprintln!("    {operation:?}");
    }
    let pinned = serde_json::to_string(&short).expect("a case is plain data");
    panic!("{breach}\nTo be pinned in tests/sim/pinned/:\n{pinned}");
}
