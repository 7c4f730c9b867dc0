//! From a seed to a list of operations, and from one that fails to the shortest that does.

use std::time::{SystemTime, UNIX_EPOCH};

use proptest::strategy::{Strategy as _, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::operation::{self, Operation};
use crate::{Summary, run};

/// Names the one seed to run.
const SEED: &str = "QUORATE_SIMULATION_SEED";
/// How many fresh seeds are run.
const FRESH: &str = "QUORATE_SIMULATION_FRESH";
/// Prints a failing list as it is.
const RAW: &str = "QUORATE_SIMULATION_RAW";
/// Runs that shrinking may take: some three minutes.
const SHRINKING_MAX: u32 = 120;

fn tree(seed: u64) -> impl ValueTree<Value = Vec<Operation>> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    operation::lists(30..60).new_tree(&mut runner).expect("nothing is filtered out")
}

/// Runs a seed. The error is a page for whoever has to find the cause.
fn check(seed: u64) -> Result<Summary, String> {
    let mut tree = tree(seed);
    let first = match run(&tree.current()) {
        Ok(summary) => return Ok(summary),
        Err(wrong) => wrong,
    };
    let (mut shortest, mut wrong) = (tree.current(), first.clone());
    eprintln!("seed {seed}: {first}\nshrinking, which takes a while; {RAW}=1 leaves it out");
    let shrinking = if std::env::var_os(RAW).is_none() { SHRINKING_MAX } else { 0 };
    for _ in 0..shrinking {
        let moved = match run(&tree.current()) {
            Err(still) => {
                (shortest, wrong) = (tree.current(), still);
                tree.simplify()
            }
            Ok(_) => tree.complicate(),
        };
        if !moved {
            break;
        }
    }
    let operations: String = shortest.iter().map(|operation| format!("    {operation:?},\n")).collect();
    Err(format!(
        "seed {seed}: {first}\n\nshrunk, to be pinned in tests/simulation/pinned.rs:\n\n{operations}\n{wrong}\n\nagain:  \
         {SEED}={seed} cargo nextest run -p quorate-tests --test simulation seeds --no-capture\n"
    ))
}

fn all(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        match check(seed) {
            Ok(summary) => eprintln!("seed {seed}: {summary:?}"),
            Err(page) => panic!("{page}"),
        }
    }
}

fn asked_for() -> Option<u64> {
    std::env::var(SEED).ok()?.parse().ok()
}

#[test]
fn seeds_that_are_always_the_same() {
    match asked_for() {
        Some(seed) => all([seed].into_iter()),
        None => all(1..=8),
    }
}

#[test]
fn seeds_that_nobody_has_tried_before() {
    let count = std::env::var(FRESH).ok().and_then(|count| count.parse().ok()).unwrap_or(4);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let first = since_epoch.as_millis() as u64;
    if asked_for().is_none() {
        all(first..first + count);
    }
}
