//! What a world is held to.

use std::time::Duration;

use quorate_core::outcome::{Evidence, FailureKind, Outcome};
use quorate_core::probe::ProbeKind;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;

use super::World;
use super::blueprint::{Blueprint, Door, Host, Judging};
use super::noise::{Burst, Noise};
use super::operation::{Group, Manner, Operation, Over, Trouble, Word};
use crate::tape::{Step, Tape, Timed};
use crate::truth::Plight;

/// Four servers in two countries that knock on each other over TLS, without noise.
fn village(operations: Vec<Operation>) -> Blueprint {
    let host = |number: u16| Host {
        country: Some(if number < 2 { "AA" } else { "BB" }.to_owned()),
        site: number,
        provider: (number % 2) as u8,
        verifier: false,
        ipv6: true,
        doors: vec![Door::Tls],
        forwards_to: Vec::new(),
    };
    Blueprint {
        hosts: (0..4).map(host).collect(),
        routes: Vec::new(),
        noise: Noise::default(),
        spacing_ms: 2_000,
        ends_ms: 20 * 60_000,
        judging: Judging::default(),
        operations,
    }
}

fn at(minute: u64) -> Moment {
    Moment::from_ms(60_000 * minute)
}

fn from(minute: u64, minutes: u64, trouble: Trouble) -> Operation {
    Operation::new(at(minute), Duration::from_secs(60 * minutes), trouble)
}

fn steps(blueprint: &Blueprint) -> Vec<Timed> {
    World::new(blueprint.clone(), 5).collect()
}

/// The reports of one server, each with when it came in.
fn reports_of(blueprint: &Blueprint, witness: u32) -> Vec<(Moment, Report)> {
    let reports = steps(blueprint).into_iter().filter_map(|timed| match timed.step {
        Step::Report(report) if report.witness.0 == witness => Some((timed.at, report)),
        _ => None,
    });
    reports.collect()
}

/// What one server saw of another one in rounds that ended within some minutes.
fn saw(reports: &[(Moment, Report)], target: u32, minutes: std::ops::Range<u64>) -> Vec<Outcome> {
    let within =
        reports.iter().filter(|(_, report)| (at(minutes.start)..at(minutes.end)).contains(&report.observed_at));
    within.flat_map(|(_, report)| &report.outcomes).filter(|(ix, _)| ix.0 == target).map(|(_, saw)| *saw).collect()
}

fn all_are(outcomes: &[Outcome], evidence: Evidence) -> bool {
    !outcomes.is_empty() && outcomes.iter().all(|outcome| outcome.evidence() == evidence)
}

#[test]
fn a_seed_gives_the_same_tape_twice_and_another_one_another() {
    let blueprint = crate::random::Case::of(3).blueprint;
    let tape = |seed: u64| format!("{:?}", World::new(blueprint.clone(), seed).collect::<Vec<_>>());
    assert_eq!(tape(1), tape(1));
    assert_ne!(tape(1), tape(2));
}

#[test]
fn time_never_goes_back_and_detectors_are_asked_once_an_interval() {
    let blueprint = village(vec![from(5, 3, Trouble::HostDead(1)), from(6, 2, Trouble::UplinkDead(Group::All))]);
    let steps = steps(&blueprint);
    assert!(steps.is_sorted_by_key(|timed| timed.at));
    let asked = steps.iter().filter(|timed| matches!(timed.step, Step::Judge)).map(|timed| timed.at);
    let asked: Vec<Moment> = asked.collect();
    assert!(asked.windows(2).all(|two| two[1].since(two[0]) <= Duration::from_secs(60)));
}

#[test]
fn everybody_reports_once_an_interval_what_is_planned() {
    for operations in [Vec::new(), vec![from(1, 1, Trouble::ClockOff(0, 5))]] {
        let reports = reports_of(&village(operations), 0);
        assert!((18..=20).contains(&reports.len()), "{} in 20 minutes", reports.len());
        let gaps = reports.windows(2).map(|two| two[1].1.observed_at.since(two[0].1.observed_at).as_secs());
        assert!(gaps.clone().all(|gap| (30..=90).contains(&gap)), "{:?}", gaps.collect::<Vec<_>>());
        assert!(reports.iter().all(|(_, report)| report.outcomes.len() == 3));
    }
}

#[test]
fn a_dead_host_is_not_reached_and_says_nothing() {
    let blueprint = village(vec![from(5, 5, Trouble::HostDead(1))]);
    let seen = reports_of(&blueprint, 0);
    assert!(all_are(&saw(&seen, 1, 2..5), Evidence::Reached));
    assert!(all_are(&saw(&seen, 1, 7..10), Evidence::Failed));
    assert!(all_are(&saw(&seen, 1, 12..15), Evidence::Reached));
    assert!(all_are(&saw(&seen, 2, 2..15), Evidence::Reached));
    let own = reports_of(&blueprint, 1);
    assert!(!own.iter().any(|(came, _)| (at(5)..at(10)).contains(came)));
}

#[test]
fn a_wall_stops_one_direction_in_its_own_manner() {
    let wall = |manner| Trouble::Wall {
        from: Group::Servers(vec![0]),
        to: Group::Country("BB".to_owned()),
        over: Over::Tcp,
        manner,
    };
    for (manner, kind, after) in [
        (Manner::Drop, FailureKind::Timeout, ProbeKind::Tcp.budget()),
        (Manner::Reset, FailureKind::ConnectionReset, Duration::from_millis(40)),
        (Manner::Swallow, FailureKind::Timeout, ProbeKind::Tls.budget()),
    ] {
        let blueprint = village(vec![from(5, 5, wall(manner))]);
        let seen = saw(&reports_of(&blueprint, 0), 2, 7..10);
        assert!(!seen.is_empty());
        for outcome in seen {
            let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
            assert_eq!((failure.kind, failure.after), (kind, after));
        }
        assert!(all_are(&saw(&reports_of(&blueprint, 2), 0, 7..10), Evidence::Reached), "the other way is open");
        assert!(all_are(&saw(&reports_of(&blueprint, 0), 1, 7..10), Evidence::Reached), "its own country is open");
    }
}

#[test]
fn reports_that_waited_come_in_a_burst_and_in_order() {
    let blueprint = village(vec![from(5, 6, Trouble::UplinkDead(Group::Servers(vec![1])))]);
    let reports = reports_of(&blueprint, 1);
    assert!(!reports.iter().any(|(came, _)| (at(5)..at(11)).contains(came)));
    let burst =
        reports.iter().filter(|(came, report)| came.since(report.observed_at) > Duration::from_secs(20)).count();
    assert!(burst >= 5, "{burst}");
    let numbers: Vec<u64> = reports.iter().filter_map(|(_, report)| Some(report.sequence.as_ref()?.number)).collect();
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "{numbers:?}");
}

#[test]
fn a_report_may_come_twice_and_never_before_an_older_one() {
    let bad = Trouble::BadMessages { servers: Group::All, lost_ppm: 300_000, doubled_ppm: 300_000, delay_ms: 5_000 };
    let reports = reports_of(&village(vec![from(2, 15, bad)]), 1);
    let numbers: Vec<u64> = reports.iter().filter_map(|(_, report)| Some(report.sequence.as_ref()?.number)).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    assert!(numbers.windows(2).any(|two| two[0] == two[1]), "some come twice");
    assert!(numbers.windows(2).all(|two| two[1] <= two[0] + 1), "none is lost for good");
}

#[test]
fn a_stopped_agent_saw_nothing_of_what_was_due_meanwhile() {
    let reports = reports_of(&village(vec![from(5, 4, Trouble::AgentStopped(1))]), 1);
    assert!(!reports.iter().any(|(came, _)| (at(5)..at(9)).contains(came)));
    let after = reports.iter().find(|(came, _)| *came >= at(9)).expect("it goes on");
    let silent = after.1.outcomes.iter().all(|(_, saw)| saw.evidence() != Evidence::Failed);
    assert!(silent, "{after:?}");
}

#[test]
fn a_wiped_agent_begins_an_outbox_anew() {
    for wiped in [false, true] {
        let reports = reports_of(&village(vec![from(5, 1, Trouble::AgentAway { server: 1, wiped })]), 1);
        let mut outboxes: Vec<_> =
            reports.iter().filter_map(|(_, report)| Some(report.sequence.as_ref()?.outbox.clone())).collect();
        outboxes.dedup();
        assert_eq!(outboxes.len(), if wiped { 2 } else { 1 });
    }
}

#[test]
fn a_liar_denies_whom_it_reaches() {
    let lie = Trouble::Lies { server: 0, about: Group::Servers(vec![1]), word: Word::Denies };
    let reports = reports_of(&village(vec![from(5, 5, lie)]), 0);
    assert!(all_are(&saw(&reports, 1, 6..10), Evidence::Failed));
    assert!(all_are(&saw(&reports, 2, 6..10), Evidence::Reached));
}

#[test]
fn what_was_seen_of_an_old_address_is_not_told_of_the_new_one() {
    let blueprint =
        village(vec![from(5, 6, Trouble::UplinkDead(Group::Servers(vec![0]))), from(8, 0, Trouble::NewAddress(1))]);
    let reports = reports_of(&blueprint, 0);
    assert!(saw(&reports, 1, 5..8).is_empty(), "it came after the address was gone");
    assert!(all_are(&saw(&reports, 2, 5..8), Evidence::Reached));
    assert!(all_are(&saw(&reports, 1, 13..19), Evidence::Reached));
}

#[test]
fn who_stops_serving_says_so_and_is_refused() {
    let blueprint = village(vec![from(5, 5, Trouble::ServiceStopped(1))]);
    let own = reports_of(&blueprint, 1);
    let during = own.iter().filter(|(came, _)| (at(6)..at(10)).contains(came));
    assert!(during.clone().count() >= 3 && during.clone().all(|(_, report)| report.health == Health::Down));
    assert!(all_are(&saw(&reports_of(&blueprint, 0), 1, 7..10), Evidence::Failed));
}

#[test]
fn truth_follows_from_what_befalls_users_and_not_from_what_servers_see() {
    let wall = |from: Group| Trouble::Wall { from, to: Group::Servers(vec![1]), over: Over::All, manner: Manner::Drop };
    let dead_for = |country: &str| Plight::DeadFor(vec![country.parse().expect("it is one")]);
    for (trouble, plight) in [
        (Trouble::HostDead(1), Some(Plight::Dead)),
        (Trouble::IngressDead(1, Over::Tcp), Some(Plight::Dead)),
        (Trouble::IngressDead(1, Over::Udp), None),
        (Trouble::CertificateExpired(1), Some(Plight::Dead)),
        (Trouble::EgressDead(1, Over::All), None),
        (Trouble::AgentStopped(1), None),
        (Trouble::Flaps { server: 1, up_ms: 20_000, down_ms: 20_000 }, Some(Plight::Undecided)),
        (Trouble::Lossy(1, 800_000), Some(Plight::Dead)),
        (Trouble::Lossy(1, 50_000), None),
        (wall(Group::All), Some(Plight::Dead)),
        (wall(Group::Servers(vec![0, 2, 3])), None),
        (wall(Group::Provider(0)), None),
        (wall(Group::Country("BB".to_owned())), Some(dead_for("BB"))),
        (wall(Group::NotCountry("BB".to_owned())), Some(dead_for("AA"))),
    ] {
        let mut world = World::new(village(vec![from(5, 5, trouble.clone())]), 5);
        world.by_ref().for_each(drop);
        let turns = world.truth().turns.iter().map(|turn| (turn.at, turn.entry_point.0, turn.plight.clone()));
        let expected = plight.map(|plight| vec![(at(5), 1, plight), (at(10), 1, Plight::Well)]);
        assert_eq!(turns.collect::<Vec<_>>(), expected.unwrap_or_default(), "{trouble:?}");
    }
}

#[test]
fn a_calm_world_loses_as_much_as_one_that_is_walked() {
    let noise = Noise {
        paths: Burst { lost_ppm: 20_000, worsens_ppm: 5_000, bad_lost_ppm: 500_000, recovers_ppm: 250_000 },
        hosts: Burst { lost_ppm: 0, worsens_ppm: 5_000, bad_lost_ppm: 300_000, recovers_ppm: 250_000 },
    };
    let lost = |operations: Vec<Operation>| {
        let blueprint = Blueprint { noise, ends_ms: 40 * 3_600_000, ..village(operations) };
        let reports = World::new(blueprint, 5).filter_map(|timed| match timed.step {
            Step::Report(report) => Some(report),
            _ => None,
        });
        let (mut all, mut lost) = (0_u64, 0_u64);
        for report in reports {
            all += report.outcomes.len() as u64;
            lost += report.outcomes.iter().filter(|(_, saw)| saw.evidence() == Evidence::Failed).count() as u64;
        }
        (all, lost * 1_000_000 / all)
    };
    let (calm, walked) = (lost(Vec::new()), lost(vec![from(1, 1, Trouble::ClockOff(0, 5))]));
    assert!(calm.0.abs_diff(walked.0) < 30, "{calm:?} {walked:?}");
    let expected = u64::from(noise.paths.mean_ppm() + 2 * noise.hosts.mean_ppm());
    for (_, ppm) in [calm, walked] {
        assert!(ppm.abs_diff(expected) < expected / 7, "{ppm} for {expected}");
    }
}
