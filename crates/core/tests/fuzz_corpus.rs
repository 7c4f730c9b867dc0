//! The fuzz target's checks on its corpus and on what comes of breaking it: a bounded run, the same each time.

#[path = "../../../fuzz/checks/proxy_header.rs"]
mod proxy_header;

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, iter};

use proptest::prelude::*;
use quorate_core::proxy::{Parse, parse};

/// Enough to break each input in two thousand ways within seconds.
const MUTANTS: u32 = 50_000;

/// The inputs of a target, in the order of their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<_> = files
        .map(|file| {
            let file = file.expect("a folder's entry can be read");
            (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).expect("an input can be read"))
        })
        .collect();
    inputs.sort();
    inputs
}

/// Numbers that look random and are the same each time (Marsaglia's xorshift, 64 bits).
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Shows the input of a check that fails.
struct Shown<'a>(&'a [u8]);

impl Drop for Shown<'_> {
    #[allow(clippy::print_stderr, reason = "this is how a test tells")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input was {:02x?}", self.0);
        }
    }
}

fn check(bytes: &[u8]) {
    let shown = Shown(bytes);
    proxy_header::holds(shown.0);
}

/// The kind of an answer, in the words of its variants.
fn kind(answer: &Parse) -> String {
    match answer {
        Parse::Parsed(header) => format!("Parsed, claim {}, local {}", header.claim.is_some(), header.local),
        Parse::NeedMore | Parse::NotProxy => format!("{answer:?}"),
        Parse::Invalid(invalid) => {
            let told = format!("{invalid:?}");
            told.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
    }
}

/// Breaks an input in one place.
fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice, other: &[u8]) {
    let at = dice.throw(bytes.len());
    match dice.throw(7) {
        _ if bytes.is_empty() => bytes.extend_from_slice(other),
        0 => bytes[at] ^= 1 << dice.throw(8),
        1 => bytes[at] = dice.throw(256) as u8,
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][dice.throw(5)],
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..(at + dice.throw(8)).min(bytes.len()))),
        5 => drop(bytes.splice(at..at, iter::repeat_n(0, dice.throw(600)))),
        _ => drop(bytes.splice(at.., other[dice.throw(other.len())..].iter().copied())),
    }
}

/// Makes the length say what has come, so that what stands behind it is looked at.
fn mend_length(bytes: &mut [u8]) {
    if let Some(length) = bytes.len().checked_sub(16).and_then(|length| u16::try_from(length).ok()) {
        bytes[14..16].copy_from_slice(&length.to_be_bytes());
    }
}

#[test]
fn every_input_of_the_corpus_holds() {
    let inputs = corpus("proxy_header");
    assert!(inputs.iter().any(|(name, _)| name == "haproxy_2_6_ipv4"), "the corpus is where this test looks for it");
    for (_, bytes) in &inputs {
        check(bytes);
    }
}

#[test]
fn what_comes_of_breaking_the_corpus_holds() {
    let inputs = corpus("proxy_header");
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut kinds = BTreeSet::new();
    for _ in 0..MUTANTS {
        let mut bytes = inputs[dice.throw(inputs.len())].1.clone();
        for _ in 0..=dice.throw(4) {
            let other = &inputs[dice.throw(inputs.len())].1;
            mutate(&mut bytes, &mut dice, other);
        }
        if dice.throw(2) == 0 {
            mend_length(&mut bytes);
        }
        check(&bytes);
        kinds.insert(kind(&parse(&bytes)));
    }
    // A header with claim, without, and of the forwarder's own; more; no header; and eleven reasons to refuse one.
    assert_eq!(kinds.len(), 16, "the run meets every kind of answer: {kinds:#?}");
}

proptest! {
    #[test]
    fn any_bytes_hold(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        proxy_header::holds(&bytes);
        proxy_header::holds(&[b"\r\n\r\n\0\r\nQUIT\n\x21", &bytes[..]].concat());
    }
}
