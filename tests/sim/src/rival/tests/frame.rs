//! What holds for all rivals alike: each report once, the fleet followed, nothing judged that is switched off, a crash found.

use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, Intent, ServerIx};
use quorate_core::report::Health;

use super::{Look, NOBODY, Play, dead, fleet, plain, setting, well};
use crate::rival::{Kind, Tuning, all};
use crate::tape::Step;

/// Replaces the fleet of a play.
fn replace(play: &mut Play, fleet: Arc<Fleet>) {
    play.detector.take(play.now(), &Step::Fleet(fleet.clone()));
    play.fleet = fleet;
}

#[test]
fn a_report_that_comes_twice_counts_once() {
    for kind in [Kind::Majority, Kind::Route53, Kind::Maddash, Kind::Rapid] {
        let mut play = Play::of(kind, &plain(12));
        play.round(well);
        play.round(dead(&[0]));
        for _ in 0..4 {
            for witness in play.fleet.clone().server_ixs() {
                let again = play.report(witness, Health::Ok, &dead(&[0]));
                play.detector.take(play.now(), &Step::Report(again));
            }
        }
        assert_eq!(play.judge(), NOBODY, "{}", kind.name());
    }
}

#[test]
fn evidence_stays_with_an_entry_point_when_others_come_and_go() {
    for kind in [Kind::Majority, Kind::Route53, Kind::Cloudflare, Kind::Maddash, Kind::Ceph] {
        let mut play = Play::of(kind, &plain(12));
        play.round(well);
        play.rounds(4, dead(&[5]));
        assert_eq!(play.servers(&play.findings().removed), [5], "{}", kind.name());
        // Server 2 goes, so that 5 is the fourth of the eleven that stay.
        let servers = (0..12).filter(|number| *number != 2).map(super::server).collect();
        replace(&mut play, Arc::new(Fleet::new(servers, Vec::new()).expect("it is a fleet")));
        let silence = play.round_of(|_| None, well);
        assert_eq!(silence, [4], "{}", kind.name());
    }
}

#[test]
fn an_entry_point_at_another_address_begins_anew() {
    for kind in Kind::ALL {
        let mut play = Play::of(kind, &plain(12));
        play.round(well);
        play.rounds(4, dead(&[5]));
        assert_eq!(play.judge(), [5], "{}", kind.name());
        replace(
            &mut play,
            fleet(12, |number, server| {
                server.entry_points[0].address = (number == 5).then(|| "198.51.100.5:443".to_owned());
            }),
        );
        assert_eq!(play.judge(), NOBODY, "{}", kind.name());
    }
}

#[test]
fn what_is_switched_off_is_never_judged_and_never_asked() {
    let off = fleet(12, |number, server| {
        if number < 8 {
            server.intent = Intent::Disabled;
        }
    });
    for kind in Kind::ALL {
        let mut play = Play::of(kind, &off);
        let looks = |witness: usize, target: usize| {
            // Those that are off see nothing, and nobody sees them.
            if witness < 8 || target < 8 { Look::Down } else { Look::Up }
        };
        assert_eq!(play.rounds(6, looks).concat(), NOBODY, "{}", kind.name());
        assert_eq!(play.findings().delivered, [[8, 9, 10, 11].map(EntryIx)], "{}", kind.name());
    }
}

#[test]
fn everybody_finds_a_crash_and_heals_of_it() {
    let fleet = plain(20);
    for detector in all(&setting(&fleet), Tuning::Documented) {
        let mut play = Play::with(detector, &fleet);
        let name = play.detector.name().to_owned();
        play.rounds(3, well);
        assert_eq!(play.findings().delivered[0].len(), 20, "{name}");
        let speaks = |server: usize| (server != 7).then_some(Health::Ok);
        for _ in 0..6 {
            play.round_of(speaks, dead(&[7]));
        }
        assert_eq!(play.judge(), [7], "{name}");
        assert!(!play.findings().delivered[0].contains(&EntryIx(7)), "{name}");
        play.rounds(6, well);
        assert_eq!(play.judge(), NOBODY, "{name}");
        assert_eq!(play.findings().delivered[0].len(), 20, "{name}");
    }
}

#[test]
fn detectors_have_names_of_their_own() {
    let names: Vec<String> =
        all(&setting(&plain(3)), Tuning::Documented).iter().map(|detector| detector.name().to_owned()).collect();
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert_eq!(names[0], "quorate");
}

#[test]
fn a_server_does_not_witness_itself() {
    let mut play = Play::of(Kind::AnyWitness, &plain(4));
    for _ in 0..4 {
        play.round += 1;
        let mut report = play.report(ServerIx(1), Health::Ok, &well);
        report.outcomes.push((EntryIx(1), Look::Down.outcome()));
        play.detector.take(play.now(), &Step::Report(report));
    }
    assert_eq!(play.judge(), NOBODY);
}
