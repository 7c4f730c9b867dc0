//! Unreachable and blocked: who says so, where, what holds it, and what to do.

use expect_test::expect;

use super::{FIVE, check};
use crate::tests::timeline::World;

#[test]
fn unreachable_from_a_country_names_the_accusers_and_the_country() {
    let mut world = World::new(FIVE);
    world.play(
        "ru-1>nl-1 . x x x x
         ru-2>nl-1 . x x x x",
    );
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Unreachable from your servers: 2 of 4 cannot see it (RU 2/2))
            nl-1 (NL) is unreachable from your servers: 2 of 4 cannot see it (RU 2/2). [R11]
            nl-1/tls is unreachable in RU and in the whole fleet: ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00) and ru-2 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE) and nl-2 (NL). [R7]
            By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            nl-1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look at what stops it on the way from RU: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn unreachable_and_silent_may_also_be_off() {
    let mut world = World::new(FIVE);
    world.play(
        "*>nl-1   . x x x x x
         nl-1     . - - - - -",
    );
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Unreachable from your servers: 4 of 4 cannot see it (RU 2/2))
            nl-1 (NL) is unreachable from your servers: 4 of 4 cannot see it (RU 2/2). [R11]
            Beside that, the server is silent. [R11]
            nl-1/tls is unreachable in RU and in the whole fleet: de-1 (DE), nl-2 (NL), ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: de-1 (DE; 5 failures in a row since 02:00), nl-2 (NL; 5 failures in a row since 02:00), ru-1 (RU; 5 failures in a row since 02:00) and ru-2 (RU; 5 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Nobody vouches for it: no server reaches it. [R7]
            By sites (servers of one site have one vote): 4 against and 0 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            nl-1 is silent, so it may also be off. What to do: look whether it runs; if it does, look at what stops it on the way from RU: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn unreachable_held_through_silence_says_by_whom() {
    let mut world = World::new(FIVE);
    world.play(
        "ru-1>nl-1 . x x x x . . . . .
         ru-2>nl-1 . x x x x . . . . .
         ru-1      . . . . . - - - - -
         ru-2      . . . . . - - - - -",
    );
    check(
        &world,
        "nl-1/tls",
        &expect![[r#"
            (-)
            nl-1/tls is unreachable in RU and in the whole fleet: ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accused earlier, and not reached since: ru-1 (RU; 4 failures in a row from 02:00 on, silent since 05:00) and ru-2 (RU; 4 failures in a row from 02:00 on, silent since 05:00). An earlier accusation keeps a verdict that stood, and makes no new one. [R14]
            Reached, and vouched for, by de-1 (DE) and nl-2 (NL). [R7]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            nl-1 itself reports that it is well, last at 10:00: the trouble is on the way to it. What to do: look at what stops it on the way from RU: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn blocked_tells_to_change_the_address() {
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 IR verifier");
    world.play("v1>a . x x x x");
    check(
        &world,
        "a",
        &expect![[r#"
            (Address blocked, as seen from v1)
            a (NL) is blocked, as seen from v1 (RU): what it offers cannot be reached from there. [R9, R11]
            a/tls is blocked in RU: v1 (RU), whose word you trust, cannot reach it. [R9]
            Accusing: v1 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by b (DE) and v2 (IR). [R7]
            By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum, but a verifier's word needs none. [R7]
            v1 (RU) is a verifier, so its word on a single pair is enough, unless another verifier of the same country reaches it. [R9]
            What lifts it: one successful probe by v1 (RU), or by another verifier of the same country. Without news it stays for 15 min after the last failure. [R4, R14]
            a itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: change its address. [R6, R9]
        "#]],
    );
}

#[test]
fn blocked_and_silent_may_also_be_off() {
    let mut world = World::new("a NL\nb DE\nv1 RU verifier\nv2 IR verifier");
    world.play(
        "v1>a . x x x x x
         a    . - - - - -",
    );
    check(
        &world,
        "a",
        &expect![[r#"
            (Address blocked, as seen from v1)
            a (NL) is blocked, as seen from v1 (RU): what it offers cannot be reached from there. [R9, R11]
            Beside that, the server is silent. [R11]
            a/tls is blocked in RU: v1 (RU), whose word you trust, cannot reach it. [R9]
            Accusing: v1 (RU; 5 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by b (DE) and v2 (IR). [R7]
            By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum, but a verifier's word needs none. [R7]
            v1 (RU) is a verifier, so its word on a single pair is enough, unless another verifier of the same country reaches it. [R9]
            What lifts it: one successful probe by v1 (RU), or by another verifier of the same country. Without news it stays for 15 min after the last failure. [R4, R14]
            a is silent, so it may also be off. What to do: look whether it runs; if it does, change its address. [R6, R9]
        "#]],
    );
}

#[test]
fn a_verdict_behind_a_closed_border_is_held_by_the_cut() {
    let mut world = World::new("t NL\na RU\nb RU\nc DE\nd FI");
    world.play("a>t . x x x x\nb>t . x x x x");
    world.play(
        "a>* x x x x x x x x x x x x x x x x x
         b>* x x x x x x x x x x x x x x x x x
         a>b . . . . . . . . . . . . . . . . .
         b>a . . . . . . . . . . . . . . . . .",
    );
    check(
        &world,
        "t/tls",
        &expect![[r#"
            (-)
            t/tls is unreachable in RU and in the whole fleet: a (RU) and b (RU) cannot reach it. [R7, R8]
            Accused earlier, and not reached since: a (RU; 4 failures in a row from 02:00 on, not believed since 05:00, held by the country cut) and b (RU; 4 failures in a row from 02:00 on, not believed since 05:00, held by the country cut). An earlier accusation keeps a verdict that stood, and makes no new one. [R14]
            Reached, and vouched for, by c (DE) and d (FI). [R7]
            Does not count: a (RU; saw 1 of 4 living servers) and b (RU; saw 1 of 4 living servers). A witness whose last round on tcp4 saw less than 50 % of its living neighbours is taken to be in trouble itself, and its failures are discarded. [R3]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays while the country cut lasts. [R4, R14]
            RU is cut off from t and from at least half of what its servers look at on tcp4: a (RU) and b (RU) lost sight of it at once, and no server of RU sees it there. That alone changes no status, but users of RU are offered it after others, and what these witnesses had found about it does not lapse while the cut lasts. [R12, R14, R18]
            t itself reports that it is well, last at 22:00: the trouble is on the way to it. What to do: look at what stops it on the way from RU: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}
