//! R3 on timelines.

use crate::lane::Lane;
use crate::report::Health;
use crate::tests::timeline::World;

/// What `a` saw of how many, on TCP over IPv4, and whether it is believed.
fn sight(world: &World) -> (u32, u32, &'static str) {
    let round = &world.ledger.server(world.server("a")).round[Lane::Tcp4.index()];
    (round.sight.seen, round.sight.neighbours, if round.discredited { "discredited" } else { "credible" })
}

fn five() -> World {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL\ne SE");
    world.play("a .");
    world
}

#[test]
fn exactly_half_seen_is_credible_and_less_is_not() {
    let mut world = five();
    world.report(70_000, "a", "b . c . d x e x");
    assert_eq!(sight(&world), (2, 4, "credible"));
    world.report(80_000, "a", "b . c x d x e x");
    assert_eq!(sight(&world), (1, 4, "discredited"));
}

#[test]
fn a_single_neighbour_discredits_nobody() {
    let mut world = five();
    world.report(70_000, "a", "b x");
    assert_eq!(sight(&world), (0, 1, "credible"));
    world.report(80_000, "a", "b x c x");
    assert_eq!(sight(&world), (0, 2, "discredited"));
}

#[test]
fn the_dead_do_not_count() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL\ne SE");
    world.play(
        "c - - - - -
         d . - - - -
         e . D D D D",
    );
    // c was never heard of, d is silent for four minutes, e says that it is down: b alone is a neighbour.
    world.report(300_000, "a", "b . c x d x e x");
    assert_eq!(sight(&world), (1, 1, "credible"));
}

#[test]
fn a_neighbour_lives_for_stale_after() {
    let mut world = five();
    world.report(60_000 + 180_000, "a", "b . c x d x e x");
    assert_eq!(sight(&world), (1, 4, "discredited"));
    world.report(60_000 + 180_001, "a", "b . c x d x e x");
    assert_eq!(sight(&world), (0, 0, "credible"));
}

#[test]
fn a_server_stays_down_to_its_neighbours_for_hold_for() {
    let mut world = five();
    world.policy.stale_after = world.policy.hold_for;
    world.report_as(70_000, "b", Health::Down, "", None);
    world.report(70_000 + 900_000, "a", "b x");
    assert_eq!(sight(&world), (0, 0, "credible"), "down: no neighbour, at the last moment of hold_for");
}

#[test]
fn inconclusive_makes_no_neighbour() {
    let mut world = five();
    world.report(70_000, "a", "b . c x d ? e ?");
    assert_eq!(sight(&world), (1, 2, "credible"));
}

#[test]
fn two_entry_points_on_a_lane_are_one_neighbour_that_one_success_shows() {
    let mut world = World::new("a NL\nb DE x:tcp4 y:tcp4\nc FI x:tcp4 y:tcp4");
    world.play("a .");
    world.report(70_000, "a", "b/x x b/y . c/x x c/y x");
    assert_eq!(sight(&world), (1, 2, "credible"));
}

#[test]
fn a_witness_without_udp_loses_its_votes_on_udp_alone() {
    let mut world = World::new("a NL tls:tcp4 quic:udp4\nb DE tls:tcp4 quic:udp4\nc FI tls:tcp4 quic:udp4");
    world.play(
        "a>b/quic x x x x
         a>c/quic x x x x
         a>b/tls  x x x x",
    );
    assert_eq!(world.on_server("a").discredited.iter().collect::<alloc::vec::Vec<_>>(), [Lane::Udp4]);
    assert_eq!(world.on_entry("b/quic").accusers.len(), 0);
    assert_eq!(world.on_entry("b/tls").accusers.len(), 1);
}

#[test]
fn a_success_is_proof_in_a_discredited_round_too() {
    let mut world = five();
    world.report(120_000, "a", "b x c x d . e .");
    world.report(180_000, "a", "b x c x d . e .");
    world.report(240_000, "a", "b . c x d x e x");
    assert_eq!(sight(&world), (1, 4, "discredited"));
    assert_eq!(world.ledger.pair(world.server("a"), world.entry("b/tls")).streak(), 0, "reached");
    assert_eq!(world.ledger.pair(world.server("a"), world.entry("c/tls")).streak(), 2, "the failure is not counted");
    assert_eq!(world.ledger.pair(world.server("a"), world.entry("d/tls")).streak(), 0, "nor does it open a series");
}
