//! Between the numbers of the product and those of a database, which has signed ones only.

use quorate_core::time::Moment;

use super::error::Failure;
use crate::limits::TEXT_BYTES_MAX;

pub(super) fn ms(moment: Moment) -> i64 {
    i64::try_from(moment.as_ms()).expect("a moment has 48 bits")
}

pub(super) fn moment(ms: i64) -> Moment {
    Moment::from_ms(unsigned(ms))
}

/// Rows hold no negative numbers; one written by hand reads as zero.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A bound of a query: what lies beyond the largest number finds what the largest number finds.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A number that is stored, and so must fit.
pub(super) fn number(what: &'static str, number: u64) -> Result<i64, Failure> {
    i64::try_from(number).map_err(|_| Failure::TooLarge { what, size: number, limit: i64::MAX as u64 })
}

/// Text of somebody else's making: PostgreSQL takes no NUL, and no row grows without bound.
pub(super) fn text(words: &str) -> String {
    let mut end = words.len().min(TEXT_BYTES_MAX);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words[..end].replace('\0', "\u{fffd}")
}

/// Exactly 32 bytes.
pub(super) fn hash(what: &str, bytes: &[u8]) -> Result<[u8; 32], Failure> {
    bytes.try_into().map_err(|_| Failure::corrupt(what, "a hash has 32 bytes"))
}
