use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::Row;
use crate::fleet::EntryIx;
use crate::policy::Policy;
use crate::streak::Pair;
use crate::time::Moment;

/// What happens to a pair.
#[derive(Debug, Clone, Copy)]
enum Op {
    Reached,
    Failed,
    Forgotten,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![Just(Op::Reached), Just(Op::Failed), Just(Op::Failed), Just(Op::Forgotten)]
}

proptest! {
    #[test]
    fn a_row_is_a_map_in_order(ops in prop::collection::vec((0..20_u32, op()), 0..200)) {
        let (mut row, mut map) = (Row::default(), BTreeMap::new());
        for (step, (entry_point, op)) in ops.into_iter().enumerate() {
            let (entry_point, at) = (EntryIx(entry_point), Moment::from_ms(1000 * step as u64));
            let before = map.get(&entry_point).copied().unwrap_or(Pair::UNKNOWN);
            prop_assert_eq!(row.get(entry_point), before);
            let after = match op {
                Op::Reached => before.reached(at),
                Op::Failed => before.failed(at, &Policy::default()),
                Op::Forgotten => Pair::UNKNOWN,
            };
            row.put(entry_point, after);
            if after == Pair::UNKNOWN {
                map.remove(&entry_point);
            } else {
                map.insert(entry_point, after);
            }
            prop_assert_eq!(row.iter().collect::<Vec<_>>(), map.clone().into_iter().collect::<Vec<_>>());
        }
        prop_assert_eq!(row.len(), map.len());
    }
}
