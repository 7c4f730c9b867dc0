//! The order of a round: shuffled, with the handshakes of one SNI spread evenly over it.
//!
//! Each name's targets are dealt at equal distances around a clock face, from an hour drawn for the name; then the hand
//! goes round once. Targets whose name nobody shares are dealt as one pack.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::dice::Dice;

/// Targets (by their place in the plan, with the name that each shows) in the order in which to start them.
///
/// Of two neighbours of a name with m targets there are, for every other name with k targets, at least ⌊k / m⌋ of that
/// name between them.
pub(super) fn shuffled(dice: &mut Dice, targets: &[(usize, Option<&str>)]) -> Vec<usize> {
    let mut packs: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut unshared = Vec::new();
    for (target, name) in targets {
        match name {
            Some(name) => packs.entry(name).or_default().push(*target),
            None => unshared.push(*target),
        }
    }
    let mut dealt = Vec::with_capacity(targets.len());
    for pack in packs.into_values() {
        match pack.as_slice() {
            [alone] => unshared.push(*alone),
            _ => deal(dice, pack, &mut dealt),
        }
    }
    // By place in the plan, so that the order depends on the dice alone.
    unshared.sort_unstable();
    deal(dice, unshared, &mut dealt);
    dealt.sort_unstable();
    dealt.into_iter().map(|(_, target)| target).collect()
}

/// Places a pack at equal distances around a face of 2^32 parts times its length.
fn deal(dice: &mut Dice, mut pack: Vec<usize>, dealt: &mut Vec<(u64, usize)>) {
    if pack.is_empty() {
        return;
    }
    dice.shuffle(&mut pack);
    let hour = dice.below(1 << 32);
    let len = pack.len() as u64;
    dealt.extend(pack.into_iter().zip(0u64..).map(|(target, at)| (((at << 32) + hour) / len, target)));
}

/// When to start each of `count` probes within a part of `length_ms`, as offsets in ms, ascending: one in each of `count`
/// equal slots, in its first 30 %. So a gap between two is within 30 % of a slot of a slot, and no error adds up.
pub(super) fn slots(dice: &mut Dice, count: usize, length_ms: u64) -> Vec<u64> {
    /// Parts of a slot.
    const WHOLE: u64 = 1_000;
    const JITTER: u64 = 300;
    let mut slots = vec![0; count];
    for (slot, at) in slots.iter_mut().zip(0u64..) {
        *slot = length_ms * (at * WHOLE + dice.below(JITTER + 1)) / (count as u64 * WHOLE);
    }
    slots
}
