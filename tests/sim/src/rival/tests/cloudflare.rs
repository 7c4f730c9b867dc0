//! Cloudflare: three data centers a region, a majority of them, and a majority of regions.

use super::{Look, NOBODY, Play, fleet, seen_down, well};
use crate::rival::Kind;

/// Server 0, and three regions with three data centers each: 1 to 3, 4 to 6, 7 to 9.
fn three_regions() -> Play {
    let fleet = fleet(10, |number, server| {
        let region = ["AA", "AA", "AA", "AA", "BB", "BB", "BB", "CC", "CC", "CC"][number];
        server.country = Some(region.parse().expect("two capitals"));
    });
    Play::of(Kind::Cloudflare, &fleet)
}

#[test]
fn two_of_three_data_centers_in_two_of_three_regions_are_enough() {
    let mut play = three_regions();
    play.round(well);
    assert_eq!(play.round(seen_down(|witness| [1, 2, 4, 5].contains(&witness), 0)), [0], "at the first failure");
    assert_eq!(play.round(well), NOBODY, "and no longer than it lasts");
}

#[test]
fn a_region_more_or_less_makes_no_majority_of_data_centers() {
    let mut play = three_regions();
    // Five of nine data centers fail, but two of three regions pass.
    let looks = seen_down(|witness| [1, 2, 3, 4, 7].contains(&witness), 0);
    assert_eq!(play.rounds(5, looks).last(), Some(&NOBODY));
}

#[test]
fn a_region_asks_three_sites_and_no_more() {
    // One region: three servers at one site, and two sites of one server each.
    let fleet = fleet(6, |number, server| {
        server.country = Some("AA".parse().expect("two capitals"));
        if (1..=3).contains(&number) {
            server.site = Some("one".to_owned());
        }
    });
    let mut play = Play::of(Kind::Cloudflare, &fleet);
    assert_eq!(play.round(seen_down(|witness| witness <= 3, 0)), NOBODY, "three servers are one of three sites");
    assert_eq!(play.round(seen_down(|witness| witness >= 4, 0)), [0]);
}

#[test]
fn half_of_the_regions_are_no_majority() {
    let fleet = fleet(5, |number, server| {
        server.country = Some(["AA", "AA", "AA", "BB", "BB"][number].parse().expect("two capitals"));
    });
    let mut play = Play::of(Kind::Cloudflare, &fleet);
    assert_eq!(play.round(seen_down(|witness| witness <= 2, 0)), [0]);
}

#[test]
fn the_fallback_pool_is_used_whatever_its_health() {
    let mut play = three_regions();
    play.round(|_, _| Look::Down);
    assert_eq!(play.findings().removed.len(), 10);
    assert_eq!(play.findings().delivered[0].len(), 10);
}
