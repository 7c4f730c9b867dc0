//! Lanes and sets of them.

use super::{Lane, LaneSet};

#[test]
fn every_lane_comes_back_from_its_word_and_its_place() {
    for (ix, lane) in Lane::ALL.into_iter().enumerate() {
        assert_eq!(lane.as_str().parse(), Ok(lane));
        assert_eq!(lane.index(), ix);
        assert_eq!((lane.is_udp(), lane.is_ipv6()), (lane.as_str().starts_with("udp"), lane.as_str().ends_with('6')));
    }
    assert!("tcp".parse::<Lane>().is_err());
}

#[test]
fn a_set_holds_what_was_put_in_and_nothing_else() {
    let set: LaneSet = [Lane::Udp4, Lane::Tcp4, Lane::Udp4].into_iter().collect();
    assert_eq!(set.iter().collect::<alloc::vec::Vec<_>>(), [Lane::Tcp4, Lane::Udp4]);
    assert!(!set.contains(Lane::Tcp6) && !set.is_empty() && LaneSet::EMPTY.is_empty());
}
