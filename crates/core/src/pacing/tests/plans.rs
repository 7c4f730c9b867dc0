//! What a new plan does to the round that runs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

#[test]
fn a_new_plan_waits_for_the_end_of_the_round_and_keeps_what_is_known() {
    let mut pacing = Pacing::new(plan(3, 0), 9, Moment::ZERO);
    let mut street = Street::default();
    let mut dead = |target: &Target, _: usize| match target.entry_point.as_str() {
        "t1" => (TIMEOUT, secs(8)),
        _ => (REACHED, Duration::from_millis(60)),
    };
    street.drive(&mut pacing, secs(100), &[], &mut dead);
    let mut wider = plan(4, 0);
    wider.version = 2;
    wider.targets[1].probe.every = 100;
    let mut known = wider.clone();
    known.targets[1].probe.every = 1;
    pacing.handle_plan(known, street.now);
    street.drive(&mut pacing, secs(400), &[], &mut dead);
    let first_new = street.rounds.iter().position(|round| round.plan_version == 2).unwrap();
    assert!(street.rounds[..first_new].iter().all(|round| round.plan_version == 1 && round.outcomes.len() == 3));
    assert!(street.rounds[first_new..].iter().all(|round| round.plan_version == 2 && round.outcomes.len() == 4));
    assert!(street.rounds[first_new].ended_at <= Moment::ZERO.after(secs(220)));
}

#[test]
fn a_new_plan_cuts_a_round_of_hours_short_after_a_minute() {
    let long = ProbePlan { interval: Duration::from_hours(4), ..plan(100, 0) };
    let mut pacing = Pacing::new(long, 9, Moment::ZERO);
    let mut street = Street::default();
    let mut answer = |_: &Target, _: usize| (REACHED, secs(1));
    street.drive(&mut pacing, Duration::from_hours(5), &[], &mut answer);
    let handed_at = street.now;
    pacing.handle_plan(ProbePlan { version: 2, ..plan(101, 0) }, handed_at);
    street.drive(&mut pacing, Duration::from_hours(5) + secs(400), &[], &mut answer);
    let cut = street.rounds.iter().rfind(|round| round.plan_version == 1).unwrap();
    assert!(cut.ended_at <= handed_at.after(secs(61)));
    assert!(cut.outcomes.contains(&NOT_RUN));
    assert_eq!(street.rounds.last().unwrap().plan_version, 2);
}
