//! What a timeline makes of evaluations.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::fleet::Fleet;
use quorate_core::ledger::Ledger;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::policy::Policy;
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};
use serde_json::json;

use super::{Course, Timeline};
use crate::inventory::Inventory;

const MINUTE: Duration = Duration::from_secs(60);

fn at(minute: u64) -> Moment {
    Moment::from_ms(60_000 * minute)
}

fn fleet() -> Fleet {
    let servers = ["a", "b", "c", "d"]
        .into_iter()
        .enumerate()
        .map(|(n, id)| json!({"id": id, "address": format!("198.51.{n}.7")}));
    let inventory = json!({
        "servers": servers.collect::<Vec<_>>(),
        "routes": [{"id": "all", "entry_points": ["a/tls", "b/tls", "c/tls"]}, {"id": "one", "entry_points": ["a/tls"]}],
    });
    serde_json::from_value::<Inventory>(inventory).unwrap().fleet().unwrap()
}

/// Everybody sees everybody, but nobody sees `a` if it is lost.
fn verdicts(fleet: &Fleet, is_lost: bool, now: Moment) -> Verdicts {
    let (operation, kind) = (Operation::Connect, FailureKind::Timeout);
    let failed = Outcome::Failed(Failure { operation, kind, after: MINUTE, bytes: 0 });
    let policy = Policy { sustain_for: Duration::ZERO, sustain_rounds: 1, ..Policy::default() };
    let mut ledger = Ledger::new(fleet, now);
    let lost = fleet.find_entry_point("a/tls").unwrap();
    for witness in fleet.server_ixs() {
        let outcome = |ix| if is_lost && ix == lost { failed } else { Outcome::Reached { latency: MINUTE } };
        let outcomes = fleet.entry_ixs().map(|ix| (ix, outcome(ix))).collect();
        let report = Report { witness, observed_at: now, health: Health::Ok, outcomes, sequence: None };
        ledger.fold(fleet, &policy, &report);
    }
    quorate_core::evaluate::verdicts(fleet, &policy, &mut ledger, now)
}

fn stays(course: &Course) -> Vec<(Status, u64, u64)> {
    let minute = |at: Moment| at.as_ms() / 60_000;
    course.stays.iter().map(|stay| (stay.status, minute(stay.from), minute(stay.to))).collect()
}

#[test]
fn statuses_make_stays_and_what_a_route_withholds_is_timed() {
    let fleet = fleet();
    let mut timeline = Timeline::new(at(10));
    for (minute, is_lost) in [(5, true), (12, true), (20, false), (30, true), (30, false)] {
        timeline.note(&fleet, &verdicts(&fleet, is_lost, at(minute)));
    }
    timeline.end(at(40));
    let a = &timeline.servers()["a"];
    assert_eq!(stays(a), [(Status::Unreachable, 10, 20), (Status::Ok, 20, 40)], "what took no time was not said");
    assert_eq!(a.stays[0].sites, 3);
    assert_eq!(a.withheld, MINUTE * 10);
    assert_eq!(stays(&timeline.servers()["b"]), [(Status::Ok, 10, 40)]);
    assert_eq!(timeline.routes()["all"].withheld, MINUTE * 10);
    let one = timeline.routes()["one"];
    assert_eq!((one.withheld, one.last_resort), (Duration::ZERO, MINUTE * 10), "a route is never empty");
}

#[test]
fn a_server_that_leaves_the_fleet_ends_and_one_that_joins_begins() {
    let (whole, empty) = (fleet(), Inventory::default().fleet().unwrap());
    let mut timeline = Timeline::new(at(0));
    timeline.note(&whole, &verdicts(&whole, true, at(0)));
    timeline.note(&empty, &verdicts_of_nobody(&empty, at(10)));
    timeline.note(&whole, &verdicts(&whole, false, at(20)));
    timeline.end(at(30));
    let a = &timeline.servers()["a"];
    assert_eq!(stays(a), [(Status::Unreachable, 0, 10), (Status::Ok, 20, 30)]);
    assert_eq!(a.withheld, MINUTE * 10);
    assert_eq!(timeline.routes()["one"].last_resort, MINUTE * 10);
}

fn verdicts_of_nobody(fleet: &Fleet, now: Moment) -> Verdicts {
    quorate_core::evaluate::verdicts(fleet, &Policy::default(), &mut Ledger::new(fleet, now), now)
}
