//! R15, R16, R18 and R19 on small fleets.

use crate::tests::timeline::World;

const ROUTE: &str = "= r: a/tls b/tls c/tls";

#[test]
fn what_is_good_is_delivered_in_the_routes_order() {
    let mut world = World::new("a NL\nb DE\nc FI\nd PL\n= r: c/tls a/tls b/tls");
    world.play("a .");
    assert_eq!(world.delivers("r", None), "c/tls:0 a/tls:0 b/tls:0");
}

#[test]
fn a_broken_pair_comes_after_what_is_clear_and_is_not_withheld() {
    let mut world = World::new(&alloc::format!("a NL\nb DE\nc FI\nd PL\n{ROUTE}"));
    world.play("d>a . x x x x");
    assert_eq!(world.delivers("r", None), "b/tls:0 c/tls:0 a/tls:1");
}

#[test]
fn unreachable_blocked_down_and_cut_off_are_withheld_while_there_is_better() {
    let mut world =
        World::new("a NL\nb DE\nc FI\nd PL\ne SE tls:tcp4>c\nf CH\nv RU verifier\n= r: a/tls b/tls c/tls d/tls e/tls");
    world.play("*>a . x x x x\nv>b . x x x x\nc . D D D D");
    assert_eq!(world.delivers("r", None), "d/tls:0");
}

#[test]
fn the_best_of_the_bad_is_a_last_resort() {
    let mut world = World::new(&alloc::format!("a NL\nb DE\nc FI\nd PL\ne SE\nv RU verifier\n{ROUTE}"));
    world.play("*>a . x x x x\nv>b . x x x x\nc . D D D D");
    assert_eq!(world.delivers("r", None), "! b/tls:2");
}

#[test]
fn among_the_unreachable_the_best_vouched_for_comes_first() {
    let fleet = "a NL\nb DE\nc FI\nd PL\ne SE\nr1 RU\nr2 RU\n= r: a/tls b/tls";
    let mut world = World::new(fleet);
    world.play("*>a . x x x x\nc>a . . . . .\nr1>b . x x x x\nr2>b . x x x x");
    assert_eq!(world.delivers("r", None), "! b/tls:3 a/tls:3");
}

#[test]
fn silence_does_not_change_a_tier() {
    let mut world = World::new(&alloc::format!("a NL\nb DE\nc FI\n{ROUTE}"));
    world.play("a . - - - - -");
    assert_eq!(
        (world.on_server("a").status.as_str(), world.delivers("r", None).as_str()),
        ("no_data", "a/tls:0 b/tls:0 c/tls:0")
    );
}

#[test]
fn a_drained_server_is_delivered_only_when_no_active_one_is_left_and_a_disabled_one_never() {
    let mut world = World::new(&alloc::format!("a NL drained\nb DE\nc FI disabled\n{ROUTE}"));
    world.play("a .");
    assert_eq!(world.delivers("r", None), "b/tls:0");
    let mut world = World::new(&alloc::format!("a NL drained\nb DE disabled\nc FI disabled\n{ROUTE}"));
    world.play("a .");
    assert_eq!(world.delivers("r", None), "! a/tls:0");
    let mut world = World::new(&alloc::format!("a NL disabled\nb DE disabled\nc FI disabled\n{ROUTE}"));
    world.play("a .");
    assert_eq!(world.delivers("r", None), "", "the only way to be empty, and not flagged");
}

#[test]
fn a_bad_active_server_is_delivered_before_a_good_drained_one() {
    let mut world = World::new("a NL drained\nb DE\nc FI\nd PL\n= r: a/tls b/tls");
    world.play("b D");
    assert_eq!(world.delivers("r", None), "! b/tls:4");
}

/// RU cannot reach a; NL and the rest can.
fn blocked_in_ru(routes: &str) -> World {
    let mut world = World::new(&alloc::format!("a NL\nb DE\nc FI\nn1 NL\nd PL\nr1 RU\nr2 RU\n{routes}"));
    world.play("r1>a . x x x x\nr2>a . x x x x");
    assert_eq!(world.on_entry("a/tls").unreachable.len(), 1, "in RU, not in the fleet");
    world
}

#[test]
fn users_elsewhere_keep_what_their_country_reaches() {
    let world = blocked_in_ru("= nl: a/tls b/tls for NL\n= ru: a/tls b/tls for RU\n= all: a/tls b/tls");
    assert_eq!(world.delivers("nl", None), "a/tls:0 b/tls:0");
    assert_eq!(world.delivers("ru", None), "b/tls:0");
    assert_eq!(world.delivers("all", None), "b/tls:0");
}

#[test]
fn what_nobody_at_home_vouches_for_is_offered_after_the_rest() {
    let world = blocked_in_ru("= se: a/tls b/tls for SE");
    assert_eq!(world.delivers("se", None), "b/tls:0 a/tls:1");
}

#[test]
fn a_reader_who_names_a_country_gets_the_route_for_it() {
    let world = blocked_in_ru("= all: a/tls b/tls");
    assert_eq!(world.delivers("all", Some("NL")), "a/tls:0 b/tls:0");
    assert_eq!(world.delivers("all", Some("RU")), "b/tls:0");
}

#[test]
fn a_verdict_of_the_whole_fleet_needs_somebody_at_home_who_vouches() {
    let fleet = "a NL\nb DE\nn1 NL\nr1 RU\nr2 RU\n= nl: a/tls b/tls for NL\n= se: a/tls b/tls for SE";
    let mut world = World::new(fleet);
    world.play("r1>a . x x x x\nr2>a . x x x x");
    assert_eq!(world.on_entry("a/tls").unreachable.len(), 2, "in RU and in the fleet");
    assert_eq!(world.delivers("nl", None), "a/tls:0 b/tls:0");
    assert_eq!(world.delivers("se", None), "b/tls:0");
}

#[test]
fn behind_a_closed_border_home_comes_first() {
    let mut world = World::new("a NL\nb NL\nc DE\nf FI\nd RU\ne RU\n= ru: a/tls d/tls for RU\n= all: a/tls d/tls");
    world.play("d>* . x x x x\ne>* . x x x x\nd>e . . . . .\ne>d . . . . .");
    assert_eq!(world.evaluator.verdicts().cuts.len(), 1);
    assert_eq!(world.delivers("ru", None), "d/tls:0 a/tls:1");
    assert_eq!(world.delivers("all", None), "a/tls:0 d/tls:0");
}

/// RU, with seven servers of its own so that it sees enough, cannot reach the first `lost` of `active` servers elsewhere.
fn one_country(lost: usize, active: usize) -> alloc::string::String {
    let name = |n: usize| alloc::format!("s{n}");
    let servers: alloc::vec::Vec<_> =
        (0..active).map(|n| alloc::format!("{} A{}", name(n), char::from(b'A' + n as u8))).collect();
    let home: alloc::vec::Vec<_> = (0..7).map(|n| alloc::format!("r{n} RU")).collect();
    // Enough others vouch, so that RU is no half of the fleet.
    let others: alloc::vec::Vec<_> = (0..9).map(|n| alloc::format!("o{n} B{}", char::from(b'A' + n))).collect();
    let offered: alloc::vec::Vec<_> = (0..active).map(|n| alloc::format!("{}/tls", name(n))).collect();
    let fleet = [servers.join("\n"), home.join("\n"), others.join("\n"), alloc::format!("= r: {}", offered.join(" "))];
    let mut world = World::new(&fleet.join("\n"));
    let script: alloc::vec::Vec<_> = (0..lost)
        .flat_map(|target| (0..7).map(move |witness| alloc::format!("r{witness}>{} . x x x x", name(target))))
        .collect();
    world.play(&script.join("\n"));
    world.delivers("r", None)
}

#[test]
fn one_country_does_not_empty_a_route() {
    assert_eq!(one_country(2, 4), "s2/tls:0 s3/tls:0", "half of four is not more than half");
    assert_eq!(one_country(3, 4), "s3/tls:0 s0/tls:1 s1/tls:1 s2/tls:1");
    assert_eq!(one_country(3, 3), "! s0/tls:3 s1/tls:3 s2/tls:3", "three active entry points are too few to tell");
}
