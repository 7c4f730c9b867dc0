//! R12 on timelines.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::tests::timeline::{World, named};

fn cuts(world: &World) -> String {
    let cuts = world.evaluator.verdicts().cuts.iter().map(|cut| {
        let names = |servers: &[crate::fleet::ServerIx]| named(&world.fleet, servers.iter().copied());
        format!("{} {}: {} lost {}", cut.country, cut.lane, names(&cut.witnesses), names(&cut.targets))
    });
    cuts.collect::<Vec<_>>().join("\n")
}

/// d and e in RU see each other and nobody else, from the second round on. Their last successes vouch for three minutes.
const CLOSED: &str = "
    d>*  . x x x x
    e>*  . x x x x
    d>e  . . . . .
    e>d  . . . . .";

const FLEET: &str = "a NL\nb NL\nc DE\nf FI\nd RU\ne RU";

#[test]
fn a_border_that_closes_is_told_when_the_last_successes_are_stale() {
    let mut world = World::new(FLEET);
    let film = world.play(CLOSED);
    let told: Vec<usize> = film.frames.iter().map(|frame| frame.cuts.len()).collect();
    assert_eq!(told, [0, 0, 0, 0, 1]);
    assert_eq!(cuts(&world), "RU tcp4: d e lost a b c f");
    for server in ["a", "b", "c", "f"] {
        assert_eq!(world.on_server(server).status.as_str(), "ok", "it changes no status");
    }
}

#[test]
fn one_site_tells_of_no_cut() {
    let mut world = World::new("a NL\nb NL\nc DE\nf FI\nd RU site=r\ne RU site=r");
    world.play(CLOSED);
    assert_eq!(cuts(&world), "");
}

#[test]
fn a_witness_that_is_believed_tells_of_no_cut() {
    // d and e still see half of their neighbours: credible, so it is R7's business.
    let mut world = World::new("a NL\nb NL\nd RU\ne RU");
    world.play("d>a . x x x x\ne>a . x x x x");
    assert_eq!(cuts(&world), "");
}

#[test]
fn whom_one_server_of_the_country_sees_is_not_cut_off() {
    let mut world = World::new(&format!("{FLEET}\ng RU"));
    world.play(&format!(
        "{CLOSED}
         d>g . . . . .
         e>g . . . . .
         g>b . x x x x
         g>c . x x x x
         g>f . x x x x
         g>d . x x x x"
    ));
    assert_eq!(cuts(&world), "RU tcp4: d e g lost b c f", "g sees a");
}

#[test]
fn a_country_is_cut_off_on_one_lane_alone() {
    let both: Vec<String> =
        ["a NL", "b NL", "c DE", "d RU", "e RU"].iter().map(|server| format!("{server} tls:tcp4 quic:udp4")).collect();
    let mut world = World::new(&both.join("\n"));
    let script: Vec<String> = ["d", "e"]
        .iter()
        .flat_map(|witness| ["a", "b", "c"].map(|target| format!("{witness}>{target}/quic . x x x x")))
        .collect();
    world.play(&script.join("\n"));
    assert_eq!(cuts(&world), "RU udp4: d e lost a b c");
}

#[test]
fn it_takes_half_of_a_witness_neighbours() {
    // Of d's five neighbours only a and b are lost to e as well: two of five are less than half.
    let mut world = World::new("a NL\nb NL\nc DE\nf FI\nd RU\ne RU");
    world.play(
        "d>a . x x x x
         d>b . x x x x
         d>c . x x x x
         e>a . x x x x
         e>b . x x x x
         e>f . x x x x",
    );
    assert_eq!(cuts(&world), "");
    // With one more that both lost it is three of five.
    world.play(
        "d>a x x x x
         d>b x x x x
         d>c x x x x
         e>a x x x x
         e>b x x x x
         e>c x x x x",
    );
    assert_eq!(cuts(&world), "RU tcp4: d e lost a b c");
}

#[test]
fn a_target_that_is_disabled_is_no_target_but_still_a_neighbour() {
    let mut world = World::new(FLEET);
    world.play(CLOSED);
    world.becomes("a NL disabled\nb NL disabled\nc DE\nf FI\nd RU\ne RU", 301_000);
    world.evaluate(301_000);
    assert_eq!(cuts(&world), "", "two targets of five neighbours");
    world.becomes("a NL disabled\nb NL\nc DE\nf FI\nd RU\ne RU", 302_000);
    world.evaluate(302_000);
    assert_eq!(cuts(&world), "RU tcp4: d e lost b c f", "three of five");
    world.becomes("c DE\nf FI\nd RU\ne RU", 303_000);
    world.evaluate(303_000);
    assert_eq!(cuts(&world), "RU tcp4: d e lost c f", "who is gone is no neighbour: two of three");
}

#[test]
fn a_cut_ends_with_the_first_believed_round() {
    let mut world = World::new(FLEET);
    world.play(CLOSED);
    world.play("d .");
    assert_eq!(cuts(&world), "");
}

#[test]
fn silent_witnesses_tell_of_no_cut() {
    let mut world = World::new(FLEET);
    world.play(CLOSED);
    world.evaluate(300_000 + 180_000);
    assert_eq!(cuts(&world), "RU tcp4: d e lost a b c f");
    world.evaluate(300_000 + 180_001);
    assert_eq!(cuts(&world), "");
}
