//! What is said of a server by its status.

use expect_test::expect;

use super::{FIVE, check};
use crate::tests::timeline::World;

#[test]
fn ok_is_told_in_one_sentence() {
    let mut world = World::new(FIVE);
    world.play("nl-1 . .");
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (OK)
            nl-1 (NL) is OK: nothing stands against it. [R11]
            nl-1/tls is clear: 4 servers reach it, and nobody accuses it. [R7]
        "#]],
    );
}

#[test]
fn disabled_names_its_operator() {
    let mut world = World::new("a NL disabled\nb NL\nc DE");
    world.play("a . .");
    check(
        &world,
        "a",
        &expect![[r#"
        (Disabled)
        a (NL) is disabled by its operator: it is not probed, has no vote, and nothing of it is delivered. [R11]
        What to do: set a to active or drained when it shall take part again. [R11]
    "#]],
    );
    check(
        &world,
        "a/tls",
        &expect![[r#"
        (-)
        a (NL) is disabled by its operator: it is not probed, has no vote, and nothing of it is delivered. [R11]
    "#]],
    );
}

#[test]
fn down_is_the_servers_own_word() {
    let mut world = World::new(FIVE);
    world.play(
        "nl-1     . D D D D
         ru-1>nl-1 . x x x x",
    );
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Server unavailable)
            nl-1 (NL) says itself that it is unavailable, in its report of 05:00: a service does not run, or none of its entry points answers on the server itself. So it needs no accusation, and none decides about it. [R6, R7, R11]
            Its entry points are delivered only where a route has nothing better. Its next healthy report lifts that; without any report it ends 15 min after the last one. [R6, R15, R16]
            nl-1/tls is down with its server; no accusation can add to that. [R6, R7]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            What to do: look on nl-1 itself: start the service that does not run; where it runs and an entry point fails, mend what is declared for that (sni, verify). [R6]
        "#]],
    );
}

#[test]
fn degraded_names_what_is_lost() {
    let mut world = World::new("nl-1 NL tls:tcp4 quic:udp4\nnl-2 NL tls:tcp4 quic:udp4\nru-1 RU\nru-2 RU");
    world.play("*>nl-1/quic . x x x x");
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Partly unreachable: nl-1/quic)
            nl-1 (NL) is partly unreachable: nl-1/quic, 1 of its 2 entry points. [R11]
            nl-1/quic is unreachable in RU and in the whole fleet: nl-2 (NL), ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: nl-2 (NL; 4 failures in a row since 02:00), ru-1 (RU; 4 failures in a row since 02:00) and ru-2 (RU; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Nobody vouches for it: no server reaches it. [R7]
            By sites (servers of one site have one vote): 3 against and 0 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            nl-1/tls is clear: 3 servers reach it, and nobody accuses it. [R7]
            nl-1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look at what stops it on the way from RU: a network that blocks that protocol or port, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn no_data_is_the_agents_trouble() {
    let mut world = World::new(FIVE);
    world.play("nl-1 . - - - - -");
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (No data from the server)
            There is no data from nl-1 (NL): its last report is of 01:00, more than 3 min ago. [R6, R11]
            While it is silent it has no vote, and nothing is taken out of a route for its silence alone. Its next report ends this. [R6, R15]
            nl-1/tls is clear: 4 servers reach it, and nobody accuses it. [R7]
            Your other servers still reach nl-1, so the server runs. What to do: look at the agent on nl-1: whether it runs, and whether it reaches the aggregator. [R6]
        "#]],
    );
}

#[test]
fn pending_waits_for_the_first_report() {
    let mut world = World::new(FIVE);
    world.play("nl-1 - -");
    check(
        &world,
        "nl-1",
        &expect![[r#"
            (Waiting for the first report)
            nl-1 (NL) has not reported yet. It has no vote until it does; after 3 min of silence this becomes "no data". [R6, R11]
            nl-1/tls is clear: 4 servers reach it, and nobody accuses it. [R7]
            What to do: start the agent on nl-1, and enrol it if that was not done yet. [R6]
        "#]],
    );
}

#[test]
fn a_cut_off_entry_names_the_dead_hops() {
    let mut world = World::new("in RU tls:tcp4>out1+out2\nout1 NL\nout2 DE\nx FI");
    world.play(
        "out1    . D D D D
         in>out2 . x x x x",
    );
    check(
        &world,
        "in",
        &expect![[r#"
            (OK)
            in (RU) is OK itself, but not what it forwards to. [R11, R13]
            in/tls is cut off: none of the servers it forwards to can be used. [R13]
            Reached, and vouched for, by out1 (NL), out2 (DE) and x (FI). [R7]
            What it forwards to: out1 (NL) is down and out2 (DE) is out of sight for in. [R13]
            What lifts it: one usable server behind it. [R13]
        "#]],
    );
}

#[test]
fn drained_is_said_beside_the_status() {
    let mut world = World::new("a NL drained\nb NL\nc DE");
    world.play("a . .");
    check(
        &world,
        "a",
        &expect![[r#"
        (OK)
        a (NL) is OK: nothing stands against it. [R11]
        a is drained by its operator: it is probed and has its vote, but a route delivers it only when it has no entry point of an active server left. [R16]
        a/tls is clear: 2 servers reach it, and nobody accuses it. [R7]
    "#]],
    );
}

#[test]
fn that_nobody_has_knocked_yet_is_not_called_clear() {
    let mut world = World::new("a NL\nb NL\nc DE");
    world.play("a . .\nb - -\nc - -\na>* ? ?");
    check(
        &world,
        "b",
        &expect![[r#"
        (Waiting for the first report)
        b (NL) has not reported yet. It has no vote until it does; after 3 min of silence this becomes "no data". [R6, R11]
        Nobody has knocked on b/tls yet, or no knock has told anything: nothing is known of it. [R7]
        What to do: start the agent on b, and enrol it if that was not done yet. [R6]
    "#]],
    );
}

#[test]
fn one_entry_point_alone_goes_without_a_count_and_several_are_counted() {
    let mut world = World::new("a NL x:tcp4 y:tcp4\nb DE\nc FI");
    world.play("*>a . x x x x");
    check(
        &world,
        "a",
        &expect![[r#"
        (Unreachable from your servers: 2 of 2 cannot see it)
        a (NL) is unreachable from your servers: 2 of 2 cannot see it. That goes for all of its 2 entry points. [R11]
        a/x is unreachable in the whole fleet: b (DE) and c (FI) cannot reach it. [R7, R8]
        Accusing: b (DE; 4 failures in a row since 02:00) and c (FI; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
        Nobody vouches for it: no server reaches it. [R7]
        By sites (servers of one site have one vote): 2 against and 0 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
        What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
        a/y is unreachable in the whole fleet: b (DE) and c (FI) cannot reach it. [R7, R8]
        Accusing: b (DE; 4 failures in a row since 02:00) and c (FI; 4 failures in a row since 02:00). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
        Nobody vouches for it: no server reaches it. [R7]
        By sites (servers of one site have one vote): 2 against and 0 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
        What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
        a itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look at what stops it on the way: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
    "#]],
    );
}
