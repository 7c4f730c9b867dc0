//! Whatever arrives, reading it ends in a value or an error, in bounded time and memory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;

use proptest::prelude::*;
use prost::Message;
use quorate_core::outcome::Outcome;
use quorate_proto::{outcomes, plan, v1};

/// Reads bytes as either side's message, all the way to core types.
fn read(bytes: &[u8], expected: usize) {
    if let Ok(message) = v1::FromAgent::decode(bytes)
        && let Some(v1::from_agent::Kind::Report(report)) = message.kind
        && let Ok(outcomes) = outcomes::unpack(&report.outcomes, expected)
    {
        assert_eq!(outcomes.len(), expected);
    }
    if let Ok(message) = v1::ToAgent::decode(bytes)
        && let Some(v1::to_agent::Kind::Plan(sent)) = message.kind
        && let Ok(plan) = plan::from_wire(sent)
    {
        assert!(plan.version > 0);
    }
    let _: Result<v1::EnrollRequest, _> = v1::EnrollRequest::decode(bytes);
    let _: Result<v1::EnrollResponse, _> = v1::EnrollResponse::decode(bytes);
}

/// The pinned messages: what arbitrary bytes are made from by breaking them.
fn pinned() -> Vec<Vec<u8>> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v1");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let bytes = |text: String| {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    };
    files.into_iter().map(|file| bytes(std::fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn half_of_a_message_is_an_error_or_a_smaller_message() {
    for message in pinned() {
        for cut in 0..message.len() {
            read(&message[..cut], 4);
        }
    }
}

#[test]
fn a_length_that_promises_gigabytes_reserves_nothing() {
    // FromAgent.report, of 4 GiB − 1; then outcomes of as much.
    read(&[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x32, 0xff, 0xff, 0xff, 0xff, 0x0f], 40_000);
    assert!(outcomes::unpack(&[], 40_000).is_err());
}

#[test]
fn messages_nested_a_thousand_deep_are_refused() {
    let mut bytes = Vec::new();
    for _ in 0..1_000 {
        let mut outer = vec![0x12];
        prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
        outer.extend(bytes);
        bytes = outer;
    }
    read(&bytes, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn random_bytes_are_read_to_an_end(
        bytes in proptest::collection::vec(any::<u8>(), 0..2_000),
        expected in 0usize..50,
    ) {
        read(&bytes, expected);
    }

    #[test]
    fn broken_messages_are_read_to_an_end(
        which in any::<proptest::sample::Index>(),
        breaks in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        doubled in any::<bool>(),
    ) {
        let pinned = pinned();
        let mut bytes = which.get(&pinned).clone();
        for (at, byte) in breaks {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if doubled {
            bytes.extend_from_within(..);
        }
        read(&bytes, 4);
    }

    #[test]
    fn a_round_of_any_length_survives_its_report(latencies_us in proptest::collection::vec(0u64..10_000_000, 0..500)) {
        let round: Vec<Outcome> = latencies_us
            .iter()
            .map(|us| Outcome::Reached { latency: Duration::from_micros(us / 100 * 100) })
            .collect();
        let report = v1::Report { outcomes: outcomes::pack(&round), ..v1::Report::default() };
        let read = v1::Report::decode(report.encode_to_vec().as_slice()).unwrap();
        prop_assert!(read.outcomes.len() <= 4 * round.len());
        prop_assert_eq!(outcomes::unpack(&read.outcomes, round.len()), Ok(round));
    }
}
