#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::{IntakeError, Places, Taken, take};
use crate::engine::plan::{dialled, target};
use crate::engine::tests::inventory;
use crate::store::{PlannedTarget, StoredPlan};

/// What reports of server `a` by plan 1 lead to, one after the other: each knocks on `b/tls` and `c/tls` or on nothing.
fn taken(plans: &[u64], knocks: &[bool]) -> Vec<Taken> {
    let fleet = inventory().fleet().unwrap();
    let planned = |id: &str| {
        let address = dialled(&target(&fleet, fleet.find_entry_point(id).unwrap()).unwrap());
        PlannedTarget { entry_point: id.to_owned(), address }
    };
    let by_server = BTreeMap::from([("a".to_owned(), vec![planned("b/tls"), planned("c/tls")])]);
    let plans: BTreeMap<u64, StoredPlan> =
        plans.iter().map(|version| (*version, StoredPlan { by_server: by_server.clone() })).collect();
    let mut places = Places::default();
    let reached = [Outcome::Reached { latency: Duration::from_millis(20) }; 2];
    let report = |knocks: bool| v1::Report {
        plan_version: 1,
        outcomes: if knocks { quorate_proto::outcomes::pack(&reached) } else { Vec::new() },
        ..v1::Report::default()
    };
    let witness = fleet.find_server("a").unwrap();
    let take = |knocks: &bool| take(&fleet, &mut places, witness, &plans, Moment::ZERO, &report(*knocks));
    knocks.iter().map(take).collect()
}

#[test]
fn a_self_check_alone_before_the_first_round_of_a_plan_hides_no_outcome_of_it() {
    let taken = taken(&[1], &[false, true, true]);
    let found: Vec<_> = taken.iter().map(|taken| (taken.is_round, taken.report.outcomes.len())).collect();
    assert_eq!(found, [(false, 0), (true, 2), (true, 2)]);
}

#[test]
fn a_round_of_an_unknown_plan_is_told_and_says_nothing_of_others() {
    let taken = taken(&[2], &[true]);
    assert_eq!(taken[0].flaw, Some(IntakeError::UnknownPlan(1)));
    assert!(!taken[0].is_round && taken[0].report.outcomes.is_empty());
}
