//! R11: the strongest word, and the others beside it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::tests::timeline::World;

fn conditions(world: &World, id: &str) -> String {
    let words: Vec<&str> = world.on_server(id).conditions.iter().map(|status| status.as_str()).collect();
    words.join(" ")
}

const FLEET: &str = "a NL x:tcp4 y:tcp4\nb DE\nc FI\nd PL\nv RU verifier";

#[test]
fn all_entry_points_unreachable_is_unreachable_and_some_is_degraded() {
    let mut world = World::new(FLEET);
    world.play("*>a/x . x x x x\nv>a/x . . . . .");
    assert_eq!(conditions(&world, "a"), "degraded");
    world.play("*>a x x x x\nv>a . . . .");
    assert_eq!(conditions(&world, "a"), "unreachable degraded");
}

#[test]
fn one_unreachable_and_one_blocked_is_blocked() {
    let mut world = World::new(FLEET);
    world.play("*>a/x . x x x x\nv>a/y . x x x x");
    assert_eq!(conditions(&world, "a"), "blocked degraded");
}

#[test]
fn unreachable_outranks_blocked() {
    let mut world = World::new(FLEET);
    world.play("*>a . x x x x");
    assert_eq!(conditions(&world, "a"), "unreachable blocked degraded");
}

#[test]
fn down_outranks_what_others_say_and_silence_is_kept_beside_it() {
    let mut world = World::new(FLEET);
    world.play("a D - - - - -\n*>a . x x x x x");
    assert_eq!(conditions(&world, "a"), "down no_data");
}

#[test]
fn a_verdict_outranks_silence() {
    let mut world = World::new(FLEET);
    world.play("a . - - - - -\n*>a . x x x x x\nv>a . . . . . .");
    assert_eq!(conditions(&world, "a"), "unreachable degraded no_data");
}

#[test]
fn disabled_outranks_everything() {
    let mut world = World::new("a NL disabled\nb DE");
    world.play("a D D");
    assert_eq!(conditions(&world, "a"), "disabled down");
}

#[test]
fn pending_outranks_a_mark() {
    let mut world = World::new(FLEET);
    world.policy.stale_after = world.policy.hold_for;
    world.play("a - - - - -\nb>a . x x x x");
    assert_eq!(conditions(&world, "a"), "pending marked");
}

#[test]
fn nothing_is_ok() {
    let mut world = World::new(FLEET);
    world.play("a .");
    assert_eq!(conditions(&world, "a"), "ok");
}
