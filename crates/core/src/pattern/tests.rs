//! Captions on timelines.

use alloc::string::String;
use alloc::vec::Vec;

use super::{CAPTIONS_MAX, Kind, captions};
use crate::tests::timeline::World;

/// The captions after the last round.
fn told(fleet: &str, drawn: &str) -> Vec<String> {
    let mut world = World::new(fleet);
    world.play(drawn);
    captions(&world.fleet, world.evaluator.verdicts()).into_iter().map(|caption| caption.text).collect()
}

const EIGHT: &str = "nl-1 NL\nnl-2 NL\nde-1 DE\nde-2 DE\nfr-1 FR\nfr-2 FR\nru-1 RU\nru-2 RU";

#[test]
fn a_mesh_that_is_well_has_no_caption() {
    assert_eq!(told(EIGHT, "nl-1>de-1 ."), [""; 0]);
}

#[test]
fn one_failed_knock_has_no_caption() {
    assert_eq!(told(EIGHT, "*>nl-1 . x"), [""; 0]);
}

#[test]
fn a_red_column_is_a_target_that_most_cannot_see() {
    let drawn = "*>nl-1 . x x x x\nnl-2>nl-1 . . . . .\nde-1>nl-1 . . . . .";
    assert_eq!(told(EIGHT, drawn), ["nl-1 is out of sight: 5 of 7 cannot see it (FR 2/2, RU 2/2)"]);
}

#[test]
fn a_country_that_cannot_see_a_server_is_a_column_as_on_its_badge() {
    let fleet = alloc::format!("{EIGHT}\nru-3 RU");
    let drawn = "ru-1>nl-1 . x x x x\nru-2>nl-1 . x x x x\nru-3>nl-1 . x x x x";
    assert_eq!(told(&fleet, drawn), ["nl-1 is out of sight: 3 of 8 cannot see it (RU 3/3)"]);
}

#[test]
fn an_entry_point_has_a_column_of_its_own_while_another_is_seen() {
    let fleet = "nl-1 NL tls:tcp4 quic:udp4\nde-1 DE\nde-2 DE\nfr-1 FR";
    assert_eq!(told(fleet, "*>nl-1/quic . x x x x"), ["nl-1/quic is out of sight: 3 of 3 cannot see it"]);
}

#[test]
fn a_server_that_is_down_says_so_itself() {
    let told = told(EIGHT, "*>nl-1 . x x x x\nnl-1 . D D D D");
    assert_eq!(told, ["nl-1 is out of sight: 7 of 7 cannot see it; it says itself that it is down"]);
}

#[test]
fn a_red_row_is_a_witness_that_is_not_believed() {
    // Its failures never count; its last successes are stale by the fifth round.
    let drawn = "ru-1>* . x x x x\nru-1>ru-2 . . . . .";
    assert_eq!(told(EIGHT, drawn), ["ru-1 as a witness sees 1 of 7: its word is discarded"]);
}

#[test]
fn a_witness_that_is_not_believed_is_told_at_once() {
    let mut world = World::new(EIGHT);
    let film = world.play("ru-1>* . x");
    let captions = captions(film.fleet, &film.frames[1]);
    assert_eq!(captions.len(), 1);
    assert_eq!((captions[0].kind, captions[0].cells), (Kind::Witness, 0));
    assert_eq!(captions[0].text, "ru-1 as a witness sees 0 of 7: its word is discarded");
}

#[test]
fn a_witness_that_cannot_send_udp_is_told_of_that_lane_alone() {
    let fleet = "a NL tls:tcp4 quic:udp4\nb DE tls:tcp4 quic:udp4\nc FR tls:tcp4 quic:udp4";
    let drawn = "a>b/quic . x x x x\na>c/quic . x x x x";
    assert_eq!(told(fleet, drawn), ["a as a witness sees 0 of 2 on udp4: its word there is discarded"]);
}

#[test]
fn a_half_blind_witness_is_a_row() {
    let drawn = "ru-1>nl-1 . x x x x\nru-1>de-1 . x x x x\nru-1>fr-1 . x x x x";
    assert_eq!(
        told(EIGHT, drawn),
        ["ru-1 as a witness cannot see 3 of 7: it is half-blind, and its votes still count"]
    );
}

#[test]
fn a_cross_is_a_server_that_is_off_the_net_both_ways() {
    let drawn = "*>nl-1 . x x x x\nnl-1>* . x x x x";
    assert_eq!(
        told(EIGHT, drawn),
        ["nl-1 is off the net both ways: it sees 0 of 7, and 7 of 7 cannot see it (DE 2/2, FR 2/2, RU 2/2)"]
    );
}

#[test]
fn a_cross_does_not_reach_to_lanes_on_which_its_witness_is_believed() {
    // a lost b on UDP long ago, and has not looked there again; on TCP it sees nobody, and nobody sees it.
    let mut world = World::new("a\nb x:tcp4 y:udp4\nc\nd");
    for (nth, mark) in [(1, '.'), (2, 'x'), (3, 'x'), (4, 'x')] {
        let at = 60_000 * nth;
        world.report(at, "b", &alloc::format!("a {mark} c . d ."));
        world.report(at, "c", &alloc::format!("a {mark} b/x . b/y . d ."));
        world.report(at, "d", &alloc::format!("a {mark} b/x . b/y . c ."));
        world.report(at, "a", &alloc::format!("b/x {mark} b/y {mark} c {mark} d {mark}"));
    }
    world.report(300_000, "a", "b/x x c x d x");
    for witness in ["b", "c", "d"] {
        world.report(300_000, witness, "a x");
    }
    let verdicts = world.evaluate(301_000).clone();
    let captions = captions(&world.fleet, &verdicts);
    let told: Vec<&str> = captions.iter().map(|caption| caption.text.as_str()).collect();
    assert_eq!(
        told,
        ["a is off the net both ways: it sees 0 of 3, and 3 of 3 cannot see it", "a cannot see b: nobody is blamed"]
    );
}

#[test]
fn a_block_is_the_way_from_a_country_to_another() {
    let fleet = "nl-1 NL\nnl-2 NL\nnl-3 NL\nde-1 DE\nde-2 DE\nfr-1 FR\nru-1 RU\nru-2 RU";
    let drawn = "ru-1>nl-1 . x x x x\nru-1>nl-2 . x x x x\nru-1>nl-3 . x x x x
                 ru-2>nl-1 . x x x x\nru-2>nl-2 . x x x x\nru-2>nl-3 . x x x x";
    assert_eq!(told(fleet, drawn), ["servers in RU cannot see those in NL (2 of 2, 3 of 3)"]);
}

#[test]
fn a_block_may_go_both_ways() {
    let drawn = "ru-1>nl-1 . x x x x\nru-1>nl-2 . x x x x\nru-2>nl-1 . x x x x\nru-2>nl-2 . x x x x
                 nl-1>ru-1 . x x x x\nnl-1>ru-2 . x x x x\nnl-2>ru-1 . x x x x\nnl-2>ru-2 . x x x x";
    assert_eq!(told(EIGHT, drawn), ["servers in NL and in RU cannot see each other (2 of 2, 2 of 2)"]);
}

#[test]
fn a_country_cut_off_from_the_rest_is_one_block() {
    let drawn = "
        ru-1>* . x x x x\nru-2>* . x x x x\n*>ru-1 . x x x x\n*>ru-2 . x x x x
        ru-1>ru-2 . . . . .\nru-2>ru-1 . . . . .";
    assert_eq!(told(EIGHT, drawn), ["servers in RU and outside it cannot see each other (2 of 2, 6 of 6)"]);
}

#[test]
fn a_country_that_sees_nobody_abroad_is_one_block() {
    let drawn = "ru-1>* . x x x x\nru-2>* . x x x x\nru-1>ru-2 . . . . .\nru-2>ru-1 . . . . .";
    assert_eq!(told(EIGHT, drawn), ["servers in RU cannot see those outside it (2 of 2, 6 of 6)"]);
}

#[test]
fn a_country_that_nobody_abroad_sees_is_one_block() {
    let drawn = "*>ru-1 . x x x x\n*>ru-2 . x x x x\nru-1>ru-2 . . . . .\nru-2>ru-1 . . . . .";
    assert_eq!(told(EIGHT, drawn), ["servers outside RU cannot see those in it (6 of 6, 2 of 2)"]);
}

#[test]
fn servers_of_a_country_that_are_off_one_by_one_are_no_block() {
    let drawn = "*>ru-1 . x x x x\n*>ru-2 . x x x x";
    let told = told(EIGHT, drawn);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().all(|text| text.contains("is out of sight: 7 of 7")), "{told:?}");
}

#[test]
fn islands_are_blocks_whatever_their_countries() {
    let fleet = "a NL\nb DE\nc FR\nd NL\ne DE\nf FR";
    let pairs = ["a>d", "a>e", "a>f", "b>d", "b>e", "b>f", "c>d", "c>e", "c>f"];
    let both = pairs.iter().flat_map(|pair| [String::from(*pair), pair.chars().rev().collect()]);
    let drawn: String = both.map(|pair| alloc::format!("{pair} . x x x x x\n")).collect();
    assert_eq!(
        told(fleet, &drawn),
        ["the island of a, b and c and that of d, e and f cannot see each other (3 of 3, 3 of 3)"]
    );
}

#[test]
fn a_single_pair_blames_nobody() {
    assert_eq!(
        told(EIGHT, "de-1>fr-1 . x x x x\nfr-1>de-1 . x x x x"),
        ["de-1 and fr-1 cannot see each other: nobody is blamed"]
    );
    assert_eq!(told(EIGHT, "de-1>fr-1 . x x x x"), ["de-1 cannot see fr-1: nobody is blamed"]);
}

#[test]
fn the_word_of_a_verifier_counts() {
    let fleet = EIGHT.replace("ru-1 RU", "ru-1 RU verifier");
    assert_eq!(
        told(&fleet, "ru-1>nl-1 . x x x x"),
        ["ru-1 cannot see nl-1: ru-1 is a verifier, so nl-1 counts as blocked"]
    );
    assert_eq!(
        told(&fleet, "nl-1>ru-1 . x x x x"),
        ["nl-1 cannot see ru-1: ru-1 is a verifier, so it means nothing by itself"]
    );
}

#[test]
fn a_pair_names_the_entry_point_where_another_one_is_seen() {
    let fleet = "a NL\nb DE\nc FR tls:tcp4 quic:udp4\nd FI";
    assert_eq!(told(fleet, "a>c/quic . x x x x"), ["a cannot see c/quic: nobody is blamed"]);
}

#[test]
fn the_strongest_comes_first_and_no_cell_is_told_twice() {
    let mut world = World::new(EIGHT);
    world.play("*>nl-1 . x x x x\nde-1>fr-1 . x x x x\nru-1>* . x x x x");
    let captions = captions(&world.fleet, world.evaluator.verdicts());
    let told: Vec<(Kind, usize)> = captions.iter().map(|caption| (caption.kind, caption.cells)).collect();
    assert_eq!(told, [(Kind::Target, 7), (Kind::Witness, 6), (Kind::Pair, 1)]);
}

#[test]
fn what_does_not_fit_is_counted() {
    let names: Vec<String> = (0..30).map(|n| alloc::format!("s{n:02}")).collect();
    let drawn: String = (0..15).map(|n| alloc::format!("s{n:02}>s{:02} . x x x x\n", 29 - n)).collect();
    let told = told(&names.join("\n"), &drawn);
    assert_eq!(told.len(), 15);
    let drawn: String = (0..30).map(|n| alloc::format!("s{n:02}>s{:02} . x x x x\n", (n + 1) % 30)).collect();
    let told = self::told(&names.join("\n"), &drawn);
    assert_eq!(told.len(), CAPTIONS_MAX + 1);
    assert_eq!(told[CAPTIONS_MAX], "10 more failing cells are not told here");
}
