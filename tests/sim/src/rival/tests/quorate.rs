//! Quorate with and without each of its rules on one timeline: what the rule is for is what differs.

use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet, Intent, RouteSpec, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::report::Health;

use super::{Look, NOBODY, Play, dead, fleet, plain, seen_down, setting, well};
use crate::rival::quorate::{Ablation, Quorate};
use crate::tape::Step;

fn whole(fleet: &Arc<Fleet>) -> Play {
    Play::with(Box::new(Quorate::new(&setting(fleet), None)), fleet)
}

fn without(ablation: Ablation, fleet: &Arc<Fleet>) -> Play {
    Play::with(Box::new(Quorate::new(&setting(fleet), Some(ablation))), fleet)
}

/// What Quorate removes at the end of the same timeline with and without a rule.
fn apart(ablation: Ablation, fleet: &Arc<Fleet>, timeline: impl Fn(&mut Play)) -> (Vec<usize>, Vec<usize>) {
    let [with, without] = [whole(fleet), without(ablation, fleet)].map(|mut play| {
        timeline(&mut play);
        play.judge()
    });
    (with, without)
}

#[test]
fn without_r1_a_witness_s_own_trouble_accuses() {
    let (with, without) = apart(Ablation::Inconclusive, &plain(5), |play| {
        play.round(well);
        play.rounds(3, |witness, target| if target == 0 && witness < 4 { Look::Unsure } else { Look::Up });
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

#[test]
fn without_r2_a_report_that_comes_late_again_brings_the_old_failures_back() {
    let (with, without) = apart(Ablation::Sequence, &plain(5), |play| {
        play.round(well);
        play.rounds(3, dead(&[0]));
        let old: Vec<_> = play.fleet.clone().server_ixs().map(|ix| play.report(ix, Health::Ok, &dead(&[0]))).collect();
        play.round(well);
        for report in (0..3).flat_map(|later| old.iter().map(move |report| (later, report.clone()))) {
            // The same message, delivered again as if it were new.
            let (later, mut report) = report;
            report.observed_at = play.now().after(super::ROUND * later);
            play.detector.take(report.observed_at, &Step::Report(report));
        }
        play.round += 2;
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

#[test]
fn without_r3_a_blind_witness_is_believed() {
    // 0 is seen by two and by two that see nothing at all.
    let (with, without) = apart(Ablation::Floor, &plain(5), |play| {
        play.round(well);
        play.rounds(3, |witness, _| if [1, 2].contains(&witness) { Look::Down } else { Look::Up });
    });
    assert_eq!(with, NOBODY);
    assert!(without.contains(&0), "{without:?}");
}

#[test]
fn without_lanes_a_witness_that_is_blind_on_udp_is_believed_there() {
    let two_lanes = fleet(5, |_, server: &mut ServerSpec| {
        let mut quic = server.entry_points[0].clone();
        quic.id = quic.id.replace("tls", "quic");
        quic.lane = Lane::Udp4;
        server.entry_points.push(quic);
    });
    let blind = |play: &mut Play| {
        play.round(well);
        for _ in 0..3 {
            play.round += 1;
            for witness in play.fleet.clone().server_ixs() {
                let mut report = play.report(witness, Health::Ok, &well);
                if [1, 2].contains(&witness.at()) {
                    let udp = |ix: EntryIx| play.fleet.entry_point(ix).lane == Lane::Udp4;
                    let lost = report.outcomes.iter_mut().filter(|(ix, _)| udp(*ix));
                    lost.for_each(|(_, outcome)| *outcome = Look::Down.outcome());
                }
                play.detector.take(play.now(), &Step::Report(report));
            }
        }
    };
    let (with, without) = apart(Ablation::Lanes, &two_lanes, blind);
    assert_eq!(with, NOBODY);
    assert!(without.contains(&0), "{without:?}");
}

#[test]
fn without_r5_one_failure_is_enough() {
    let (with, without) = apart(Ablation::Sustain, &plain(5), |play| {
        play.round(well);
        play.round(dead(&[0]));
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

#[test]
fn without_r6_a_server_that_says_it_is_down_is_not_heard() {
    let (with, without) = apart(Ablation::SelfReport, &plain(5), |play| {
        play.round_of(|server| Some(if server == 0 { Health::Down } else { Health::Ok }), well);
    });
    assert_eq!((with, without), (vec![0], NOBODY));
}

#[test]
fn without_r7_s_quorum_one_site_is_enough_where_nobody_else_looks() {
    let fleet = plain(5);
    let (with, without) = apart(Ablation::Quorum, &fleet, |play| {
        play.round(well);
        let one_looks = |witness: usize, target: usize| match (witness, target) {
            (1, 0) => Look::Down,
            (_, 0) => Look::Unsure,
            _ => Look::Up,
        };
        play.rounds(5, one_looks);
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

#[test]
fn without_r7_s_share_two_strays_are_enough() {
    let (with, without) = apart(Ablation::Share, &plain(9), |play| {
        play.round(well);
        play.rounds(3, seen_down(|witness| witness <= 2, 0));
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

#[test]
fn without_sites_two_servers_of_one_site_are_a_quorum() {
    let fleet = fleet(4, |number, server| server.site = (1..=2).contains(&number).then(|| "one".to_owned()));
    let (with, without) = apart(Ablation::Sites, &fleet, |play| {
        play.round(well);
        let looks = |witness: usize, target: usize| match (witness, target) {
            (1 | 2, 0) => Look::Down,
            (_, 0) => Look::Unsure,
            _ => Look::Up,
        };
        play.rounds(3, looks);
    });
    assert_eq!((with, without), (NOBODY, vec![0]));
}

/// Servers 1 to 3 stand in one country, the others in another.
fn two_countries() -> Arc<Fleet> {
    fleet(9, |number, server| {
        let country = if (1..=3).contains(&number) { "AA" } else { "BB" };
        server.country = Some(country.parse().expect("two capitals"));
    })
}

#[test]
fn without_countries_one_that_a_country_cannot_reach_is_left_in() {
    let (with, without) = apart(Ablation::Countries, &two_countries(), |play| {
        play.round(well);
        play.rounds(3, seen_down(|witness| witness <= 3, 0));
    });
    assert_eq!((with, without), (vec![0], NOBODY));
}

#[test]
fn without_r8_both_sides_of_a_broken_path_are_taken_away() {
    // Countries AA (0 to 3) and BB (4 to 7) do not reach each other; everybody reaches CC.
    let fleet = fleet(10, |number, server| {
        server.country = Some(["AA", "BB", "CC"][number / 4].parse().expect("two capitals"));
    });
    let broken = |play: &mut Play| {
        play.round(well);
        play.rounds(3, |witness, target| match (witness / 4, target / 4) {
            (0, 1) | (1, 0) => Look::Down,
            _ => Look::Up,
        });
    };
    let (with, without) = apart(Ablation::Contest, &fleet, broken);
    assert_eq!((with, without), (NOBODY, (0..8).collect()));
    let mut play = whole(&fleet);
    broken(&mut play);
    assert_eq!(play.doubted(), (0..8).collect::<Vec<usize>>(), "and it says so");
}

#[test]
fn without_r9_a_verifier_is_one_witness_of_many() {
    let fleet = fleet(6, |number, server| server.verifier = number == 1);
    let (with, without) = apart(Ablation::Verifier, &fleet, |play| {
        play.round(well);
        play.rounds(3, seen_down(|witness| witness == 1, 0));
    });
    assert_eq!((with, without), (vec![0], NOBODY));
}

#[test]
fn without_r13_an_entry_point_does_not_share_its_upstream_s_fate() {
    let fleet = fleet(6, |number, server| {
        if number == 0 {
            server.entry_points[0].upstreams = vec!["s01".to_owned()];
        }
    });
    let (with, without) = apart(Ablation::Chains, &fleet, |play| {
        play.round(well);
        play.rounds(3, dead(&[1]));
    });
    assert_eq!((with, without), (vec![0, 1], vec![1]));
}

#[test]
fn without_r14_silence_lifts_a_verdict() {
    let (with, without) = apart(Ablation::Hold, &plain(5), |play| {
        play.round(well);
        play.rounds(3, dead(&[0]));
        for _ in 0..5 {
            play.round_of(|server| (server == 0).then_some(Health::Ok), well);
        }
    });
    assert_eq!((with, without), (vec![0], NOBODY));
}

#[test]
fn without_r16_a_route_of_which_nothing_good_is_left_is_empty() {
    let fleet = plain(5);
    let route =
        vec![RouteSpec { id: "one".to_owned(), entry_points: vec!["s00/tls".to_owned()], audience: Vec::new() }];
    let fleet = Arc::new(Fleet::new((0..fleet.servers().len()).map(super::server).collect(), route).expect("a fleet"));
    for (mut play, delivered) in [(whole(&fleet), vec![EntryIx(0)]), (without(Ablation::LastResort, &fleet), vec![])] {
        play.round(well);
        play.rounds(3, dead(&[0]));
        assert_eq!(play.findings().delivered, [delivered]);
    }
}

#[test]
fn without_r18_a_route_s_audience_is_nobody_in_particular() {
    // 0 is out of reach from AA; the route is for BB.
    let specs = |audience: &str| {
        let route = RouteSpec {
            id: "bb".to_owned(),
            entry_points: vec!["s00/tls".to_owned(), "s05/tls".to_owned()],
            audience: vec![audience.parse().expect("two capitals")],
        };
        let servers = (0..9).map(|number| {
            let country = if (1..=3).contains(&number) { "AA" } else { "BB" };
            ServerSpec { country: Some(country.parse().expect("two capitals")), ..super::server(number) }
        });
        Arc::new(Fleet::new(servers.collect(), vec![route]).expect("a fleet"))
    };
    let fleet = specs("BB");
    for (mut play, count) in [(whole(&fleet), 2), (without(Ablation::Audience, &fleet), 1)] {
        play.round(well);
        play.rounds(3, seen_down(|witness| (1..=3).contains(&witness), 0));
        assert_eq!(play.findings().delivered[0].len(), count);
    }
}

#[test]
fn without_r19_one_country_empties_a_route() {
    // AA reaches none of the four of the route; BB reaches all.
    let fleet = two_countries();
    let servers = fleet.servers().iter().enumerate().map(|(number, own)| ServerSpec {
        country: own.country,
        intent: if (4..8).contains(&number) { Intent::Active } else { Intent::Drained },
        ..super::server(number)
    });
    let ids = (4..8).map(|number| format!("s{number:02}/tls")).collect();
    let route = RouteSpec { id: "all".to_owned(), entry_points: ids, audience: Vec::new() };
    let fleet = Arc::new(Fleet::new(servers.collect(), vec![route]).expect("a fleet"));
    for (mut play, count) in [(whole(&fleet), 4), (without(Ablation::Spare, &fleet), 1)] {
        play.round(well);
        play.rounds(3, |witness, target| match (witness, target) {
            (1..=3, 4..=6) => Look::Down,
            _ => Look::Up,
        });
        assert_eq!(play.findings().removed.len(), 3);
        assert_eq!(play.findings().delivered[0].len(), count);
    }
}
