#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome};
use quorate_core::time::Moment;
use quorate_proto::v1;

use super::{Measured, Steps};

const MINUTE: Duration = Duration::from_secs(60);

fn at(minutes: u64) -> Moment {
    Moment::from_ms(minutes * 60_000)
}

fn report(metrics: v1::Metrics) -> v1::Report {
    let self_check = Some(v1::SelfCheck { metrics: Some(metrics), ..v1::SelfCheck::default() });
    v1::Report { self_check, ..v1::Report::default() }
}

fn means(steps: &Steps, name: &str) -> Option<Vec<Option<f32>>> {
    steps.means(Measured::NAMES.iter().position(|known| *known == name).unwrap())
}

#[test]
fn a_point_is_the_mean_of_its_step_and_a_step_without_reports_is_a_hole() {
    let mut steps = Steps::new(at(109), MINUTE * 40, 4);
    assert_eq!(steps.begins().collect::<Vec<_>>(), [70, 80, 90, 100].map(|minute| at(minute).as_ms()));
    for (minute, cpu) in [(69, 99.0), (70, 10.0), (79, 30.0), (90, 50.0), (109, 60.0), (110, 99.0)] {
        let metrics = v1::Metrics { cpu_percent: Some(cpu), ..v1::Metrics::default() };
        steps.add(at(minute), &Measured::of(&report(metrics), std::iter::empty()));
    }
    assert_eq!(means(&steps, "cpu_percent").unwrap(), [Some(20.0), None, Some(50.0), Some(60.0)]);
    assert_eq!(means(&steps, "load_per_core"), None, "nothing was measured of it");
}

#[test]
fn shares_need_a_whole_and_numbers_that_are_none_are_left_out() {
    let mut steps = Steps::new(at(1), MINUTE * 2, 2);
    let metrics = v1::Metrics {
        cpu_percent: Some(f32::NAN),
        memory_used_bytes: Some(1),
        memory_total_bytes: Some(4),
        disk_used_bytes: Some(1),
        disk_total_bytes: Some(0),
        ..v1::Metrics::default()
    };
    steps.add(at(0), &Measured::of(&report(metrics), std::iter::empty()));
    assert_eq!(means(&steps, "memory_used_share").unwrap(), [Some(0.25), None]);
    assert_eq!(means(&steps, "disk_used_share"), None);
    assert_eq!(means(&steps, "cpu_percent"), None);
}

#[test]
fn of_knocks_the_median_of_the_reached_and_the_share_of_the_failed_are_told() {
    let reached = |ms| Outcome::Reached { latency: Duration::from_millis(ms) };
    let (operation, kind) = (Operation::Connect, FailureKind::Timeout);
    let failed = Outcome::Failed(Failure { operation, kind, after: MINUTE, bytes: 0 });
    let knocks = [reached(10), reached(400), reached(20), failed];
    let mut steps = Steps::new(at(1), MINUTE * 2, 2);
    steps.add(at(1), &Measured::of(&v1::Report::default(), knocks.into_iter()));
    assert_eq!(means(&steps, "latency_ms").unwrap(), [None, Some(20.0)]);
    assert_eq!(means(&steps, "failed_share").unwrap(), [None, Some(0.25)]);
}
