//! What `--explain` and `--summary` print for people.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on shall stop")]
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use expect_test::{Expect, expect};
use quorate_aggregator::replay::ReplayArgs;

use super::{case, run};

fn check_said(mut args: ReplayArgs, explain: Option<&str>, summary: bool, expected: &Expect) {
    args.explain = explain.map(String::from);
    args.summary = summary;
    let (printed, end) = run(&args);
    assert_eq!(end, Ok(()));
    expected.assert_eq(&printed);
}

#[test]
fn explain_says_at_the_end_why_a_server_is_as_it_is() {
    check_said(
        case("a_border_closes"),
        Some("d"),
        false,
        &expect![[r#"
            d at second 480:
            d (RU) is unreachable from your servers: 4 of 5 cannot see it (NL 2/2). [R11]
            d/tls is unreachable in NL and in the whole fleet: a (NL), b (NL), c (DE) and f (FI) cannot reach it. [R7, R8]
            Accusing: a (NL; 6 failures in a row since second 180), b (NL; 6 failures in a row since second 180), c (DE; 6 failures in a row since second 180) and f (FI; 6 failures in a row since second 180). (Failures count after 3 in a row over at least 90 s.) [R5, R7]
            Reached, and vouched for, by e (RU). [R7]
            By sites (servers of one site have one vote): 4 against and 1 for it in the whole fleet; 2 against and 0 for it in NL. A verdict takes at least 2 sites against it, and at least 50 % of those that say anything; within one country, more than 50 %. [R7]
            What lifts it: each server that reaches it again takes back its vote, and the verdict ends as soon as too few are left. Without news it stays for 15 min after the last failure. [R4, R14]
            As a witness d is not believed on tcp4: in its last round it saw 1 of 5 living servers there, less than 50 % of them. What fails for it there is taken for its own trouble until it sees enough again; what it reaches still counts. [R3]
            RU, where d stands, is cut off on tcp4 from a (NL), b (NL), c (DE) and f (FI): d (RU) and e (RU) lost sight of them at once. [R12]
            d itself reports that it is well, last at second 480: the trouble is on the way to it. What to do: look at what stops it on the way from NL: a network that blocks its address (a new address gets past that), its provider, its own firewall. [R6, R9]
        "#]],
    );
}

#[test]
fn explain_takes_an_entry_point_too() {
    check_said(
        case("votes_of_blocked_servers_against_the_verifier_are_void"),
        Some("v/tls"),
        false,
        &expect![[r#"
        v/tls at second 480:
        v/tls is clear: no verdict and no mark stands against it, and 2 servers reach it. [R7]
        Reached, and vouched for, by b (DE) and c (DE). [R7]
        Does not count: a1 (NL) and a2 (NL) cannot reach it either, but it is a verifier and cannot see them, so their votes against it are void. [R9]
    "#]],
    );
}

#[test]
fn explain_of_an_unknown_id_is_an_error_and_prints_nothing() {
    for summary in [false, true] {
        let (printed, end) =
            run(&ReplayArgs { explain: Some("nobody".into()), summary, ..case("one_failed_knock_means_nothing") });
        assert_eq!(printed, "");
        assert!(end.is_err_and(|error| error.contains("'nobody' is no server and no entry point")));
    }
}

#[test]
fn summary_prints_tables_for_people() {
    check_said(
        case("a_border_closes"),
        None,
        true,
        &expect![[r#"
        How long each server was in each status, in 7:00:
         server    ok  unreachable  changes
         a       7:00                     0
         b       7:00                     0
         c       7:00                     0
         d       4:00         3:00        1
         e       4:00         3:00        1
         f       7:00                     0

        How often each rule newly changed something:
         rule  what                                                               times
         R1    outcomes that were inconclusive, and no evidence                       0
         R2    reports ignored as repeated or older                                   0
         R3    rounds discredited on a lane                                          12
         R4    series of failures ended by a success                                  0
         R5    pairs that became sustained, and accuse                                8
         R6    servers that fell silent                                               0
         R6    servers that said they are down                                        0
         R7    entry points that a quorum began to accuse                             2
         R8    entry points that became unreachable                                   2
         R8    quorums explained by the accusers' own trouble                         0
         R8    entry points that became contested                                     0
         R9    entry points that became blocked                                       0
         R9    votes against a verifier that became void                              0
         R10   pairs that were marked as broken                                       0
         R10   witnesses that became half-blind                                       0
         R11   servers whose status changed                                           2
         R12   country cuts that were told                                            1
         R13   entry points that were cut off                                         0
         R14   verdicts that began to be held without a fresh quorum or verifier      0
         R15   entry points that left tier 0                                          2
         R16   routes that fell to their last resort                                  0
         R18   offers that the audience's view moved to another tier                  0
         R19   offers spared because one country would empty the route                0
    "#]],
    );
}

#[test]
fn summary_follows_servers_that_come_and_go() {
    check_said(
        case("a_new_address_starts_anew"),
        None,
        true,
        &expect![[r#"
        How long each server was in each status, in 8:00:
         server    ok  unreachable  changes
         a       6:00         2:00        3
         b       8:00                     0
         c       8:00                     0
         d       8:00                     0
         e       8:00                     0

        How often each rule newly changed something:
         rule  what                                                               times
         R1    outcomes that were inconclusive, and no evidence                       0
         R2    reports ignored as repeated or older                                   0
         R3    rounds discredited on a lane                                           0
         R4    series of failures ended by a success                                  0
         R5    pairs that became sustained, and accuse                                4
         R6    servers that fell silent                                               0
         R6    servers that said they are down                                        0
         R7    entry points that a quorum began to accuse                             2
         R8    entry points that became unreachable                                   2
         R8    quorums explained by the accusers' own trouble                         0
         R8    entry points that became contested                                     0
         R9    entry points that became blocked                                       0
         R9    votes against a verifier that became void                              0
         R10   pairs that were marked as broken                                       0
         R10   witnesses that became half-blind                                       0
         R11   servers whose status changed                                           3
         R12   country cuts that were told                                            0
         R13   entry points that were cut off                                         0
         R14   verdicts that began to be held without a fresh quorum or verifier      0
         R15   entry points that left tier 0                                          2
         R16   routes that fell to their last resort                                  0
         R18   offers that the audience's view moved to another tier                  0
         R19   offers spared because one country would empty the route                0
    "#]],
    );
}

#[test]
fn tables_and_an_explanation_come_together() {
    let (printed, end) = run(&ReplayArgs { explain: Some("d".into()), summary: true, ..case("a_border_closes") });
    assert_eq!(end, Ok(()));
    let (tables, why) = printed.split_once("d at second 480:\n").unwrap();
    assert!(tables.starts_with("How long each server was in each status"));
    assert!(why.starts_with("d (RU) is unreachable"));
}
