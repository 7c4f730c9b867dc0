//! Outcomes of a round, packed: what a report carries.
//!
//! A row of sealed envelopes without addresses: which entry point each belongs to is known from its place, which is its
//! place in the plan. So a reader must know how many to expect, and both a missing and a surplus byte are errors.
//!
//! Every outcome begins with a head, a little-endian base-128 number (the high bit of a byte says that another follows)
//! whose two lowest bits tell what it is; the rest of the head is its value:
//!
//! | bits | outcome | value | follows |
//! | --- | --- | --- | --- |
//! | 0 | reached | latency in 0.1 ms, rounded down, at most [`LATENCY_MAX`] | nothing |
//! | 1 | failed | code of the operation | code of the kind (one byte), after ms, bytes (base-128 each) |
//! | 2 | inconclusive | code of the reason | nothing |
//! | 3 | refused | | |
//!
//! A reached pair takes 1 to 4 bytes (2 from 3.2 ms to 409 ms), an inconclusive one 1, a failed one 4 to 12. A kind or
//! reason that this build does not know decodes as `Unknown`. So does a failure of an operation that it does not know:
//! it is inconclusive, because a step that nobody here can name is no evidence against anybody.

use core::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};

#[cfg(test)]
mod tests;

/// The longest latency that is told apart, 6,710.8863 s: 26 bits of 0.1 ms. Longer ones are packed as this one.
pub const LATENCY_MAX: Duration = Duration::from_micros(LATENCY_UNITS_MAX as u64 * LATENCY_UNIT_US);

/// The longest time to a failure that is told apart, 49.7 days. Longer ones are packed as this one.
pub const AFTER_MAX: Duration = Duration::from_millis(u32::MAX as u64);

/// Four bytes of base-128 hold 28 bits, two of which tell what it is.
const LATENCY_UNITS_MAX: u32 = (1 << 26) - 1;
const LATENCY_UNIT_US: u64 = 100;

const REACHED: u32 = 0;
const FAILED: u32 = 1;
const INCONCLUSIVE: u32 = 2;

/// Why packed outcomes were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The bytes end within or before an outcome.
    #[error("outcomes end after {got} of {expected}: the report was cut short, or follows another plan")]
    Short {
        /// Whole outcomes read.
        got: usize,
        /// Outcomes of the plan.
        expected: usize,
    },
    /// Bytes are left after the last outcome.
    #[error("{left} bytes follow the last of {expected} outcomes: the report follows another plan")]
    Surplus {
        /// Bytes too many.
        left: usize,
        /// Outcomes of the plan.
        expected: usize,
    },
    /// A number of more than 32 bits.
    #[error("outcome {at} holds a number of more than 32 bits")]
    Oversized {
        /// Place in the plan, from 0.
        at: usize,
    },
    /// A head that names no outcome.
    #[error("outcome {at} is of no known kind")]
    NoOutcome {
        /// Place in the plan, from 0.
        at: usize,
    },
    /// More outcomes are expected than there can be entry points.
    #[error("{0} outcomes are expected: at most 40000 are supported")]
    TooMany(usize),
}

/// Packs outcomes in the order of the plan.
pub fn pack(outcomes: &[Outcome]) -> Vec<u8> {
    // Most are reached, within 0.4 s.
    let mut packed = Vec::with_capacity(outcomes.len() * 2);
    for outcome in outcomes {
        match outcome {
            Outcome::Reached { latency } => put(&mut packed, REACHED | latency_units(*latency) << 2),
            Outcome::Failed(failure) => {
                put(&mut packed, FAILED | u32::from(failure.operation.code()) << 2);
                packed.push(failure.kind.code());
                put(&mut packed, u32::try_from(failure.after.as_millis()).unwrap_or(u32::MAX));
                put(&mut packed, failure.bytes);
            }
            Outcome::Inconclusive(reason) => put(&mut packed, INCONCLUSIVE | u32::from(reason.code()) << 2),
        }
    }
    packed
}

/// Unpacks exactly `expected_len` outcomes, the number of targets in the plan that the report names.
pub fn unpack(packed: &[u8], expected_len: usize) -> Result<Vec<Outcome>, UnpackError> {
    if expected_len > Fleet::ENTRY_POINTS_MAX {
        return Err(UnpackError::TooMany(expected_len));
    }
    let mut outcomes = Vec::with_capacity(expected_len.min(packed.len()));
    let mut rest = packed;
    for at in 0..expected_len {
        outcomes.push(take_outcome(&mut rest).map_err(|flaw| match flaw {
            Flaw::Short => UnpackError::Short { got: at, expected: expected_len },
            Flaw::Oversized => UnpackError::Oversized { at },
            Flaw::NoOutcome => UnpackError::NoOutcome { at },
        })?);
    }
    if rest.is_empty() { Ok(outcomes) } else { Err(UnpackError::Surplus { left: rest.len(), expected: expected_len }) }
}

/// An [`UnpackError`] without its place.
enum Flaw {
    Short,
    Oversized,
    NoOutcome,
}

fn take_outcome(rest: &mut &[u8]) -> Result<Outcome, Flaw> {
    let head = take(rest)?;
    let value = head >> 2;
    match head & 3 {
        REACHED => Ok(Outcome::Reached { latency: Duration::from_micros(u64::from(value) * LATENCY_UNIT_US) }),
        FAILED => {
            let kind = take_byte(rest)?;
            let after = Duration::from_millis(u64::from(take(rest)?));
            let bytes = take(rest)?;
            let kind = FailureKind::from_code(kind).unwrap_or(FailureKind::Unknown);
            Ok(match known(value, Operation::from_code) {
                Some(operation) => Outcome::Failed(Failure { operation, kind, after, bytes }),
                None => Outcome::Inconclusive(Reason::Unknown),
            })
        }
        INCONCLUSIVE => Ok(Outcome::Inconclusive(known(value, Reason::from_code).unwrap_or(Reason::Unknown))),
        _ => Err(Flaw::NoOutcome),
    }
}

fn known<T>(value: u32, from_code: fn(u8) -> Option<T>) -> Option<T> {
    u8::try_from(value).ok().and_then(from_code)
}

fn latency_units(latency: Duration) -> u32 {
    let units = latency.as_micros() / u128::from(LATENCY_UNIT_US);
    u32::try_from(units).unwrap_or(LATENCY_UNITS_MAX).min(LATENCY_UNITS_MAX)
}

fn put(packed: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Result<u32, Flaw> {
    let mut number = 0u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = take_byte(rest)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).map_err(|_| Flaw::Oversized);
        }
    }
    Err(Flaw::Oversized)
}

fn take_byte(rest: &mut &[u8]) -> Result<u8, Flaw> {
    let (first, others) = rest.split_first().ok_or(Flaw::Short)?;
    *rest = others;
    Ok(*first)
}
