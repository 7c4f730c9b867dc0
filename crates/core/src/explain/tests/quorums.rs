//! R8 · How a quorum against a quorum is told.

use expect_test::expect;

use super::check;
use crate::tests::timeline::World;

#[test]
fn contested_names_both_groups() {
    let mut world = World::new("a1 NL\na2 DE\nb1 FI\nb2 SE\nc PL");
    world.play(
        "a1>b1 . x x x x
         a1>b2 . x x x x
         a2>b1 . x x x x
         a2>b2 . x x x x
         b1>a1 . x x x x
         b1>a2 . x x x x
         b2>a1 . x x x x
         b2>a2 . x x x x",
    );
    check(
        &world,
        "a1",
        &expect![[r#"
            (Servers disagree)
            Your servers disagree about a1 (NL): two groups of them cannot see each other. So it is marked, and stays in its routes. [R8, R11]
            a1/tls is contested: b1 (FI) and b2 (SE) cannot reach it, and are accused themselves. [R8]
            Accusing: b1 (FI; 4 failures in a row since 02:00) and b2 (SE; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by a2 (DE) and c (PL). [R7]
            By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            There is a quorum against it, but there is one against b1 (FI) and b2 (SE) as well, who say so: neither group is clearly the blocked one. So it is marked, and not removed. [R8]
            The sides that accuse each other: a1 (NL) and a2 (DE) | b1 (FI) and b2 (SE). [R8]
            What lifts it: that the servers see each other again, or that one group turns out to be the blocked one. [R4, R8]
            What to do: look at the network between the two groups. A verifier among your servers would decide it. [R8, R9]
        "#]],
    );
}

#[test]
fn explained_says_whose_trouble_explains_it() {
    let mut world = World::new("a NL\nb NL\nc1 DE\nc2 DE\nd1 FI\nd2 SE\ne PL");
    world.play(
        "*>a  . x x x x
         *>b  . x x x x
         b>a  . . . . .
         a>b  . . . . .
         a>c1 . x x x x
         b>c1 . x x x x
         a>c2 . . . . .",
    );
    check(
        &world,
        "c1",
        &expect![[r#"
            (OK)
            c1 (DE) is OK: nothing stands against it. [R11]
            c1/tls is clear: no verdict and no mark stands against it, and 4 servers reach it. [R7]
            Accusing: a (NL; 4 failures in a row since 02:00) and b (NL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by c2 (DE), d1 (FI), d2 (SE) and e (PL). [R7]
            By sites (servers of one site have one vote): 2 against and 4 for it in the whole fleet; 2 against and 0 for it in NL. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            There is a quorum against it only together with a (NL) and b (NL), which are unreachable themselves: their own trouble explains what they say, so this is no verdict. [R8]
            No mark because of a (NL) and b (NL): what is unreachable or blocked itself marks nobody. [R10]
        "#]],
    );
}

#[test]
fn a_quorum_of_the_unaccused_is_told_apart_from_the_accused() {
    let mut world = World::new("a DE\nb FI\nc PL\nt NL\nu SE");
    world.play("a>t . x x x x\nb>t . x x x x\nc>t . x x x x\nt>a . x x x x\nu>a . x x x x");
    check(
        &world,
        "t/tls",
        &expect![[r#"
            (-)
            t/tls is unreachable in the whole fleet: a (DE), b (FI) and c (PL) cannot reach it. [R7, R8]
            Accusing: a (DE; 4 failures in a row since 02:00), b (FI; 4 failures in a row since 02:00) and c (PL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by u (SE). [R7]
            By sites (servers of one site have one vote): 3 against and 1 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            Accused by a quorum themselves: a (DE). The others are a quorum without them: b (FI) and c (PL). [R8]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            t itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look at what stops it on the way: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn a_whole_country_is_named_where_it_decides() {
    let mut world = World::new("n1 NL\nn2 DE\nr1 RU\nr2 RU\nx NL");
    world.play("n1>r1 . x x x x\nn2>r1 . x x x x\nr1>n1 . x x x x\nr2>n1 . x x x x");
    check(
        &world,
        "n1/tls",
        &expect![[r#"
            (-)
            n1/tls is unreachable in RU and in the whole fleet: r1 (RU) and r2 (RU) cannot reach it. [R7, R8]
            Accusing: r1 (RU; 4 failures in a row since 02:00) and r2 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by n2 (DE) and x (NL). [R7]
            By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            Some of its accusers are accused themselves, but nobody in RU can reach it and none of its accusers is out of a whole country's reach: that is how a block looks. [R8]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            n1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look at what stops it on the way from RU: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}
