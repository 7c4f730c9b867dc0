#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;

use super::*;

const fn reached_us(us: u64) -> Outcome {
    Outcome::Reached { latency: Duration::from_micros(us) }
}

fn failed(operation: Operation, kind: FailureKind, after_ms: u64, bytes: u32) -> Outcome {
    Outcome::Failed(Failure { operation, kind, after: Duration::from_millis(after_ms), bytes })
}

#[test]
fn the_packed_form_is_pinned() {
    let outcomes = [
        reached_us(0),
        reached_us(61_200),
        failed(Operation::TlsHandshake, FailureKind::Timeout, 8_000, 0),
        failed(Operation::Read, FailureKind::Timeout, 15_000, 16_384),
        Outcome::Inconclusive(Reason::NotRun),
    ];
    let packed = pack(&outcomes);
    assert_eq!(
        packed,
        [0x00, 0x90, 0x13, 0x09, 3, 0xc0, 0x3e, 0x00, 0x15, 3, 0x98, 0x75, 0x80, 0x80, 0x01, 0x16],
        "the wire of version 1 has changed"
    );
    assert_eq!(unpack(&packed, outcomes.len()).unwrap(), outcomes);
}

#[test]
fn a_reached_pair_takes_two_bytes_up_to_409_ms_and_never_more_than_four() {
    for (latency_us, bytes) in [(3_100, 1), (3_200, 2), (409_500, 2), (409_600, 3), (52_428_800, 4), (u64::MAX, 4)] {
        assert_eq!(pack(&[reached_us(latency_us)]).len(), bytes, "{latency_us} us");
    }
}

#[test]
fn latencies_are_kept_to_a_tenth_of_a_millisecond_up_to_their_limit() {
    let max_us = u64::try_from(LATENCY_MAX.as_micros()).unwrap();
    for (us, kept_us) in [(99, 0), (100, 100), (12_399, 12_300), (max_us, max_us), (max_us + 100, max_us)] {
        assert_eq!(unpack(&pack(&[reached_us(us)]), 1).unwrap(), [reached_us(kept_us)]);
    }
}

#[test]
fn the_time_to_a_failure_saturates() {
    let endless = Outcome::Failed(Failure {
        operation: Operation::Connect,
        kind: FailureKind::Timeout,
        after: Duration::MAX,
        bytes: u32::MAX,
    });
    let kept = failed(Operation::Connect, FailureKind::Timeout, u64::from(u32::MAX), u32::MAX);
    let packed = pack(&[endless]);
    assert_eq!(packed.len(), 12);
    assert_eq!(unpack(&packed, 1).unwrap(), [kept]);
}

#[test]
fn a_kind_or_reason_of_a_newer_build_is_unknown() {
    let kind = unpack(&[0x05, 200, 7, 0], 1).unwrap();
    assert_eq!(kind, [failed(Operation::Connect, FailureKind::Unknown, 7, 0)]);
    let reason = unpack(&[0x82, 0x06], 1).unwrap();
    assert_eq!(reason, [Outcome::Inconclusive(Reason::Unknown)]);
}

#[test]
fn a_failure_of_a_step_that_nobody_can_name_is_no_evidence() {
    let outcomes = unpack(&[0xa1, 0x01, 3, 7, 0, 0x00], 2).unwrap();
    assert_eq!(outcomes, [Outcome::Inconclusive(Reason::Unknown), reached_us(0)]);
}

#[test]
fn every_code_survives() {
    for operation in Operation::ALL {
        for kind in FailureKind::ALL {
            let outcome = failed(*operation, *kind, 1, 2);
            assert_eq!(unpack(&pack(&[outcome]), 1).unwrap(), [outcome]);
        }
    }
    for reason in Reason::ALL {
        assert_eq!(pack(&[Outcome::Inconclusive(*reason)]).len(), 1);
        let outcome = Outcome::Inconclusive(*reason);
        assert_eq!(unpack(&pack(&[outcome]), 1).unwrap(), [outcome]);
    }
}

#[test]
fn what_does_not_fit_the_plan_is_refused() {
    assert_eq!(unpack(&[0, 0], 3), Err(UnpackError::Short { got: 2, expected: 3 }));
    assert_eq!(unpack(&[0, 0, 0], 2), Err(UnpackError::Surplus { left: 1, expected: 2 }));
    assert_eq!(unpack(&[0, 0x03], 2), Err(UnpackError::NoOutcome { at: 1 }));
    assert_eq!(unpack(&[0x80, 0x80, 0x80, 0x80, 0x10], 1), Err(UnpackError::Oversized { at: 0 }));
    assert_eq!(unpack(&[0xff; 64], 1), Err(UnpackError::Oversized { at: 0 }));
    assert_eq!(unpack(&[], Fleet::ENTRY_POINTS_MAX + 1), Err(UnpackError::TooMany(Fleet::ENTRY_POINTS_MAX + 1)));
    assert_eq!(unpack(&[], 0), Ok(Vec::new()));
}

#[test]
fn the_worst_round_of_the_largest_fleet_fits_a_report() {
    let worst = failed(Operation::Read, FailureKind::Unknown, u64::MAX, u32::MAX);
    assert!(pack(&vec![worst; Fleet::ENTRY_POINTS_MAX]).len() < crate::REPORT_BYTES_MAX * 3 / 4);
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        4 => (0..=LATENCY_UNITS_MAX).prop_map(|units| reached_us(u64::from(units) * LATENCY_UNIT_US)),
        2 => (
            proptest::sample::select(Operation::ALL),
            proptest::sample::select(FailureKind::ALL),
            any::<u32>(),
            any::<u32>(),
        )
            .prop_map(|(operation, kind, after_ms, bytes)| failed(operation, kind, u64::from(after_ms), bytes)),
        1 => proptest::sample::select(Reason::ALL).prop_map(Outcome::Inconclusive),
    ]
}

proptest! {
    #[test]
    fn what_is_packed_comes_back(outcomes in proptest::collection::vec(outcome(), 0..200)) {
        prop_assert_eq!(unpack(&pack(&outcomes), outcomes.len()), Ok(outcomes));
    }

    #[test]
    fn every_prefix_is_an_error(outcomes in proptest::collection::vec(outcome(), 1..20)) {
        let packed = pack(&outcomes);
        for cut in 0..packed.len() {
            let short = unpack(&packed[..cut], outcomes.len());
            prop_assert!(matches!(short, Err(UnpackError::Short { .. })), "{:?}", short);
        }
    }

    #[test]
    fn any_bytes_are_outcomes_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        expected in 0usize..100,
    ) {
        if let Ok(outcomes) = unpack(&bytes, expected) {
            prop_assert_eq!(outcomes.len(), expected);
        }
    }
}
