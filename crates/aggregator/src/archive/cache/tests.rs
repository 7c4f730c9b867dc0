use std::sync::Arc;
use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::policy::Policy;
use quorate_core::time::Moment;

use super::{Cache, Found, MOMENTS_MAX};
use crate::archive::Footing;
use crate::archive::base::Declared;
use crate::archive::past::Past;
use crate::inventory::Inventory;

fn at(ms: u64) -> Moment {
    Moment::from_ms(ms)
}

fn found(ms: u64) -> Arc<Found> {
    let fleet = Fleet::new(Vec::new(), Vec::new()).expect("nobody is a fleet");
    let ledger = Ledger::new(&fleet, at(ms));
    let (inventory, policies) = (Arc::new(Inventory::default()), vec![Policy::default()]);
    let declared = Declared { version: 1, inventory, fleet, policies };
    let past = Past::new(declared, &ledger, at(ms), 0, Duration::ZERO);
    Arc::new(Found { asked: Some(at(ms)), past, footing: Footing::Exact, from: at(ms), stopped_since: None })
}

#[test]
fn the_moment_that_nobody_asked_for_longest_goes_first() {
    let mut cache = Cache::default();
    for ms in 1..=MOMENTS_MAX as u64 {
        cache.keep(found(ms));
    }
    assert!(cache.get(at(1)).is_some());
    cache.keep(found(100));
    assert!(cache.get(at(2)).is_none());
    assert!(cache.get(at(1)).is_some() && cache.get(at(100)).is_some());
    assert_eq!(cache.kept.len(), MOMENTS_MAX);
}

#[test]
fn the_nearest_kept_moment_before_another_is_found_and_none_behind_it() {
    let mut cache = Cache::default();
    for ms in [10, 30, 20] {
        cache.keep(found(ms));
    }
    let before = |ms, span| cache.before(at(ms), Duration::from_millis(span)).map(|found| found.past.at().as_ms());
    assert_eq!(before(25, 100), Some(20));
    assert_eq!(before(30, 100), Some(30));
    assert_eq!(before(9, 100), None);
    assert_eq!(before(40, 10), Some(30));
    assert_eq!(before(41, 10), None);
}
