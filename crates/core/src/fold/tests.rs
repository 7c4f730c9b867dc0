//! R2: which reports and outcomes count at all.

use alloc::vec;

use crate::fold::Folded;
use crate::report::{Health, Report, Sequence};
use crate::tests::timeline::{FAILED, World};
use crate::time::Moment;

fn streak(world: &World, witness: &str, entry_point: &str) -> u16 {
    world.ledger.pair(world.server(witness), world.entry(entry_point)).streak()
}

#[test]
fn a_repeated_or_older_report_changes_nothing() {
    let mut world = World::new("a NL\nb DE");
    let send = |world: &mut World, number| world.report_as(60_000, "a", Health::Ok, "b x", Some(("box", number)));
    assert_eq!(send(&mut world, 7), Folded::Counted);
    assert_eq!(send(&mut world, 7), Folded::Repeated);
    assert_eq!(send(&mut world, 6), Folded::Repeated);
    assert_eq!(streak(&world, "a", "b/tls"), 1);
    assert_eq!(send(&mut world, 8), Folded::Counted);
    assert_eq!(streak(&world, "a", "b/tls"), 2);
}

#[test]
fn a_new_outbox_begins_anew() {
    let mut world = World::new("a NL\nb DE");
    world.report_as(60_000, "a", Health::Ok, "b x", Some(("old", 900)));
    assert_eq!(world.report_as(60_000, "a", Health::Ok, "b x", Some(("new", 1))), Folded::Counted);
    assert_eq!(streak(&world, "a", "b/tls"), 2);
}

#[test]
fn a_report_without_a_place_is_always_folded_and_leaves_the_place_alone() {
    let mut world = World::new("a NL\nb DE");
    world.report_as(60_000, "a", Health::Ok, "b x", Some(("box", 7)));
    assert_eq!(world.report(60_000, "a", "b x"), Folded::Counted);
    assert_eq!(world.report_as(60_000, "a", Health::Ok, "b x", Some(("box", 7))), Folded::Repeated);
}

#[test]
fn nobody_is_a_witness_of_himself() {
    let mut world = World::new("a NL x:tcp4 y:tcp4\nb DE");
    world.report(60_000, "a", "a/x x a/y .");
    assert_eq!((streak(&world, "a", "a/x"), world.ledger.column(world.entry("a/y")).count()), (0, 0));
}

#[test]
fn disabled_servers_are_no_targets_and_no_witnesses_but_keep_their_self_check() {
    let mut world = World::new("a NL\nb DE disabled\nc FI");
    world.report(60_000, "a", "b x c x");
    world.report_as(60_000, "b", Health::Down, "a x c x", None);
    assert_eq!(streak(&world, "a", "b/tls"), 0);
    assert_eq!((streak(&world, "b", "a/tls"), streak(&world, "b", "c/tls")), (0, 0));
    let kept = world.ledger.server(world.server("b"));
    assert_eq!((kept.health, kept.last_report_at), (Health::Down, Some(Moment::from_ms(60_000))));
}

#[test]
fn inconclusive_changes_nothing() {
    let mut world = World::new("a NL\nb DE");
    world.report(60_000, "a", "b x");
    let before = world.ledger.pair(world.server("a"), world.entry("b/tls"));
    world.report(120_000, "a", "b ?");
    assert_eq!(world.ledger.pair(world.server("a"), world.entry("b/tls")), before);
}

#[test]
fn a_success_observed_before_the_last_one_counts_from_when_it_was_observed() {
    let mut world = World::new("a NL\nb DE");
    world.report(200_000, "a", "b .");
    world.evaluate(200_000);
    world.report(100_000, "a", "b .");
    world.evaluate(280_000);
    assert_eq!(world.on_entry("b/tls").vouchers.len(), 1);
    world.evaluate(280_001);
    assert_eq!(world.on_entry("b/tls").vouchers.len(), 0);
}

const BEFORE: &str = "a NL\nb DE x:tcp4@192.0.2.1 y:tcp4@192.0.2.2\nc FI\nd PL";

fn broken() -> World {
    let mut world = World::new(BEFORE);
    world.play("*>b . x x x x");
    assert_eq!(world.on_server("b").status.as_str(), "unreachable");
    world
}

#[test]
fn a_new_address_starts_anew_and_the_other_one_keeps_its_evidence() {
    let mut world = broken();
    world.becomes("a NL\nb DE x:tcp4@198.51.100.1 y:tcp4@192.0.2.2\nc FI\nd PL", 301_000);
    world.evaluate(301_000);
    assert_eq!(
        (world.on_entry("b/x").state().as_str(), world.on_entry("b/y").state().as_str()),
        ("clear", "unreachable")
    );
    assert!(world.ledger.standing(world.entry("b/x")).is_empty());
}

#[test]
fn another_lane_or_another_server_starts_anew_too() {
    let mut world = broken();
    world.becomes("a NL\nb DE x:udp4@192.0.2.1 y:tcp4@192.0.2.2\nc FI\nd PL", 301_000);
    world.evaluate(301_000);
    assert_eq!(world.on_entry("b/x").accusers.len(), 0);
    assert_eq!(world.on_entry("b/y").accusers.len(), 3);
}

#[test]
fn who_leaves_is_forgotten_and_who_stays_keeps_his_word_under_a_new_number() {
    let mut world = broken();
    // Every index shifts: 0 comes, a goes.
    world.becomes("0 SE\nb DE x:tcp4@192.0.2.1 y:tcp4@192.0.2.2\nc FI\nd PL", 301_000);
    world.evaluate(301_000);
    let accusers = world.on_entry("b/x").accusers.iter().map(|accuser| accuser.witness);
    assert_eq!(crate::tests::timeline::named(&world.fleet, accusers), "c d");
    assert_eq!(world.on_server("b").status.as_str(), "unreachable");
    assert_eq!(world.on_server("0").status.as_str(), "pending");
}

#[test]
fn a_discredited_round_keeps_its_neighbours_under_their_new_numbers() {
    let mut world = World::new("b DE\nc FI\nd PL\ne SE");
    world.play("e .");
    world.report(70_000, "e", "b x c x d .");
    world.report(80_000, "e", "b x c x d x");
    world.becomes("a NL\nc FI\nd PL\ne SE", 90_000);
    let round = &world.ledger.server(world.server("e")).round[0];
    assert!(round.discredited);
    assert_eq!(crate::tests::timeline::named(&world.fleet, round.neighbours.iter().copied()), "c d");
    assert_eq!(crate::tests::timeline::named(&world.fleet, round.unseen.iter().copied()), "c d");
}

/// What a witness says of itself in the middle of a round, with outcomes that nobody is to look at.
fn heartbeat(world: &mut World, at_ms: u64, health: Health, number: u64) -> Folded {
    let report = Report {
        witness: world.server("a"),
        observed_at: Moment::from_ms(at_ms),
        health,
        outcomes: vec![(world.entry("b/tls"), FAILED), (world.entry("c/tls"), FAILED)],
        sequence: Some(Sequence { outbox: "box".into(), number }),
    };
    world.ledger.fold_heartbeat(&report)
}

#[test]
fn a_heartbeat_is_heard_and_its_outcomes_are_not_looked_at() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.report_as(60_000, "a", Health::Ok, "b x c .", Some(("box", 1)));
    let (a, b) = (world.server("a"), world.entry("b/tls"));
    let (round, pair) = (world.ledger.server(a).round.clone(), world.ledger.pair(a, b));
    assert_eq!(heartbeat(&mut world, 240_000, Health::Ok, 2), Folded::Counted);
    assert_eq!(world.ledger.server(a).last_report_at, Some(Moment::from_ms(240_000)));
    assert_eq!((&world.ledger.server(a).round, world.ledger.pair(a, b)), (&round, pair), "the last round stands");
    // Without it the witness would be silent by then.
    world.evaluate(300_000);
    assert!(!world.on_server("a").silent);
}

#[test]
fn a_heartbeat_says_down_and_well_again_at_once() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.report_as(60_000, "a", Health::Ok, "b . c .", Some(("box", 1)));
    for (at_ms, health, number, down) in [(70_000, Health::Down, 2, true), (80_000, Health::Ok, 3, false)] {
        heartbeat(&mut world, at_ms, health, number);
        world.evaluate(at_ms);
        assert_eq!(world.on_server("a").down, down);
    }
}

#[test]
fn a_repeated_heartbeat_changes_nothing_and_takes_a_place_in_the_sequence() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.report_as(60_000, "a", Health::Ok, "b x c .", Some(("box", 4)));
    for number in [3, 4] {
        assert_eq!(heartbeat(&mut world, 70_000, Health::Down, number), Folded::Repeated);
    }
    let kept = world.ledger.server(world.server("a"));
    assert_eq!((kept.health, kept.last_report_at), (Health::Ok, Some(Moment::from_ms(60_000))));
    assert_eq!(heartbeat(&mut world, 70_000, Health::Ok, 5), Folded::Counted);
    assert_eq!(world.report_as(80_000, "a", Health::Ok, "b x", Some(("box", 5))), Folded::Repeated);
    assert_eq!(streak(&world, "a", "b/tls"), 1);
}
