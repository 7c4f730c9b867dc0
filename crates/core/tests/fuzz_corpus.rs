//! The fuzz target's checks on its corpus and on what comes of breaking it: a bounded run, the same each time.

#[path = "../../../fuzz/checks/proxy_header.rs"]
mod proxy_header;

#[path = "../../../fuzz/replay.rs"]
mod replay;

use std::collections::BTreeSet;

use proptest::prelude::*;
use quorate_core::proxy::{Parse, parse};

use crate::replay::{Corpus, Dice};

/// Enough to break each input in two thousand ways within seconds.
const BROKEN: u32 = 50_000;

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

/// Makes the length of every other one say what has come, so that what stands behind it is looked at.
fn mend_length(bytes: &mut [u8], dice: &mut Dice) {
    let length = bytes.len().checked_sub(16).and_then(|length| u16::try_from(length).ok());
    if let Some(length) = length.filter(|_| dice.throw(2) == 0) {
        bytes[14..16].copy_from_slice(&length.to_be_bytes());
    }
}

#[test]
fn every_input_of_the_corpus_holds() {
    let mut names = BTreeSet::new();
    Corpus::of("proxy_header").replay(|name, bytes| {
        names.insert(name.to_owned());
        proxy_header::holds(bytes);
    });
    assert!(names.contains("haproxy_2_6_ipv4"), "the corpus is where this test looks for it");
}

#[test]
fn what_comes_of_breaking_the_corpus_holds() {
    let mut kinds = BTreeSet::new();
    Corpus::of("proxy_header").replay_broken(
        BROKEN,
        |bytes, dice| mend_length(bytes, dice),
        |bytes| {
            proxy_header::holds(bytes);
            kinds.insert(kind(&parse(bytes)));
        },
    );
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
