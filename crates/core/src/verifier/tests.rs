//! R9 on timelines.

use crate::tests::timeline::{World, named};
use crate::words;

fn blocked(world: &World, entry_point: &str) -> alloc::string::String {
    let verdict = world.on_entry(entry_point);
    alloc::format!("{}: {}", verdict.state().as_str(), words::scopes(&verdict.blocked))
}

#[test]
fn a_verifier_alone_decides_a_pair() {
    let mut world = World::new("a NL\nb DE\nv RU verifier");
    let film = world.play("v>a . x x x x");
    assert_eq!(film.state("a/tls"), "clear clear clear blocked blocked");
    assert_eq!(blocked(&world, "a/tls"), "blocked: in RU");
    assert_eq!(named(&world.fleet, world.on_entry("a/tls").blocked_by.iter().copied()), "v");
}

#[test]
fn a_verifier_without_a_country_blocks_in_the_whole_fleet() {
    let mut world = World::new("a NL\nb DE\nv verifier");
    world.play("v>a . x x x x");
    assert_eq!(blocked(&world, "a/tls"), "blocked: in the whole fleet");
}

#[test]
fn another_verifier_of_the_same_country_contradicts_and_one_elsewhere_does_not() {
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 RU verifier");
    world.play("v1>a . x x x x");
    assert_eq!(world.on_entry("a/tls").state().as_str(), "pair_broken");
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 IR verifier");
    world.play("v1>a . x x x x");
    assert_eq!(world.on_entry("a/tls").state().as_str(), "blocked");
    let mut world = World::new("a NL\nb DE\nv1 verifier\nv2 verifier");
    world.play("v1>a . x x x x");
    assert_eq!(world.on_entry("a/tls").state().as_str(), "pair_broken", "both have no country");
}

#[test]
fn an_ordinary_server_against_a_verifier_means_nothing_by_itself() {
    let mut world = World::new("a NL\nb DE\nc FI\nv RU verifier");
    world.play("a>v . x x x x");
    let verdict = world.on_entry("v/tls");
    assert_eq!((verdict.accusers.len(), verdict.marks.len(), verdict.state().as_str()), (1, 0, "clear"));
}

#[test]
fn ordinary_servers_together_may_find_a_verifier_unreachable() {
    let mut world = World::new("a NL\nb DE\nc FI\nv RU verifier");
    world.play("*>v . x x x x");
    assert_eq!(world.on_entry("v/tls").state().as_str(), "unreachable");
}

#[test]
fn votes_of_those_whom_the_verifier_cannot_see_are_void() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL\nv RU verifier");
    world.play("*>v . x x x x\nc>v . . . . .\nd>v . . . . .\nv>a . x x x x\nv>b . x x x x");
    let verdict = world.on_entry("v/tls");
    assert_eq!(named(&world.fleet, verdict.void.iter().copied()), "a b");
    assert_eq!((verdict.accusers.len(), verdict.against_sites.len(), verdict.state().as_str()), (0, 0, "clear"));
    assert_eq!(world.on_entry("a/tls").state().as_str(), "blocked");
}

#[test]
fn a_verifier_that_sees_another_entry_point_does_not_void_the_vote() {
    let mut world = World::new("a NL x:tcp4 y:tcp4\nb DE\nc FI\nv RU verifier");
    world.play("a>v . x x x x\nv>a/x . x x x x");
    let verdict = world.on_entry("v/tls");
    assert_eq!((verdict.void.len(), verdict.accusers.len()), (0, 1));
}

#[test]
fn between_two_verifiers_it_is_an_ordinary_pair() {
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 IR verifier");
    world.play("v1>v2 . x x x x");
    assert_eq!(world.on_entry("v2/tls").state().as_str(), "pair_broken");
}

#[test]
fn a_server_that_is_down_is_not_blocked() {
    let mut world = World::new("a NL\nb DE\nv RU verifier");
    world.play("v>a . x x x x\na . D D D D");
    assert_eq!(blocked(&world, "a/tls"), "down: nobody");
}

#[test]
fn a_discredited_verifier_decides_nothing_until_its_next_credible_round() {
    let mut world = World::new("a NL\nb DE\nc FI\nv RU verifier");
    // In the fifth round v sees one of three.
    let film = world.play(
        "v>a . x x x x x
         v>b . . . . x .
         v>c . . . . . .",
    );
    assert_eq!(film.state("a/tls"), "clear clear clear blocked blocked blocked", "held while discredited");
    let mut world = World::new("a NL\nb DE\nc FI\nv RU verifier");
    let film = world.play(
        "v>a . x x x x x
         v>b . . x x x .
         v>c . . . . . .",
    );
    assert_eq!(film.state("a/tls"), "clear clear clear clear clear clear", "never a voter with a full series");
}

#[test]
fn a_server_sees_another_while_it_sees_any_of_its_entry_points() {
    let mut world = World::new("a NL x:tcp4 y:udp4\nb DE\nv RU verifier");
    world.play("v>a/x . x x x x\na>v . x x x x");
    assert_eq!(world.on_entry("a/x").state().as_str(), "blocked");
    assert_eq!(world.on_entry("v/tls").accusers.len(), 1, "v sees a/y, so a's vote is not void");
}
