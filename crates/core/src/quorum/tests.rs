//! R7 and R8 on timelines.

use crate::tests::timeline::World;
use crate::verdict::Accord;
use crate::words;

/// State, scopes and how R8 decided.
fn verdict(world: &World, entry_point: &str) -> (&'static str, alloc::string::String, Accord) {
    let verdict = world.on_entry(entry_point);
    let scopes: alloc::vec::Vec<_> = verdict.unreachable.iter().map(alloc::string::ToString::to_string).collect();
    (verdict.state().as_str(), scopes.join(" "), verdict.accord)
}

fn state(world: &World, entry_point: &str) -> &'static str {
    world.on_entry(entry_point).state().as_str()
}

#[test]
fn one_site_is_no_quorum_and_two_are() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL");
    world.play("a>t . x x x x");
    assert_eq!(state(&world, "t/tls"), "pair_broken");
    world.play("a>t x x x x\nb>t x x x x\nc>t ? ? ? ?");
    assert_eq!(verdict(&world, "t/tls"), ("unreachable", "fleet".into(), Accord::Outside));
}

#[test]
fn two_servers_of_one_site_have_one_vote() {
    let mut world = World::new("t NL\na1 DE site=a\na2 DE site=a\nb FI");
    world.play("a1>t . x x x x\na2>t . x x x x\nb>t ? ? ? ? ?");
    assert_eq!(world.on_entry("t/tls").against_sites.len(), 1);
    assert_eq!(state(&world, "t/tls"), "pair_broken");
}

#[test]
fn a_site_where_somebody_vouches_is_not_against() {
    let mut world = World::new("t NL\na1 DE site=a\na2 DE site=a\nb FI\nc PL");
    world.play("a1>t . x x x x\nb>t . x x x x\nc>t ? ? ? ? ?");
    let verdict = world.on_entry("t/tls");
    assert_eq!((verdict.accusers.len(), verdict.against_sites.len(), verdict.for_sites(&world.fleet).len()), (2, 1, 1));
    assert_eq!(verdict.state().as_str(), "pair_broken");
}

#[test]
fn half_of_the_fleets_sites_are_enough_and_less_is_not() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL\nd SE");
    world.play("a>t . x x x x\nb>t . x x x x");
    assert_eq!(verdict(&world, "t/tls"), ("unreachable", "fleet".into(), Accord::Outside));
    let mut world = World::new("t NL\na DE\nb FI\nc PL\nd SE\ne CH");
    world.play("a>t . x x x x\nb>t . x x x x");
    assert_eq!(state(&world, "t/tls"), "pair_broken");
}

#[test]
fn within_a_country_it_takes_more_than_half() {
    let others = "t NL\nb FI\nc PL\nd SE\ne CH\nf AT";
    let mut world = World::new(&alloc::format!("{others}\nr1 RU\nr2 RU\nr3 RU\nr4 RU"));
    world.play("r1>t . x x x x\nr2>t . x x x x");
    assert_eq!(state(&world, "t/tls"), "pair_broken", "two of four");
    let mut world = World::new(&alloc::format!("{others}\nr1 RU\nr2 RU\nr3 RU"));
    world.play("r1>t . x x x x\nr2>t . x x x x");
    assert_eq!(verdict(&world, "t/tls"), ("unreachable", "RU".into(), Accord::Outside), "two of three");
}

#[test]
fn servers_without_a_country_count_in_the_whole_fleet_only() {
    let mut world = World::new("t NL\na\nb\nc FI\nd PL\ne SE");
    world.play("a>t . x x x x\nb>t . x x x x");
    assert_eq!(state(&world, "t/tls"), "pair_broken", "two of five, and they are no country together");
}

#[test]
fn two_strays_in_a_large_fleet_are_no_quorum() {
    let servers: alloc::vec::Vec<_> =
        (0..40).map(|n| alloc::format!("s{n:02} C{}", char::from(b'A' + n % 20))).collect();
    let mut world = World::new(&servers.join("\n"));
    world.play("s00>s39 . x x x x\ns01>s39 . x x x x");
    assert_eq!(state(&world, "s39/tls"), "pair_broken");
}

#[test]
fn an_entry_point_of_a_server_that_is_down_is_never_quorate_but_its_accusers_are_listed() {
    let mut world = World::new("t NL\na DE\nb FI");
    world.play("t . D D D D\n*>t . x x x x");
    let verdict = world.on_entry("t/tls");
    assert_eq!((verdict.state().as_str(), verdict.accusers.len(), verdict.unreachable.len()), ("down", 2, 0));
    assert_eq!(verdict.accord, Accord::None);
}

#[test]
fn a_quorum_of_the_unaccused_decides_alone() {
    // t and u accuse a, so a is in doubt, but b and c accuse t as well.
    let mut world = World::new("a DE\nb FI\nc PL\nt NL\nu SE");
    world.play("a>t . x x x x\nb>t . x x x x\nc>t . x x x x\nt>a . x x x x\nu>a . x x x x");
    assert_eq!(world.on_entry("a/tls").accord, Accord::Explained);
    assert_eq!(verdict(&world, "t/tls"), ("unreachable", "fleet".into(), Accord::Outside));
}

/// NL and RU cannot see each other: the path between them is broken.
const TWO_GROUPS: &str = "
    n1>r1 . x x x x
    n1>r2 . x x x x
    n2>r1 . x x x x
    n2>r2 . x x x x
    r1>n1 . x x x x
    r1>n2 . x x x x
    r2>n1 . x x x x
    r2>n2 . x x x x";

#[test]
fn two_whole_countries_against_each_other_are_contested() {
    let mut world = World::new("n1 NL\nn2 NL\nr1 RU\nr2 RU\nx DE\ny FI\nz PL");
    world.play(TWO_GROUPS);
    for entry_point in ["n1/tls", "n2/tls", "r1/tls", "r2/tls"] {
        assert_eq!(
            verdict(&world, entry_point),
            ("contested", alloc::string::String::new(), Accord::Contested),
            "{entry_point}"
        );
    }
    assert_eq!(state(&world, "x/tls"), "clear");
}

#[test]
fn a_group_without_a_country_of_its_own_is_not_coherent_and_the_country_names_it() {
    // n1 stands in NL, n2 in DE: no whole country misses r1 and r2, but all of RU misses n1 and n2.
    let mut world = World::new("n1 NL\nn2 DE\nr1 RU\nr2 RU\nx NL");
    world.play(TWO_GROUPS);
    assert_eq!(verdict(&world, "n1/tls"), ("unreachable", "RU fleet".into(), Accord::Coherent));
    assert_eq!(verdict(&world, "n2/tls"), ("unreachable", "RU fleet".into(), Accord::Coherent));
    assert_eq!(
        verdict(&world, "r1/tls"),
        ("clear", alloc::string::String::new(), Accord::Explained),
        "its accusers are lost themselves"
    );
    assert_eq!(world.on_entry("r1/tls").marks.len(), 0, "and what is unreachable marks nobody");
}

#[test]
fn what_is_explained_keeps_the_marks_of_those_that_are_not_lost() {
    // As before, and z, which nobody accuses, misses r1 too: one site is no quorum, but a broken pair.
    let mut world = World::new("n1 NL\nn2 DE\nr1 RU\nr2 RU\nx NL\nz PL");
    world.play(&alloc::format!("{TWO_GROUPS}\nz>r1 . x x x x"));
    let r1 = world.on_entry("r1/tls");
    assert_eq!((r1.accord, r1.state().as_str()), (Accord::Explained, "pair_broken"));
    assert_eq!(crate::tests::timeline::named(&world.fleet, r1.marks.iter().map(|mark| mark.witness)), "z");
}

#[test]
fn a_verdict_falls_with_the_first_success_that_breaks_the_quorum() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL");
    let film = world.play("a>t . x x x x .\nb>t . x x x x x\nc>t . . . . . .");
    assert_eq!(film.status("t"), "ok ok ok unreachable unreachable marked");
}

#[test]
fn shares_are_compared_exactly() {
    use crate::policy::Share;
    let third = Share::from_thousandths(333).unwrap_or_else(|| panic!("a share"));
    // 1000 × 333 = 333 × 1000: not above; one more of the whole is.
    assert!(!third.is_above(333, 1000) && !third.is_below(333, 1000));
    assert!(third.is_above(333, 1001) && third.is_below(334, 1000));
    assert_eq!(words::percent(third), "33.3 %");
}
