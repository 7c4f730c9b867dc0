//! The texts on badges.

use alloc::string::ToString as _;

use crate::label::badge;
use crate::tests::timeline::World;

fn text(world: &World, id: &str) -> alloc::string::String {
    badge(&world.fleet, world.evaluator.verdicts(), world.server(id)).to_string()
}

#[test]
fn unreachable_counts_whoever_gave_evidence_and_the_countries_that_decide() {
    let mut world = World::new("t NL\na RU\nb RU\nc RU\nd DE\ne FI\nf PL\ng SE");
    world.play("a>t . x x x x\nb>t . x x x x\nc>t . x x x x");
    assert_eq!(text(&world, "t"), "Unreachable from your servers: 3 of 7 cannot see it (RU 3/3)");
}

#[test]
fn unreachable_in_the_whole_fleet_alone_names_no_country() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL");
    world.play("a>t . x x x x\nb>t . x x x x");
    assert_eq!(text(&world, "t"), "Unreachable from your servers: 2 of 3 cannot see it");
}

#[test]
fn a_held_accusation_counts_too() {
    let mut world = World::new("t NL\na RU\nb RU\nc DE\nd FI");
    world.play("a>t . x x x x . . . .\nb>t . x x x x . . . .\na . . . . . - - - -\nb . . . . . - - - -");
    assert_eq!(text(&world, "t"), "Unreachable from your servers: 2 of 4 cannot see it (RU 2/2)");
}

#[test]
fn two_halves_of_a_fleet_that_lose_an_entry_point_each_are_not_counted_as_blind() {
    let mut world = World::new("t NL x:tcp4 y:tcp4\na DE\nb FI\nc PL\nd SE");
    world.play("a>t/x . x x x x\nb>t/x . x x x x\nc>t/y . x x x x\nd>t/y . x x x x");
    assert_eq!(
        text(&world, "t"),
        "Unreachable from your servers: each of its entry points is out of sight for too many"
    );
}

#[test]
fn blocked_names_the_verifiers() {
    let mut world = World::new("t NL\nb DE\nv1 RU verifier\nv2 IR verifier");
    world.play("v1>t . x x x x");
    assert_eq!(text(&world, "t"), "Address blocked, as seen from v1");
}

#[test]
fn partly_unreachable_names_the_entry_points() {
    let mut world = World::new("t NL tls:tcp4 quic:udp4\na DE\nb FI");
    world.play("*>t/quic . x x x x");
    assert_eq!(text(&world, "t"), "Partly unreachable: t/quic");
}

#[test]
fn both_badges_of_a_broken_pair_say_the_same() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL");
    world.play("a>b . x x x x\nb>a . x x x x");
    assert_eq!(
        (text(&world, "a"), text(&world, "b")),
        ("Connection check fails: a and b".into(), "Connection check fails: a and b".into())
    );
}

#[test]
fn many_broken_pairs_do_not_fit_on_a_badge() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL\nd SE\ne CH\nf AT\ng CZ\nh ES\ni PT");
    world.play("a>t . x x x x\nb>t . x x x x\nc>t . x x x x\nd>t . x x x x");
    assert_eq!(text(&world, "t"), "Connection check fails: a and t; b and t; c and t; and 1 more");
}

#[test]
fn the_other_statuses_have_fixed_words() {
    let mut world = World::new("a NL disabled\nb DE\nc FI\nd PL\ne SE");
    world.play("b . D D D D D\nc . - - - - -");
    let said: alloc::vec::Vec<_> = ["a", "b", "c", "d"].iter().map(|id| text(&world, id)).collect();
    assert_eq!(said, ["Disabled", "Server unavailable", "No data from the server", "OK"]);
    let mut world = World::new("a NL\nb DE");
    world.play("a -");
    assert_eq!(text(&world, "a"), "Waiting for the first report");
}
