//! R3, R10, R12 · What is said of witnesses that see too little.

use expect_test::expect;

use super::check;
use crate::tests::timeline::World;

#[test]
fn a_discredited_witness_is_told_with_what_it_saw() {
    let mut world = World::new("a NL tls:tcp4 quic:udp4\nb NL tls:tcp4 quic:udp4\nc DE tls:tcp4 quic:udp4");
    world.play(
        "a>b/quic . x x x x
         a>c/quic . x x x x",
    );
    check(
        &world,
        "a",
        &expect![[r#"
            (OK)
            a (NL) is OK: nothing stands against it. [R11]
            a/quic is clear: 2 servers reach it, and nobody accuses it. [R7]
            a/tls is clear: 2 servers reach it, and nobody accuses it. [R7]
            As a witness a is not believed on udp4: in its last round it saw 0 of 2 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble until it sees enough again; what it reaches still counts. [R3]
            What to do if a goes on seeing so little: look at its own way out, at its firewall, its provider, and at whether the network it stands in blocks what it dials. [R3, R10]
        "#]],
    );
    check(
        &world,
        "b/quic",
        &expect![[r#"
            (-)
            b/quic is clear: no verdict and no mark stands against it, and one server reaches it. [R7]
            Reached, and vouched for, by c (DE). [R7]
            Does not count: a (NL; saw 0 of 2 living servers). A witness whose last round on udp4 saw less than 50 % of its living neighbours is taken to be in trouble itself, and its failures are discarded. [R3]
        "#]],
    );
}

#[test]
fn a_half_blind_witness_is_told_once() {
    let mut world = World::new("a NL\nb DE\nc PL\nd FI\ne SE\nf CH\ng AT\nh CZ");
    world.play(
        "a>b . x x x x
         a>c . x x x x
         a>d . x x x x",
    );
    check(
        &world,
        "a",
        &expect![[r#"
            (OK)
            a (NL) is OK: nothing stands against it. [R11]
            a/tls is clear: 7 servers reach it, and nobody accuses it. [R7]
            As a witness a is half-blind: it cannot see 3 of the 7 servers it judges, more than 25 % of them: b (DE), c (PL) and d (FI). That is said once here, not as a mark on each of them; its votes still count. [R10]
            What to do if a goes on seeing so little: look at its own way out, at its firewall, its provider, and at whether the network it stands in blocks what it dials. [R3, R10]
        "#]],
    );
    check(
        &world,
        "b",
        &expect![[r#"
            (OK)
            b (DE) is OK: nothing stands against it. [R11]
            b/tls is clear: no verdict and no mark stands against it, and 6 servers reach it. [R7]
            Accusing: a (NL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by c (PL), d (FI), e (SE), f (CH), g (AT) and h (CZ). [R7]
            By sites (servers of one site have one vote): 1 against and 6 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            No mark because of a (NL): that it is half-blind is said once, about the witness. [R10]
        "#]],
    );
}

#[test]
fn a_country_cut_is_told_on_both_sides() {
    let mut world = World::new("a NL\nb NL\nc DE\nf FI\nd RU\ne RU");
    world.play(
        "d>a . x x x x
         d>b . x x x x
         d>c . x x x x
         d>f . x x x x
         e>a . x x x x
         e>b . x x x x
         e>c . x x x x
         e>f . x x x x",
    );
    check(
        &world,
        "a",
        &expect![[r#"
            (OK)
            a (NL) is OK: nothing stands against it. [R11]
            a/tls is clear: no verdict and no mark stands against it, and 3 servers reach it. [R7]
            Reached, and vouched for, by b (NL), c (DE) and f (FI). [R7]
            Does not count: d (RU; saw 1 of 5 living servers) and e (RU; saw 1 of 5 living servers). A witness whose last round on tcp4 saw less than 50 % of its living neighbours is taken to be in trouble itself, and its failures are discarded. [R3]
            RU is cut off from a and from at least half of what its servers look at on tcp4: d (RU) and e (RU) lost sight of it at once, and no server of RU sees it there. That alone changes no status, but users of RU are offered it after others, and what these witnesses had found about it does not lapse while the cut lasts. [R12, R14, R18]
        "#]],
    );
    check(
        &world,
        "d",
        &expect![[r#"
            (OK)
            d (RU) is OK: nothing stands against it. [R11]
            d/tls is clear: 5 servers reach it, and nobody accuses it. [R7]
            As a witness d is not believed on tcp4: in its last round it saw 1 of 5 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble until it sees enough again; what it reaches still counts. [R3]
            RU, where d stands, is cut off on tcp4 from a (NL), b (NL), c (DE) and f (FI): d (RU) and e (RU) lost sight of them at once. [R12]
        "#]],
    );
}
