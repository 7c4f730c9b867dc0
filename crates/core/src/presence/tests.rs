//! R6 on timelines.

use crate::report::Health;
use crate::tests::timeline::World;

fn status(world: &World, id: &str) -> &'static str {
    world.on_server(id).status.as_str()
}

#[test]
fn silence_begins_after_stale_after() {
    let mut world = World::new("a NL\nb DE");
    world.play("a .");
    world.evaluate(240_000);
    assert_eq!(status(&world, "a"), "ok");
    world.evaluate(240_001);
    assert_eq!(status(&world, "a"), "no_data");
}

#[test]
fn one_report_ends_silence() {
    let mut world = World::new("a NL\nb DE");
    let film = world.play("a . - - - - - .");
    assert_eq!(film.status("a"), "ok ok ok ok no_data no_data ok");
}

#[test]
fn who_was_never_heard_of_is_pending_first_and_silent_later() {
    let mut world = World::new("a NL\nb DE");
    let film = world.play("a - - - -");
    assert_eq!(film.status("a"), "pending pending pending no_data");
}

#[test]
fn our_own_pause_is_no_alarm() {
    let mut world = World::new("a NL\nb DE");
    world.play("a .");
    // The aggregator was stopped for an hour.
    world.ledger.resume(crate::time::Moment::from_ms(3_660_000));
    world.evaluate(3_660_000);
    assert_eq!(status(&world, "a"), "ok");
    world.evaluate(3_840_000);
    assert_eq!(status(&world, "a"), "ok");
    world.evaluate(3_840_001);
    assert_eq!(status(&world, "a"), "no_data");
}

#[test]
fn a_server_that_joins_has_its_own_time_to_be_heard() {
    let mut world = World::new("a NL\nb DE");
    world.play("a . . . . . . . . . .");
    world.becomes("a NL\nb DE\nc FI", 600_000);
    world.evaluate(780_000);
    assert_eq!(status(&world, "c"), "pending");
    world.evaluate(780_001);
    assert_eq!(status(&world, "c"), "no_data");
}

#[test]
fn down_is_lifted_by_a_healthy_report_at_once() {
    let mut world = World::new("a NL\nb DE\nc FI");
    let film = world.play("a . D D .");
    assert_eq!(film.status("a"), "ok down down ok");
}

#[test]
fn down_is_not_lifted_by_silence_before_hold_for() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.play("a . D");
    world.evaluate(120_000 + 900_000);
    assert_eq!(status(&world, "a"), "down");
    world.evaluate(120_000 + 900_001);
    assert_eq!(status(&world, "a"), "no_data");
}

#[test]
fn a_server_that_is_down_votes() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL");
    world.play(
        "a   . D D D D
         a>b . x x x x
         c>b . x x x x",
    );
    assert_eq!(world.on_entry("b/tls").accusers.len(), 2);
    assert_eq!(status(&world, "b"), "unreachable");
}

#[test]
fn a_silent_witness_neither_accuses_nor_vouches() {
    let mut world = World::new("a NL\nb DE\nc FI");
    world.play("a>b . x x x x");
    // Only b and c go on: a's words are fresh to the last millisecond of stale_after, and so is a.
    world.report(420_000, "b", "a . c .");
    world.report(420_000, "c", "a . b .");
    world.evaluate(480_000);
    assert_eq!((world.on_entry("b/tls").accusers.len(), world.on_entry("c/tls").vouchers.len()), (1, 2));
    world.evaluate(480_001);
    assert_eq!((world.on_entry("b/tls").accusers.len(), world.on_entry("c/tls").vouchers.len()), (0, 1));
    assert_eq!(status(&world, "a"), "no_data");
}

#[test]
fn a_drained_server_votes_and_a_disabled_one_does_not() {
    let mut world = World::new("a NL drained\nb DE\nc FI disabled");
    world.play("*>b . x x x x");
    assert_eq!(
        crate::tests::timeline::named(&world.fleet, world.on_entry("b/tls").accusers.iter().map(|a| a.witness)),
        "a"
    );
    world.report_as(310_000, "c", Health::Down, "", None);
    world.evaluate(310_000);
    assert_eq!(status(&world, "c"), "disabled");
}
