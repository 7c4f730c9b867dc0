//! One ring: all servers sorted by a hash, each watched by the next.
//!
//! So everyone watches exactly one on each ring, which keeps shares even: with every target choosing its five witnesses
//! by hash alone, one in seven of 200 witnesses gets two targets or fewer, too few to judge itself by (R3). A server that
//! joins slips between two others, and nobody else notices.
//!
//! Where the next one will not do (it watches the target already, or from a site that does), the target changes places
//! with one further on that both can serve: shares stay even.

use alloc::vec::Vec;

use super::town::Town;
use crate::fleet::ServerIx;

/// How far to look for a witness of another site. Where a fleet has so few sites that sixteen in a row bring no new one,
/// a second witness of a site is better than none.
const NEW_SITE_WITHIN: usize = 16;

/// (witness, target) for every target that `lacks` one, as far as there are any.
pub(super) fn neighbours(
    town: &Town<'_>,
    order: &[ServerIx],
    lacks: impl Fn(ServerIx) -> bool,
) -> Vec<(ServerIx, ServerIx)> {
    let count = order.len();
    let mut witness_of: Vec<ServerIx> = (0..count).map(|at| order[(at + 1) % count]).collect();
    let may = |witness: ServerIx, at: usize| !lacks(order[at]) || town.may_watch(witness, order[at]);
    let may_well =
        |witness: ServerIx, at: usize| !lacks(order[at]) || may(witness, at) && town.is_new_site(witness, order[at]);
    for at in 0..count {
        let next = |within: usize| (1..count.min(within + 1)).map(move |step| (at + step) % count);
        let mine = witness_of[at];
        if may_well(mine, at) {
            continue;
        }
        let well = |other: &usize| may_well(witness_of[*other], at) && may_well(mine, *other);
        let other = next(NEW_SITE_WITHIN).find(well).or_else(|| {
            let barely = |other: &usize| may(witness_of[*other], at) && may(mine, *other);
            if may(mine, at) { None } else { next(count).find(barely) }
        });
        if let Some(other) = other {
            witness_of.swap(at, other);
        }
    }
    let pairs = witness_of.into_iter().zip(order.iter().copied());
    pairs.filter(|(witness, target)| lacks(*target) && town.may_watch(*witness, *target)).collect()
}
