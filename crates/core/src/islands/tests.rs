//! Islands on timelines.

use alloc::string::String;
use alloc::vec::Vec;

use super::islands;
use crate::tests::timeline::{World, named};
use crate::verdict::Verdicts;

fn told(world: &World, verdicts: &Verdicts) -> String {
    let islands = islands(&world.fleet, verdicts);
    let named: Vec<String> = islands.iter().map(|island| named(&world.fleet, island.iter().copied())).collect();
    named.join(" | ")
}

/// What is told after each round.
fn film(fleet: &str, drawn: &str) -> Vec<String> {
    let mut world = World::new(fleet);
    let frames = world.play(drawn).frames;
    frames.iter().map(|frame| told(&world, frame)).collect()
}

const SIX: &str = "a NL\nb NL\nc NL\nd RU\ne RU\nf RU";

/// The bridge between a, b, c and d, e, f.
fn bridge(marks: &str) -> String {
    let pairs = ["a>d", "a>e", "a>f", "b>d", "b>e", "b>f", "c>d", "c>e", "c>f"];
    let both = pairs.iter().flat_map(|pair| [String::from(*pair), pair.chars().rev().collect()]);
    both.map(|pair| alloc::format!("{pair} {marks}\n")).collect()
}

#[test]
fn a_fleet_that_sees_itself_has_no_islands() {
    assert_eq!(film(SIX, "a>b ."), [""]);
}

#[test]
fn a_bridge_that_breaks_leaves_two_islands_when_the_last_successes_are_stale() {
    // Each sees two of five: nobody is believed, and no failure is ever counted.
    let told = film(SIX, &bridge(". x x x x x"));
    assert_eq!(told, ["", "", "", "", "a b c | d e f", "a b c | d e f"]);
}

#[test]
fn one_bad_round_makes_no_island() {
    assert_eq!(film(SIX, &bridge(". x . x . .")), ["", "", "", "", "", ""]);
}

#[test]
fn a_bridge_that_is_mended_ends_the_islands_at_once() {
    let told = film(SIX, &bridge(". x x x x ."));
    assert_eq!(told[4..], ["a b c | d e f", ""]);
}

#[test]
fn one_pair_that_sees_each_other_is_a_bridge() {
    let told = film(SIX, &alloc::format!("{}c>d . . . . . .\nd>c . . . . . .", bridge(". x x x x x")));
    assert_eq!(told[5], "");
}

#[test]
fn a_pair_that_is_broken_one_way_is_no_bridge() {
    let told = film(SIX, &alloc::format!("{}c>d . . . . . .", bridge(". x x x x x")));
    assert_eq!(told[5], "a b c | d e f");
}

#[test]
fn one_word_is_enough_where_the_other_side_was_not_asked() {
    let mut world = World::new("a NL\nb NL\nc RU\nd RU");
    for minute in 0..6 {
        let at = 60_000 * (minute + 1);
        world.report(at, "a", "b . c x");
        world.report(at, "b", "a . c .");
        world.report(at, "c", "d .");
        world.report(at, "d", "c . a x");
    }
    let verdicts = world.evaluate(361_000).clone();
    assert_eq!(told(&world, &verdicts), "", "b sees c, and nobody asked c");
}

#[test]
fn groups_that_nobody_probes_across_are_one() {
    let mut world = World::new("a NL\nb NL\nc RU\nd RU");
    for (witness, target) in [("a", "b ."), ("b", "a ."), ("c", "d ."), ("d", "c .")] {
        world.report(60_000, witness, target);
    }
    let verdicts = world.evaluate(61_000).clone();
    assert_eq!(told(&world, &verdicts), "");
}

#[test]
fn a_server_on_its_own_is_no_island() {
    let told = film("a NL\nb NL\nc NL\nd RU", "*>d . x x x x x\nd>* . x x x x x");
    assert_eq!(told[5], "");
}

#[test]
fn silent_and_disabled_servers_are_left_out() {
    let silent = film(SIX, &alloc::format!("{}e . - - - - -\nf . - - - - -", bridge(". x x x x x")));
    assert_eq!(silent[5], "", "d is the only one left over there");
    let disabled = film("a NL\nb NL\nc NL\nd RU\ne RU disabled\nf RU", &bridge(". x x x x x"));
    assert_eq!(disabled[5], "a b c | d f");
}

#[test]
fn three_banks_are_three_islands_the_largest_first() {
    let drawn = "
        a>c . x x x x x\na>d . x x x x x\nb>c . x x x x x\nb>d . x x x x x
        c>a . x x x x x\nd>a . x x x x x\nc>b . x x x x x\nd>b . x x x x x
        *>e . x x x x x\n*>f . x x x x x\n*>g . x x x x x\ne>* . x x x x x\nf>* . x x x x x\ng>* . x x x x x
        e>f . . . . . .\ne>g . . . . . .\nf>e . . . . . .\nf>g . . . . . .\ng>e . . . . . .\ng>f . . . . . .";
    assert_eq!(film("a\nb\nc\nd\ne\nf\ng", drawn)[5], "e f g | a b | c d");
}
