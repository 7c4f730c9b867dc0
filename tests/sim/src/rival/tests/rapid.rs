//! Rapid: edges, alerts, the two marks, cuts, and how who was removed comes back.

use std::sync::Arc;

use quorate_core::fleet::{EntryIx, Fleet};
use quorate_core::report::Health;

use super::{Look, NOBODY, Play, dead, plain, seen_down, well};
use crate::rival::Kind;
use crate::rival::mesh::Mesh;
use crate::rival::rapid::rings::Rings;

/// Four of an edge's last ten probes.
const FAILURES: usize = 4;

/// Who observes a server, ring by ring, while all are members.
fn observers(fleet: &Arc<Fleet>, server: usize) -> Vec<usize> {
    let mut mesh = Mesh::new(fleet.clone());
    let play = Play::of(Kind::Rapid, fleet);
    for witness in fleet.server_ixs() {
        mesh.plan.take(&play.report(witness, Health::Ok, &well));
    }
    let rings = Rings::new(&mesh, 10, |_| true);
    rings.observers(EntryIx(u32::try_from(server).expect("few servers"))).iter().map(|ix| ix.at()).collect()
}

/// A server that ten different ones observe.
fn observed_by_ten(fleet: &Arc<Fleet>) -> (usize, Vec<usize>) {
    let all = (0..fleet.servers().len()).map(|server| (server, observers(fleet, server)));
    let distinct = |observers: &[usize]| observers.iter().collect::<std::collections::BTreeSet<_>>().len() == 10;
    all.into_iter().find(|(_, observers)| distinct(observers)).expect("most have ten in a fleet of forty")
}

#[test]
fn nine_alerts_of_ten_are_a_cut_and_eight_are_none_yet() {
    let fleet = plain(40);
    let (target, observers) = observed_by_ten(&fleet);
    for (alerting, removed) in [(9, vec![target]), (8, NOBODY)] {
        let mut play = Play::of(Kind::Rapid, &fleet);
        let looks = seen_down(|witness| observers[..alerting].contains(&witness), target);
        assert_eq!(play.rounds(FAILURES, looks).last(), Some(&removed), "{alerting} alerts");
    }
}

#[test]
fn who_does_not_observe_it_is_not_asked() {
    let fleet = plain(40);
    let (target, observers) = observed_by_ten(&fleet);
    let mut play = Play::of(Kind::Rapid, &fleet);
    assert_eq!(play.rounds(30, seen_down(|witness| !observers.contains(&witness), target)).concat(), NOBODY);
}

#[test]
fn an_edge_is_faulty_at_the_fourth_failure_among_its_last_ten_probes() {
    let mut play = Play::of(Kind::Rapid, &plain(40));
    play.round(well);
    assert_eq!(play.rounds(FAILURES, dead(&[0])), [NOBODY, NOBODY, NOBODY, vec![0]]);
}

#[test]
fn three_failures_of_ten_again_and_again_are_no_alert() {
    let mut play = Play::of(Kind::Rapid, &plain(40));
    for _ in 0..5 {
        assert_eq!(play.rounds(3, dead(&[0])).concat(), NOBODY);
        assert_eq!(play.rounds(7, well).concat(), NOBODY);
    }
}

#[test]
fn an_alert_is_not_taken_back() {
    let fleet = plain(40);
    let (target, observers) = observed_by_ten(&fleet);
    let mut play = Play::of(Kind::Rapid, &fleet);
    play.rounds(FAILURES, seen_down(|witness| observers[..2].contains(&witness), target));
    play.rounds(12, well);
    // Seven more, and the two of long ago make nine.
    let last = play.rounds(FAILURES, seen_down(|witness| observers[2..9].contains(&witness), target));
    assert_eq!(last.last(), Some(&vec![target]));
}

#[test]
fn two_alerts_are_noise_and_three_hold_up_all_others() {
    let fleet = plain(40);
    let (target, observers) = observed_by_ten(&fleet);
    let other = (0..40).find(|server| *server != target && !observers.contains(server)).expect("forty are more");
    for (alerting, removed) in [(2, vec![other]), (3, NOBODY)] {
        let mut play = Play::of(Kind::Rapid, &fleet);
        let looks = |witness: usize, looked_at: usize| {
            let lost = looked_at == other || looked_at == target && observers[..alerting].contains(&witness);
            if lost { Look::Down } else { Look::Up }
        };
        assert_eq!(play.rounds(FAILURES, looks).last(), Some(&removed), "{alerting} alerts about another");
    }
}

#[test]
fn one_that_stays_between_the_marks_is_reinforced_into_the_cut() {
    let fleet = plain(40);
    let (target, observers) = observed_by_ten(&fleet);
    let mut play = Play::of(Kind::Rapid, &fleet);
    let looks = seen_down(|witness| observers[..3].contains(&witness), target);
    play.rounds(FAILURES, &looks);
    assert_eq!(play.rounds(9, &looks).concat(), NOBODY);
    assert_eq!(play.round(&looks), [target]);
}

#[test]
fn many_that_die_together_leave_in_one_cut_though_they_observe_each_other() {
    let mut play = Play::of(Kind::Rapid, &plain(40));
    play.round(well);
    let lost: Vec<usize> = (0..12).collect();
    let speaks = |server: usize| (server >= 12).then_some(Health::Ok);
    let after: Vec<Vec<usize>> = (0..FAILURES).map(|_| play.round_of(speaks, dead(&lost))).collect();
    assert_eq!(after[..3].concat(), NOBODY);
    assert_eq!(after[3], lost);
}

#[test]
fn one_that_leaves_is_gone_at_once_and_joins_when_its_observers_reach_it() {
    let mut play = Play::of(Kind::Rapid, &plain(40));
    play.round(well);
    let word = |server: usize| Some(if server == 3 { Health::Down } else { Health::Ok });
    assert_eq!(play.round_of(word, well), [3]);
    assert_eq!(play.round_of(word, well), [3], "it does not ask to join");
    assert_eq!(play.round(dead(&[3])), [3], "nobody lets it in");
    assert_eq!(play.round(well), NOBODY);
}
