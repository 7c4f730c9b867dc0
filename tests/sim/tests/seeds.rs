//! Random worlds under watch: always the same ones, and a few that nobody has seen yet.
//!
//! A world that breaks an invariant is made short, and printed with the command that runs it again; what is printed last can
//! be pinned as it is.

#![allow(clippy::print_stderr, reason = "what is found is for whoever runs it")]

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use quorate_sim::random::{Case, Ran};

/// How many runs a failing world is worth to be made short.
const TRIES: u32 = 300;

#[test]
fn the_same_random_worlds_keep_every_invariant() {
    let words: usize = (0..24).map(|seed| held(&Case::of(seed)).words).sum();
    assert!(words > 1_000, "something happens in them: {words}");
}

/// `QUORATE_SEED=‹seed›` runs the world of that seed alone.
#[test]
fn a_random_world_keeps_every_invariant() {
    let seeds = match std::env::var("QUORATE_SEED") {
        Ok(seed) => vec![seed.parse().expect("QUORATE_SEED is a number")],
        // The hasher of the standard library is seeded by the system.
        Err(_) => (0..4_u64).map(|nth| RandomState::new().hash_one(nth) >> 16).collect(),
    };
    for seed in seeds {
        held(&Case::of(seed));
    }
}

#[test]
fn pinned_worlds_keep_every_invariant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pinned");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("it is there").map(|file| file.expect("it is").path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let text = std::fs::read_to_string(file).expect("it is text");
        let case: Case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if let Err(breach) = case.run() {
            panic!("{}: {}: {breach}", file.display(), case.why);
        }
    }
}

fn held(case: &Case) -> Ran {
    let breach = match case.run() {
        Ok(ran) => return ran,
        Err(breach) => breach,
    };
    eprintln!("{}: {breach}", case.why);
    eprintln!("Again: QUORATE_SEED={} cargo nextest run -p quorate-sim a_random_world", case.seed);
    let short = case.shrunk(&breach, TRIES);
    let told = short.run().map_or_else(|breach| breach.to_string(), |_| "it holds".to_owned());
    eprintln!("With less: {told}");
    for operation in &short.blueprint.operations {
        eprintln!("    {operation:?}");
    }
    let pinned = serde_json::to_string(&short).expect("a case is plain data");
    panic!("{breach}\nTo be pinned in tests/sim/pinned/:\n{pinned}");
}
