//! R10 on timelines.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::tests::timeline::World;

/// "a", or "a*" if the pair is broken both ways.
fn marks(world: &World, entry_point: &str) -> String {
    let marks = world.on_entry(entry_point).marks.iter();
    let words: Vec<String> = marks
        .map(|mark| format!("{}{}", world.fleet.server(mark.witness).id, if mark.mutual { "*" } else { "" }))
        .collect();
    words.join(" ")
}

#[test]
fn one_way_marks_the_side_that_is_not_reached() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL");
    world.play("a>b . x x x x");
    assert_eq!((marks(&world, "b/tls"), marks(&world, "a/tls")), ("a".into(), String::new()));
}

#[test]
fn both_ways_marks_both() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL");
    world.play("a>b . x x x x\nb>a . x x x x");
    assert_eq!((marks(&world, "b/tls"), marks(&world, "a/tls")), ("a*".into(), "b*".into()));
    assert_eq!((world.on_server("a").status.as_str(), world.on_server("b").status.as_str()), ("marked", "marked"));
}

#[test]
fn the_other_direction_is_broken_only_if_no_entry_point_is_seen() {
    let mut world = World::new("a NL x:tcp4 y:tcp4\nb DE\nc FI\nd PL");
    world.play("a>b . x x x x\nb>a/x . x x x x");
    assert_eq!((marks(&world, "b/tls"), marks(&world, "a/x")), ("a".into(), "b*".into()));
}

#[test]
fn what_is_unreachable_marks_nobody() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL\ne SE");
    world.play("*>a . x x x x\na>b . x x x x");
    assert_eq!(world.on_server("a").status.as_str(), "unreachable");
    assert_eq!((marks(&world, "b/tls"), world.on_entry("b/tls").accusers.len()), (String::new(), 1));
}

/// One witness, and `unseen` of `judged` servers that it cannot see, each in a country of its own.
fn half_blind(unseen: usize, judged: usize) -> bool {
    let servers: Vec<String> = (0..judged).map(|n| format!("t{n:02} A{}", char::from(b'A' + n as u8))).collect();
    let mut world = World::new(&format!("w ZZ\n{}", servers.join("\n")));
    let script: Vec<String> = (0..unseen).map(|n| format!("w>t{n:02} . x x x x")).collect();
    world.play(&script.join("\n"));
    let found = world.on_server("w").half_blind.is_some();
    assert_eq!(marks(&world, "t00/tls").is_empty(), found, "it is said once, or marked");
    found
}

#[test]
fn half_blind_takes_three_servers_and_more_than_a_quarter() {
    assert!(!half_blind(2, 5), "two are too few");
    assert!(!half_blind(3, 12), "a quarter exactly is not more than a quarter");
    assert!(half_blind(3, 11));
}

#[test]
fn the_silent_the_down_and_the_unreachable_are_not_judged() {
    // Three unseen of eleven would be half-blind; but one of the three is down.
    let servers: Vec<String> = (0..11).map(|n| format!("t{n:02} A{}", char::from(b'A' + n))).collect();
    let fleet = format!("w ZZ\n{}", servers.join("\n"));
    let blind = "w>t00 . x x x x x\nw>t01 . x x x x x\nw>t02 . x x x x x\n";
    let with = |also: &str| {
        let mut world = World::new(&fleet);
        world.play(&format!("{blind}{also}"));
        world.on_server("w").half_blind.is_some()
    };
    assert!(with(""));
    assert!(!with("t00 . D D D D D"), "down");
    assert!(!with("t00 . - - - - -"), "silent");
    assert!(!with("*>t00 . x x x x x"), "unreachable");
}

#[test]
fn a_half_blind_witness_still_votes() {
    let mut world = World::new("w ZZ\na NL\nb DE\nc FI\nd PL\nv SE");
    world.play("w>a . x x x x\nw>b . x x x x\nv>a . x x x x\nc>a ? ? ? ? ?");
    assert_eq!(world.on_entry("a/tls").state().as_str(), "unreachable");
}
