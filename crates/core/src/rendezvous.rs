//! R17 · Stable choice: which of a route's entry points a subscriber gets.
//!
//! Every entry point draws a lot for every subscriber, always the same one; the highest lots win. Nobody keeps a table:
//! any machine that knows the names finds the same winners. When an entry point leaves, only those who had it move, and
//! when one comes, only those who draw it.
//!
//! A lot is h = SipHash-2-4 (key 00 01 … 0f) of the subscriber, a zero byte and the entry point's id; its score is
//! weight / −ln((h + 0.5) / 2^64), which makes the chance to be first proportional to the weight. The logarithm is
//! `libm`'s, never the platform's, and every other step is exact or rounded as IEEE 754 says, so all machines agree to the
//! last bit; the tests pin some scores.
//!
//! Two ids that draw the same score are told apart by their order.

use alloc::vec::Vec;
use core::hash::Hasher as _;

use siphasher::sip::SipHasher24;

use crate::fleet::{EntryIx, Fleet};

#[cfg(test)]
mod tests;

const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The largest number below 1 that an `f64` holds, 1 − 2^−53.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// The candidates as this subscriber gets them, best first. Who gets k of them takes the first k.
pub fn pick(fleet: &Fleet, subscriber: &str, candidates: &[EntryIx]) -> Vec<EntryIx> {
    let mut lots: Vec<(f64, EntryIx)> = candidates
        .iter()
        .map(|ix| {
            let entry_point = fleet.entry_point(*ix);
            (score(subscriber, &entry_point.id, entry_point.weight), *ix)
        })
        .collect();
    // Indices are in the order of ids.
    lots.sort_by(|(a, a_ix), (b, b_ix)| b.total_cmp(a).then(a_ix.cmp(b_ix)));
    lots.into_iter().map(|(_, ix)| ix).collect()
}

/// The score of one entry point for one subscriber: positive and finite for every weight of at least 1.
pub fn score(subscriber: &str, entry_point: &str, weight: u32) -> f64 {
    f64::from(weight) / -libm::log(fraction(lot(subscriber, entry_point)))
}

/// What an entry point draws for a subscriber.
fn lot(subscriber: &str, entry_point: &str) -> u64 {
    let mut hasher = SipHasher24::new_with_key(&KEY);
    hasher.write(subscriber.as_bytes());
    hasher.write(&[0]);
    hasher.write(entry_point.as_bytes());
    hasher.finish()
}

/// (h + 0.5) / 2^64, strictly between 0 and 1.
///
/// The 1,024 highest lots would round to 1, whose logarithm is 0 and whose score is no number that weights could be told
/// apart by: they count as the largest number below 1.
#[allow(clippy::cast_precision_loss, reason = "IEEE 754 says how it rounds: to nearest, ties to even, everywhere")]
fn fraction(lot: u64) -> f64 {
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    ((lot as f64 + 0.5) / TWO_TO_64).min(BELOW_ONE)
}
