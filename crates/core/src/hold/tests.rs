//! R14 on timelines.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::tests::timeline::{World, named};

/// State, scopes and by whose earlier word.
fn held(world: &World, entry_point: &str) -> (&'static str, String, String) {
    let verdict = world.on_entry(entry_point);
    let scopes: Vec<String> = verdict.unreachable.union(&verdict.blocked).map(ToString::to_string).collect();
    (verdict.state().as_str(), scopes.join(" "), named(&world.fleet, verdict.held.iter().copied()))
}

const FLEET: &str = "t NL\na RU\nb RU\nc DE\nd FI";
/// a and b lose t in the second round, and fall silent after the fifth.
const LOST: &str = "
    a>t . x x x x . . . .
    b>t . x x x x . . . .
    a   . . . . . - - - -
    b   . . . . . - - - -";

#[test]
fn a_verdict_is_held_through_silence() {
    let mut world = World::new(FLEET);
    let film = world.play(LOST);
    assert_eq!(
        film.state("t/tls"),
        "clear clear clear unreachable unreachable unreachable unreachable unreachable unreachable"
    );
    assert_eq!(held(&world, "t/tls"), ("unreachable", "RU fleet".into(), "a b".into()));
}

#[test]
fn it_lapses_one_millisecond_after_hold_for() {
    let mut world = World::new(FLEET);
    world.play(LOST);
    world.evaluate(300_000 + 900_000);
    assert_eq!(held(&world, "t/tls").0, "unreachable");
    world.evaluate(300_000 + 900_001);
    assert_eq!(held(&world, "t/tls"), ("clear", String::new(), String::new()));
}

#[test]
fn one_success_breaks_what_is_held() {
    let mut world = World::new(FLEET);
    world.play(LOST);
    world.report(600_000, "a", "t . b . c . d .");
    world.evaluate(600_000);
    assert_eq!(held(&world, "t/tls"), ("clear", String::new(), String::new()));
}

#[test]
fn a_single_failure_after_silence_goes_on_with_the_series() {
    let mut world = World::new(FLEET);
    world.play(LOST);
    world.report(600_000, "a", "t x b . c . d .");
    world.evaluate(600_000);
    let verdict = world.on_entry("t/tls");
    assert_eq!(named(&world.fleet, verdict.accusers.iter().map(|accuser| accuser.witness)), "a");
    assert_eq!(held(&world, "t/tls"), ("unreachable", "RU fleet".into(), "b".into()));
}

#[test]
fn a_scope_that_did_not_stand_is_not_made_by_held_pairs() {
    // Alone, a and b are a quorum of RU and, with c and d vouching, half of the fleet; e makes it less than half.
    let mut world = World::new("t NL\na RU\nb RU\nc DE\nd FI\ne PL");
    world.play(LOST);
    assert_eq!(held(&world, "t/tls").1, "RU");
    // e loses it too: three of five with the held pairs, but the fleet did not stand.
    world.play("a - - -\nb - - -\ne>t x x x");
    assert_eq!(held(&world, "t/tls"), ("unreachable", "RU".into(), "a b".into()));
}

#[test]
fn held_pairs_alone_make_no_verdict() {
    // a accused while b still vouched; b's failures begin when a is silent already.
    let mut world = World::new("t NL\na RU\nb DE\nc FI");
    let film = world.play(
        "a>t . x x x x . . . .
         a   . . . . . - - - -
         b>t . . . . . . x x x
         c>t . . . . ? ? ? ? ?",
    );
    assert_eq!(film.status("t").split(' ').next_back(), Some("marked"));
    assert_eq!(held(&world, "t/tls"), ("pair_broken", String::new(), String::new()));
}

#[test]
fn a_verdict_survives_the_discredit_of_its_witnesses() {
    let mut world = World::new(FLEET);
    let film = world.play(
        "a>t . x x x x x
         b>t . x x x x x
         a>c . . . . . x
         a>d . . . . . x
         b>c . . . . . x
         b>d . . . . . x",
    );
    assert_eq!(film.status("t"), "ok ok ok unreachable unreachable unreachable");
    assert_eq!(held(&world, "t/tls").2, "a b");
}

#[test]
fn a_country_cut_holds_beyond_hold_for() {
    // RU loses t, then its border closes; ten rounds on, the border is as closed as it was.
    let mut world = World::new("t NL\na RU\nb RU\nc DE\nd FI");
    world.play("a>t . x x x x\nb>t . x x x x");
    let closed = "
        a>* x x x x x x x x x x x x x x x x x
        b>* x x x x x x x x x x x x x x x x x
        a>b . . . . . . . . . . . . . . . . .
        b>a . . . . . . . . . . . . . . . . .";
    world.play(closed);
    assert_eq!(world.rounds, 22, "1020 s after the last counted failure");
    assert_eq!(world.evaluator.verdicts().cuts.len(), 1);
    assert_eq!(held(&world, "t/tls"), ("unreachable", "RU fleet".into(), "a b".into()));
    assert!(world.on_entry("t/tls").lapsed.iter().all(|lapse| !lapse.within_hold));
    // The border opens for everybody else: believed again, so t's failures count afresh, and the old series begin anew.
    world.play("a>t x\nb>t x");
    assert_eq!(held(&world, "t/tls").0, "clear");
}

#[test]
fn down_remembers_what_stood_and_does_not_show_it() {
    let mut world = World::new(FLEET);
    let film = world.play(
        "a>t . x x x x x x
         b>t . x x x x x x
         t   . . . . D D .",
    );
    assert_eq!(film.state("t/tls"), "clear clear clear unreachable down down unreachable");
}

#[test]
fn what_is_contested_remembers_its_scopes() {
    // Both a and b accuse t first. Then NL accuses RU as well: quorum against quorum.
    let mut world = World::new("t NL\nu NL\na RU\nb RU\nx DE\ny FI\nz PL");
    world.play("a>t . x x x x x\nb>t . x x x x x\na>u . x x x x x\nb>u . x x x x x");
    assert_eq!(held(&world, "t/tls").0, "unreachable");
    let against = "a>t x x x\nb>t x x x\na>u x x x\nb>u x x x\nt>a x x x\nt>b x x x\nu>a x x x\nu>b x x x";
    world.play(against);
    assert_eq!(held(&world, "t/tls").0, "contested");
    assert!(!world.ledger.standing(world.entry("t/tls")).unreachable.is_empty());
    // NL sees RU again: what stood is shown again, by the quorum that never left.
    world.play("a>t x\nb>t x\na>u x\nb>u x");
    assert_eq!(held(&world, "t/tls").0, "unreachable");
}

#[test]
fn blocked_is_held_by_the_verifier_whose_word_it_was() {
    let mut world = World::new("t NL\nv RU verifier\nc DE\nd FI");
    world.play("v>t . x x x x . . . .\nv . . . . . - - - -");
    assert_eq!(held(&world, "t/tls"), ("blocked", "RU".into(), "v".into()));
    world.evaluate(300_000 + 900_001);
    assert_eq!(held(&world, "t/tls").0, "clear");
}

#[test]
fn blocked_falls_when_another_verifier_of_the_country_reaches_it() {
    let mut world = World::new("t NL\nv1 RU verifier\nv2 RU verifier\nc DE\nd FI");
    world.play("v1>t . x x x x . . . .\nv1 . . . . . - - - -\nv2>t ? ? ? ? ? ? ? ? ?");
    assert_eq!(held(&world, "t/tls").0, "blocked");
    world.play("v1 -");
    assert_eq!(held(&world, "t/tls").0, "clear");
}

#[test]
fn a_server_that_becomes_a_verifier_is_blocked_no_more() {
    let mut world = World::new("t NL\nv RU verifier\nc DE\nd FI");
    world.play("v>t . x x x x . . . .\nv . . . . . - - - -");
    world.becomes("t NL verifier\nv RU verifier\nc DE\nd FI", 541_000);
    world.evaluate(541_000);
    assert_eq!(held(&world, "t/tls").0, "clear");
}

#[test]
fn a_disabled_witness_holds_nothing() {
    let mut world = World::new(FLEET);
    world.play(LOST);
    world.becomes("t NL\na RU disabled\nb RU\nc DE\nd FI", 541_000);
    world.evaluate(541_000);
    assert_eq!(held(&world, "t/tls").0, "clear");
}
