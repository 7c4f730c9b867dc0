use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::Servers;
use crate::fleet::ServerIx;

proptest! {
    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else(chosen in prop::collection::btree_set(0..40_u32, 0..40)) {
        let chosen: BTreeSet<ServerIx> = chosen.into_iter().map(ServerIx).collect();
        let set: Servers = chosen.iter().copied().collect();
        prop_assert_eq!(set.iter().collect::<Vec<_>>(), chosen.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!((set.len(), set.is_empty()), (chosen.len(), chosen.is_empty()));
        for server in (0..41).map(ServerIx) {
            prop_assert_eq!(set.contains(server), chosen.contains(&server));
        }
    }
}

#[test]
fn neighbours_are_one_run() {
    let set: Servers = [0, 1, 2, 4, 5].into_iter().map(ServerIx).collect();
    assert_eq!(set.runs.len(), 2);
}
