//! What is said of each status and state, read by somebody who never saw the rules.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use alloc::format;
use alloc::string::{String, ToString};

use expect_test::{Expect, expect, expect_file};

use super::Sentence;
use crate::label;
use crate::tests::timeline::World;
use crate::time::Moment;

/// A badge, and the explanation under it.
fn told(world: &World, id: &str) -> String {
    let when = |at: Moment| format!("{:02}:{:02}", at.as_ms() / 60_000, at.as_ms() / 1000 % 60);
    let (fleet, policy, verdicts) = (&world.fleet, &world.policy, world.evaluator.verdicts());
    let (head, sentences) = match (fleet.find_server(id), fleet.find_entry_point(id)) {
        (Some(ix), _) => (label::badge(fleet, verdicts, ix), super::server(fleet, policy, verdicts, ix, &when)),
        (None, ix) => {
            let ix = ix.unwrap_or_else(|| panic!("no server and no entry point {id}"));
            (String::from("-"), super::entry_point(fleet, policy, verdicts, ix, &when))
        }
    };
    sentences.iter().fold(format!("({head})\n"), |text, sentence| text + &Sentence::to_string(sentence) + "\n")
}

fn check(world: &World, id: &str, expected: &Expect) {
    expected.assert_eq(&told(world, id));
}

const FIVE: &str = "
    nl-1 NL
    nl-2 NL
    de-1 DE
    ru-1 RU
    ru-2 RU
";

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
            nl-1/tls is clear: 4 servers reach it, and nobody says that it fails. [R7]
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
            nl-1 (NL) says so itself that it is unavailable, in its report of 05:00: a service does not run, or none of its entry points answers on the server itself. So nobody's accusation decides about it. [R6, R7, R11]
            Its entry points are delivered only where a route has nothing better. Its next healthy report lifts that; without any report it ends 15 min after the last one. [R6, R15, R16]
            nl-1/tls is down with its server; no accusation can add to that. [R6, R7]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            What to do: look at the services on nl-1 itself; the agent's self-check names them. [R6]
        "#]],
    );
}

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
            nl-1 (NL) is unreachable from your servers: 2 of 4 cannot see it (RU 2/2), and that goes for all it offers. [R11]
            nl-1/tls is unreachable in RU and in the whole fleet: ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00) and ru-2 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE) and nl-2 (NL). [R7]
            By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            nl-1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
            nl-1 (NL) is unreachable from your servers: 4 of 4 cannot see it (RU 2/2), and that goes for all it offers. [R11]
            Beside that, the server is silent. [R11]
            nl-1/tls is unreachable in RU and in the whole fleet: de-1 (DE), nl-2 (NL), ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: de-1 (DE; 5 failures in a row since 02:00), nl-2 (NL; 5 failures in a row since 02:00), ru-1 (RU; 5 failures in a row since 02:00) and ru-2 (RU; 5 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Nobody vouches for it: nobody reaches it. [R7]
            By sites (servers of one site have one vote): 4 against and 0 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            nl-1 is silent, so it may also be off. What to do: look whether it runs; if it does, look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
            What was found earlier still holds, though not said afresh: ru-1 (RU; 4 failures in a row from 02:00 on, silent since 05:00) and ru-2 (RU; 4 failures in a row from 02:00 on, silent since 05:00). Such a word keeps a verdict that stood, and makes no new one. [R14]
            Reached, and vouched for, by de-1 (DE) and nl-2 (NL). [R7]
            What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            nl-1 itself reports that it is well, last at 10:00: the trouble is on the way to it. What to do: look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
            a (NL) is blocked: whatever it offers is out of reach for a server whose word you trust, or for a quorum of all. [R9, R11]
            a/tls is blocked in RU: v1 (RU), whose word you trust, cannot reach it. [R9]
            Accusing: v1 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by b (DE) and v2 (IR). [R7]
            By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            v1 (RU) cannot reach it and is a verifier, a server whose word on a single pair you trust; no other verifier of the same country contradicts. [R9]
            What lifts it: one successful probe by v1 (RU), or by another verifier of the same country. Silence keeps it for 15 min after the last failure. [R4, R14]
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
            a (NL) is blocked: whatever it offers is out of reach for a server whose word you trust, or for a quorum of all. [R9, R11]
            Beside that, the server is silent. [R11]
            a/tls is blocked in RU: v1 (RU), whose word you trust, cannot reach it. [R9]
            Accusing: v1 (RU; 5 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by b (DE) and v2 (IR). [R7]
            By sites (servers of one site have one vote): 1 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            v1 (RU) cannot reach it and is a verifier, a server whose word on a single pair you trust; no other verifier of the same country contradicts. [R9]
            What lifts it: one successful probe by v1 (RU), or by another verifier of the same country. Silence keeps it for 15 min after the last failure. [R4, R14]
            a is silent, so it may also be off. What to do: look whether it runs; if it does, change its address. [R6, R9]
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
            nl-1 (NL) is partly unreachable: 1 of its 2 entry points. [R11]
            nl-1/quic is unreachable in RU and in the whole fleet: nl-2 (NL), ru-1 (RU) and ru-2 (RU) cannot reach it. [R7, R8]
            Accusing: nl-2 (NL; 4 failures in a row since 02:00), ru-1 (RU; 4 failures in a row since 02:00) and ru-2 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Nobody vouches for it: nobody reaches it. [R7]
            By sites (servers of one site have one vote): 3 against and 0 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            nl-1/tls is clear: 3 servers reach it, and nobody says that it fails. [R7]
            nl-1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look for what stops it there: a block of that protocol or port, a firewall. [R6, R9]
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
            Its silence accuses nobody and changes no route; while it lasts the server has no vote. Its next report ends it. [R6, R15]
            nl-1/tls is clear: 4 servers reach it, and nobody says that it fails. [R7]
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
            nl-1/tls is clear: 4 servers reach it, and nobody says that it fails. [R7]
            What to do: start the agent on nl-1, and enrol it if that was not done yet. [R6]
        "#]],
    );
}

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
            Your servers disagree about a1 (NL): servers accuse it, and are accused themselves. It is marked, and stays in its routes. [R8, R11]
            a1/tls is contested: b1 (FI) and b2 (SE) cannot reach it, and are accused themselves. [R8]
            Accusing: b1 (FI; 4 failures in a row since 02:00) and b2 (SE; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by a2 (DE) and c (PL). [R7]
            By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            There is a quorum against it, but a quorum accuses b1 (FI) and b2 (SE) as well: two groups of servers cannot see each other, and neither is clearly the blocked one. So it is marked, and not removed. [R8]
            What lifts it: that the servers see each other again, or that one group turns out to be the blocked one. [R4, R8]
            What to do: look at the network between the two groups. A verifier among your servers would decide it. [R8, R9]
        "#]],
    );
}

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
            The connection check of nl-1 (NL) fails for single pairs of servers. That does not tell whose address is blocked, so nothing is taken out of a route. [R10, R11]
            nl-1/tls has a broken pair: ru-1 (RU) cannot reach it. [R10]
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken pair: ru-1 (RU) and nl-1 cannot see each other. Both are marked, nobody is hidden. [R10]
            What lifts it: one successful probe by ru-1 (RU). [R4, R10]
            Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from a single pair. If you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
    check(
        &world,
        "ru-1/tls",
        &expect![[r#"
            (-)
            ru-1/tls has a broken pair: nl-1 (NL) cannot reach it. [R10]
            Accusing: nl-1 (NL; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken pair: nl-1 (NL) and ru-1 cannot see each other. Both are marked, nobody is hidden. [R10]
            What lifts it: one successful probe by nl-1 (NL). [R4, R10]
            Whether ru-1 (RU) or nl-1 (NL) is blocked cannot be told from a single pair. If you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
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
            Accusing: ru-1 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by de-1 (DE), nl-2 (NL) and ru-2 (RU). [R7]
            By sites (servers of one site have one vote): 1 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
            Broken pair: ru-1 (RU) cannot reach nl-1, while nl-1 has nothing to say against ru-1 (RU). The side that is not reached is marked; nobody is hidden. [R10]
            What lifts it: one successful probe by ru-1 (RU). [R4, R10]
            Whether nl-1 (NL) or ru-1 (RU) is blocked cannot be told from a single pair. If you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
        "#]],
    );
    check(
        &world,
        "ru-1",
        &expect![[r#"
            (OK)
            ru-1 (RU) is OK: nothing stands against it. [R11]
            ru-1/tls is clear: 4 servers reach it, and nobody says that it fails. [R7]
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
            Accusing: a (NL; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
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
            a/quic is clear: 2 servers reach it, and nobody says that it fails. [R7]
            a/tls is clear: 2 servers reach it, and nobody says that it fails. [R7]
            As a witness a is not believed on udp4: in its last round it saw 0 of 2 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble, until it sees enough again; what it reaches still counts. [R3]
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
            a/tls is clear: 7 servers reach it, and nobody says that it fails. [R7]
            As a witness a is half-blind: it cannot see 3 of the 7 servers it judges, more than 25 % of them: b (DE), c (PL) and d (FI). That is said once here, not as a mark on each of them; its votes still count. [R10]
        "#]],
    );
    check(
        &world,
        "b",
        &expect![[r#"
            (OK)
            b (DE) is OK: nothing stands against it. [R11]
            b/tls is clear: no verdict and no mark stands against it, and 6 servers reach it. [R7]
            Accusing: a (NL; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
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
            RU is cut off from a and from at least half of what its servers look at on tcp4: d (RU) and e (RU) lost sight of it at once, and no server of RU sees it there. That alone changes no status, but users of RU are offered it after others, and verdicts of these witnesses on it do not lapse while the cut lasts. [R12, R14, R18]
        "#]],
    );
    check(
        &world,
        "d",
        &expect![[r#"
            (OK)
            d (RU) is OK: nothing stands against it. [R11]
            d/tls is clear: 5 servers reach it, and nobody says that it fails. [R7]
            As a witness d is not believed on tcp4: in its last round it saw 1 of 5 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble, until it sees enough again; what it reaches still counts. [R3]
            On tcp4 RU, where d stands, is cut off from a (NL), b (NL), c (DE) and f (FI), as d (RU) and e (RU) tell. [R12]
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
            Accusing: a (NL; 4 failures in a row since 02:00) and b (NL; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
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
            Accusing: a (DE; 4 failures in a row since 02:00), b (FI; 4 failures in a row since 02:00) and c (PL; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by u (SE). [R7]
            By sites (servers of one site have one vote): 3 against and 1 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            Of these accused themselves: a (DE). Beyond doubt, and a quorum alone: b (FI) and c (PL). [R8]
            What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
            t itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
        Accusing: r1 (RU; 4 failures in a row since 02:00) and r2 (RU; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
        Reached, and vouched for, by n2 (DE) and x (NL). [R7]
        By sites (servers of one site have one vote): 2 against and 2 for it in the whole fleet; 2 against and 0 for it in RU. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
        Some of its accusers are accused themselves, but nobody in RU can reach it and none of its accusers is out of a whole country's reach: that is how a block looks. [R8]
        What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it for 15 min after the last failure. [R4, R14]
        n1 itself reports that it is well, last at 05:00: the trouble is on the way to it. What to do: look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
        What was found earlier still holds, though not said afresh: a (RU; 4 failures in a row from 02:00 on, not believed since 05:00, held by the country cut) and b (RU; 4 failures in a row from 02:00 on, not believed since 05:00, held by the country cut). Such a word keeps a verdict that stood, and makes no new one. [R14]
        Reached, and vouched for, by c (DE) and d (FI). [R7]
        Does not count: a (RU; saw 1 of 4 living servers) and b (RU; saw 1 of 4 living servers). A witness whose last round on tcp4 saw less than 50 % of its living neighbours is taken to be in trouble itself, and its failures are discarded. [R3]
        What lifts it: one successful probe wipes a server's accusation, and as soon as those that are left are no quorum anywhere, the verdict falls. Silence keeps it as long as the country cut lasts. [R4, R14]
        RU is cut off from t and from at least half of what its servers look at on tcp4: a (RU) and b (RU) lost sight of it at once, and no server of RU sees it there. That alone changes no status, but users of RU are offered it after others, and verdicts of these witnesses on it do not lapse while the cut lasts. [R12, R14, R18]
        t itself reports that it is well, last at 22:00: the trouble is on the way to it. What to do: look for what stops it there: a block by a network, the provider, a firewall. [R6, R9]
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
        t/tls has a broken pair: a (DE) and b (FI) cannot reach it. [R10]
        Accusing: a (DE; 4 failures in a row since 02:00) and b (FI; 4 failures in a row since 02:00). (A failure counts after 3 in a row over at least 90 s.) [R5, R7]
        Reached, and vouched for, by c (PL), d (SE) and e (CH). [R7]
        By sites (servers of one site have one vote): 2 against and 3 for it in the whole fleet. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. That is no quorum. [R7]
        Broken pair: a (DE) cannot reach t, while t has nothing to say against a (DE). The side that is not reached is marked; nobody is hidden. [R10]
        Broken pair: b (FI) cannot reach t, while t has nothing to say against b (FI). The side that is not reached is marked; nobody is hidden. [R10]
        What lifts it: one successful probe by each of a (DE) and b (FI). [R4, R10]
        Whether t (NL) or a (DE) and b (FI) is blocked cannot be told from a single pair. If you can vouch for one of them, make it a verifier: its word on a single pair then decides. [R9, R10]
    "#]],
    );
}

/// Every drawing of docs/rules.md is played, and what `explain` says of it stands below it. `UPDATE_EXPECT=1` writes it.
#[test]
fn the_examples_of_the_guide_say_what_is_said() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md"));
    let guide = guide.unwrap_or_else(|error| panic!("docs/rules.md: {error}"));
    let mut played = String::new();
    let mut example: Option<String> = None;
    for line in guide.lines() {
        match &mut example {
            None => {
                played += line;
                played += "\n";
                example = (line == "```fleet").then(String::new);
            }
            Some(drawn) if line == "```" => {
                played += &answered(drawn);
                played += "```\n";
                example = None;
            }
            Some(drawn) => {
                *drawn += line;
                *drawn += "\n";
            }
        }
    }
    expect_file!["../../../../docs/rules.md"].assert_eq(&played);
}

/// An example with what is said of its question: fleet, timeline, "? id", answer.
fn answered(drawn: &str) -> String {
    let (fleet, rest) = drawn.split_once("\n\n").unwrap_or_else(|| panic!("no timeline in\n{drawn}"));
    let (timeline, question) = rest.split_once("\n\n? ").unwrap_or_else(|| panic!("no question in\n{drawn}"));
    let id = question.lines().next().unwrap_or_default();
    let mut world = World::new(fleet);
    world.play(timeline);
    let mut text = format!("{fleet}\n\n{timeline}\n\n? {id}\n");
    for sentence in told(&world, id).lines().filter(|line| *line != "(-)") {
        text += &wrapped(sentence);
    }
    text
}

/// At most 118 columns, the following lines of a sentence indented.
fn wrapped(sentence: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in sentence.split(' ') {
        if column > 0 && column + 1 + word.chars().count() > 118 {
            text += "\n ";
            column = 1;
        }
        if column > 0 {
            text += " ";
            column += 1;
        }
        text += word;
        column += word.chars().count();
    }
    text + "\n"
}
