#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::fleet::{EntryPointSpec, ServerSpec};
use crate::lane::Lane;

fn fleet(weights: &[(&str, u32)]) -> Fleet {
    let servers = weights
        .iter()
        .map(|(id, weight)| ServerSpec {
            id: (*id).to_string(),
            country: None,
            site: None,
            verifier: false,
            intent: crate::fleet::Intent::Active,
            entry_points: vec![EntryPointSpec {
                id: format!("{id}/tls"),
                lane: Lane::Tcp4,
                address: None,
                probe: None,
                upstreams: vec![],
                weight: *weight,
            }],
        })
        .collect();
    Fleet::new(servers, vec![]).unwrap()
}

fn ids(fleet: &Fleet, picked: &[EntryIx]) -> Vec<String> {
    picked.iter().map(|ix| fleet.entry_point(*ix).id.clone()).collect()
}

#[test]
fn the_hash_is_siphash_2_4_as_its_authors_pinned_it() {
    // The example of the paper's appendix A: the bytes 00 … 0e under the key 00 … 0f.
    let mut hasher = SipHasher24::new_with_key(&KEY);
    hasher.write(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    assert_eq!(hasher.finish(), 0xa129_ca61_49be_45e5);
    assert_eq!(SipHasher24::new_with_key(&KEY).finish(), 0x726f_db47_dd0e_0e31);
}

#[test]
fn scores_are_pinned_to_the_bit() {
    for (subscriber, entry_point, weight, bits) in PINNED {
        let score = score(subscriber, entry_point, weight);
        assert_eq!(
            score.to_bits(),
            bits,
            "{subscriber} {entry_point} {weight}: {score:?} is {:#018x}",
            score.to_bits()
        );
    }
}

const PINNED: [(&str, &str, u32, u64); 6] = [
    ("alice", "nl-1/tls", 1, 0x400a_57e7_6bba_edf6),
    ("alice", "nl-1/tls", 100, 0x4074_94ac_cc2a_09e8),
    ("alice", "de-1/quic", 1, 0x3ffa_72c5_7256_0509),
    ("", "nl-1/tls", 1, 0x3ffd_0929_56c1_17da),
    ("Борис", "ru-1/tls", 7, 0x401c_c3f6_c931_d8a7),
    ("bob", "nl-1/tls", u32::MAX, 0x41f7_53c5_88d2_7b37),
];

#[test]
fn the_order_of_a_small_route_is_pinned() {
    let fleet = fleet(&[("de-1", 1), ("fi-1", 1), ("nl-1", 1), ("pl-1", 1)]);
    let all: Vec<EntryIx> = fleet.entry_ixs().collect();
    let order = |subscriber| ids(&fleet, &pick(&fleet, subscriber, &all)).join(" ");
    expect_test::expect!["nl-1/tls de-1/tls pl-1/tls fi-1/tls"].assert_eq(&order("alice"));
    expect_test::expect!["fi-1/tls pl-1/tls de-1/tls nl-1/tls"].assert_eq(&order("bob"));
}

#[test]
fn where_the_candidates_stand_in_the_list_does_not_matter() {
    let fleet = fleet(&[("a", 1), ("b", 2), ("c", 3)]);
    let mut all: Vec<EntryIx> = fleet.entry_ixs().collect();
    let picked = pick(&fleet, "alice", &all);
    all.reverse();
    assert_eq!(pick(&fleet, "alice", &all), picked);
    assert!(pick(&fleet, "alice", &[]).is_empty());
}

#[test]
fn the_lowest_and_the_highest_lot_have_a_finite_score() {
    assert!(fraction(0) > 0.0);
    for high in [u64::MAX, u64::MAX - 1_023, u64::MAX - 1_024, u64::MAX - 4_000] {
        assert!(fraction(high) < 1.0, "{high}");
        let score = 1.0 / -libm::log(fraction(high));
        assert!(score.is_finite() && score > 0.0, "{high}: {score}");
    }
}

#[test]
fn subscribers_share_out_by_weight() {
    let fleet = fleet(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]);
    let all: Vec<EntryIx> = fleet.entry_ixs().collect();
    let mut firsts = [0u32; 4];
    for subscriber in 0..10_000 {
        firsts[pick(&fleet, &format!("s{subscriber}"), &all)[0].at()] += 1;
    }
    // Four standard deviations of a binomial are under 200.
    for (first, share) in firsts.iter().zip([1_000, 2_000, 3_000, 4_000u32]) {
        assert!(first.abs_diff(share) < 200, "{firsts:?}");
    }
}

#[test]
fn an_entry_point_with_another_weight_takes_only_for_itself() {
    let (light, heavy) = (fleet(&[("a", 1), ("b", 1), ("c", 1)]), fleet(&[("a", 1), ("b", 1), ("c", 3)]));
    let all: Vec<EntryIx> = light.entry_ixs().collect();
    for subscriber in 0..500 {
        let subscriber = format!("s{subscriber}");
        let (before, after) = (pick(&light, &subscriber, &all)[0], pick(&heavy, &subscriber, &all)[0]);
        assert!(before == after || after.at() == 2);
    }
}

proptest! {
    #[test]
    fn only_those_whose_entry_point_left_are_moved(
        subscriber in ".{0,20}",
        weights in proptest::collection::vec(1u32..50, 2..20),
        leaves in any::<proptest::sample::Index>(),
        k in 1usize..5,
    ) {
        let names: Vec<String> = (0..weights.len()).map(|n| format!("s{n:02}")).collect();
        let specs: Vec<(&str, u32)> = names.iter().map(String::as_str).zip(weights).collect();
        let fleet = fleet(&specs);
        let all: Vec<EntryIx> = fleet.entry_ixs().collect();
        let gone = all[leaves.index(all.len())];
        let before = pick(&fleet, &subscriber, &all);
        let left: Vec<EntryIx> = all.iter().copied().filter(|ix| *ix != gone).collect();
        let after = pick(&fleet, &subscriber, &left);
        let without: Vec<EntryIx> = before.iter().copied().filter(|ix| *ix != gone).collect();
        prop_assert_eq!(&after, &without);
        if !before[..k.min(before.len())].contains(&gone) {
            prop_assert_eq!(&before[..k.min(left.len())], &after[..k.min(left.len())]);
        }
    }

    #[test]
    fn every_score_is_positive_and_finite(subscriber in ".{0,20}", id in ".{1,20}", weight in 1u32..) {
        let score = score(&subscriber, &id, weight);
        prop_assert!(score.is_finite() && score > 0.0);
    }
}
