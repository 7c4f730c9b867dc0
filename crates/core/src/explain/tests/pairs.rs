//! R9, R10 · Too few for a verdict: marks, and accusations that leave none.

use expect_test::expect;

use super::{FIVE, check};
use crate::tests::timeline::World;

#[test]
fn a_broken_pair_names_both_and_advises_a_verifier_only() {
    let mut world = World::new(FIVE);
    world.play(
        "ru-1>nl-1 . x x x x
         nl-1>ru-1 . x x x x",
    );
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Connection check fails: nl-1 and ru-1)
            The connection check of nl-1 (NL) fails from ru-1 (RU) alone. Whose address is blocked, if any, cannot be told from one pair, so nothing is taken out of a route. [R10, R11]
            nl-1/tls has a broken pair: ru-1 (RU) cannot reach it. [R10]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken both ways: ru-1 (RU) and nl-1 cannot see each other, and carry a mark each. [R10]
            What lifts it: one successful probe by ru-1 (RU). [R4, R10]
            Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
    check(
        &world,
        "ru-1/tls",
        &expect![[r#"
            (-)
            ru-1/tls has a broken pair: nl-1 (NL) cannot reach it. [R10]
            Accusing: nl-1 (NL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken both ways: nl-1 (NL) and ru-1 cannot see each other, and carry a mark each. [R10]
            What lifts it: one successful probe by nl-1 (NL). [R4, R10]
            Whether ru-1 (RU) or nl-1 (NL) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
}

#[test]
fn a_one_way_broken_pair_marks_the_side_that_is_not_reached() {
    let mut world = World::new(FIVE);
    world.play("ru-1>nl-1 . x x x x");
    check(
        &world,
        "nl-1/tls",
        &expect![[r#"
            (-)
            nl-1/tls has a broken pair: ru-1 (RU) cannot reach it. [R10]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken one way: ru-1 (RU) cannot reach nl-1, but nl-1 does not accuse it. The side that is not reached carries the mark. [R10]
            What lifts it: one successful probe by ru-1 (RU). [R4, R10]
            Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
    check(
        &world,
        "ru-1",
        &expect![[r#"
            (OK)
            ru-1 (RU) is OK: nothing stands against it. [R11]
            ru-1/tls is clear: 4 servers reach it, and nobody accuses it. [R7]
        "#]],
    );
}

#[test]
fn two_broken_pairs_name_each_witness() {
    let mut world = World::new("t NL\na DE\nb FI\nc PL\nd SE\ne CH");
    world.play("a>t . x x x x\nb>t . x x x x");
    check(
        &world,
        "t/tls",
        &expect![[r#"
            (-)
            t/tls has broken pairs: a (DE) and b (FI) cannot reach it. [R10]
            Accusing: a (DE; 4 failures in a row since 02:00) and b (FI; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by c (PL), d (SE) and e (CH). [R7]
            By sites (servers of one site have one vote): 2 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken one way: a (DE) and b (FI) cannot reach t, but t does not accuse them. The side that is not reached carries the mark. [R10]
            What lifts it: one successful probe by each of a (DE) and b (FI). [R4, R10]
            Whether t (NL) or any of a (DE) and b (FI) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
}

#[test]
fn an_ordinary_server_against_a_verifier_means_nothing() {
    let mut world = World::new("a NL\nb DE\nc PL\nv RU verifier");
    world.play("a>v . x x x x");
    check(
        &world,
        "v",
        &expect![[r#"
            (OK)
            v (RU) is OK: nothing stands against it. [R11]
            v/tls is clear: no verdict and no mark stands against it, and 2 servers reach it. [R7]
            Accusing: a (NL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by b (DE) and c (PL). [R7]
            By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            v is a verifier: that a (NL) cannot reach it means nothing by itself, and leaves no mark. [R9, R10]
        "#]],
    );
}

#[test]
fn void_votes_say_why() {
    let mut world = World::new("a1 NL\na2 NL\nb DE\nc PL\nv RU verifier");
    world.play(
        "v>a1 . x x x x
         v>a2 . x x x x
         a1>v . x x x x
         a2>v . x x x x",
    );
    check(
        &world,
        "v",
        &expect![[r#"
            (OK)
            v (RU) is OK: nothing stands against it. [R11]
            v/tls is clear: no verdict and no mark stands against it, and 2 servers reach it. [R7]
            Reached, and vouched for, by b (DE) and c (PL). [R7]
            Does not count: a1 (NL) and a2 (NL) cannot reach it either, but it is a verifier and cannot see them, so their votes against it are void. [R9]
        "#]],
    );
}

#[test]
fn accusers_of_one_site_are_told_to_be_one_vote() {
    let mut world = World::new("t NL\na DE site=rack\nb DE site=rack\nc PL\nd SE");
    world.play("a>t . x x x x\nb>t . x x x x");
    check(
        &world,
        "t",
        &expect![[r#"
        (Connection check fails: a and t; b and t)
        The connection check of t (NL) fails from a (DE) and b (DE) alone. These are too few for a verdict, and do not tell whose trouble it is, so nothing is taken out of a route. [R10, R11]
        t/tls has broken pairs: a (DE) and b (DE) cannot reach it. [R10]
        Accusing: a (DE; 4 failures in a row since 02:00) and b (DE; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
        Reached, and vouched for, by c (PL) and d (SE). [R7]
        By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
        a (DE) and b (DE) share the site rack, and so have one vote together. [R7]
        Broken one way: a (DE) and b (DE) cannot reach t, but t does not accuse them. The side that is not reached carries the mark. [R10]
        What lifts it: one successful probe by each of a (DE) and b (DE). [R4, R10]
        Whether t (NL) or any of a (DE) and b (DE) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        If a (DE) and b (DE) do not stand in one place and fail apart from each other, give each a site, and so a vote, of its own: `quorate-aggregator server set b --site NAME`. [R7]
    "#]],
    );
}

#[test]
fn a_site_that_does_not_agree_with_itself_is_told() {
    let mut world = World::new("t NL\na DE site=rack\nb DE site=rack\nc PL\nd SE");
    world.play("a>t . x x x x\nc>t . x x x x");
    check(
        &world,
        "t/tls",
        &expect![[r#"
        (-)
        t/tls has broken pairs: a (DE) and c (PL) cannot reach it. [R10]
        Accusing: a (DE; 4 failures in a row since 02:00) and c (PL; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
        Reached, and vouched for, by b (DE) and d (SE). [R7]
        By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
        The site of a (DE) is not counted against it: b (DE) of the same site can reach it. [R7]
        Broken one way: a (DE) and c (PL) cannot reach t, but t does not accuse them. The side that is not reached carries the mark. [R10]
        What lifts it: one successful probe by each of a (DE) and c (PL). [R4, R10]
        Whether t (NL) or any of a (DE) and c (PL) is blocked cannot be told from so little. What to do: if you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
    "#]],
    );
}

#[test]
fn a_verifier_that_another_contradicts_decides_nothing_and_no_third_is_advised() {
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 RU verifier");
    world.play("v1>a . x x x x");
    check(
        &world,
        "a",
        &expect![[r#"
        (Connection check fails: a and v1)
        The connection check of a (NL) fails from v1 (RU) alone. Whose address is blocked, if any, cannot be told from one pair, so nothing is taken out of a route. [R10, R11]
        a/tls has a broken pair: v1 (RU) cannot reach it. [R10]
        Accusing: v1 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
        Reached, and vouched for, by b (DE) and v2 (RU). [R7]
        By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
        v1 (RU) is a verifier, but its word decides nothing here: v2 (RU) of the same country is one too, and reaches it. [R9]
        Broken one way: v1 (RU) cannot reach a, but a does not accuse it. The side that is not reached carries the mark. [R10]
        What lifts it: one successful probe by v1 (RU). [R4, R10]
        Whether a (NL) or v1 (RU) is blocked cannot be told from so little. [R9, R10]
    "#]],
    );
}
