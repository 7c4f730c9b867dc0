//! The whole way from scenarios to lines, on a few short ones: what a reader of the JSON relies on, and the goals that bear no
//! excuse. The figures themselves come from `cargo xtask bench detect`.

use serde_json::Value;

use super::*;
use crate::score::goal::Aim;

/// A crash in a fleet, a broken pair, a blind witness, and all that is down at once.
const SOME: [&str; 4] = ["S2b", "S3a", "S11a", "S17a"];

/// Quorate, and a rival under each tuning: nobody here has to be tuned first.
fn few(setting: &Setting) -> Vec<Entrant> {
    let mut few: Vec<Entrant> = everybody_documented(setting);
    few.retain(|entrant| ["quorate", "ceph", "any_witness"].contains(&entrant.detector.name()));
    few
}

fn everybody_documented(setting: &Setting) -> Vec<Entrant> {
    let ours = rival::quorates(setting).into_iter().map(|detector| Entrant { detector, tunings: &TUNINGS });
    let rivals = rival::rivals(setting, Tuning::Documented).into_iter();
    let rivals = rivals.map(|detector| {
        let tunings = if detector.name() == "ceph" { &TUNINGS[..1] } else { &TUNINGS[1..] };
        Entrant { detector, tunings }
    });
    ours.chain(rivals).collect()
}

fn played() -> Value {
    let mut courses = Course::scenarios(2);
    courses.retain(|course| SOME.contains(&course.name.as_str()));
    assert_eq!(courses.len(), SOME.len());
    let board = run(&courses, &few, 2, &|_, _| ());
    for goal in board.goals.iter().filter(|goal| matches!(goal.aim, Aim::NoEmptyRoute | Aim::NoWrongSide)) {
        assert!(goal.is_met(), "{goal:?}");
    }
    let judged = |aim| board.goals.iter().filter(|goal| goal.aim == aim).count();
    assert_eq!((judged(Aim::NoEmptyRoute), judged(Aim::NoWrongSide)), (4, 3));
    board.to_json(&courses)
}

#[test]
fn a_row_has_every_figure_and_its_interval_and_quorate_keeps_its_hard_goals() {
    let board = played();
    let rows = board["rows"].as_array().unwrap();
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or_else(|| panic!("no {key} in {row}"));
        assert!(SOME.contains(&text("scenario")) && TUNINGS.contains(&text("tuning")) && !text("detector").is_empty());
        assert_eq!(row["seeds"], 2);
        for quantile in ["p50", "p95", "p99"] {
            is_figure(&row["detection_s"], quantile);
        }
        for figure in [
            "wrong_side",
            "false_removals_per_server_month",
            "healthy_minutes_withheld",
            "dead_minutes_served",
            "abstained",
            "flips_per_incident",
            "heal_s",
            "empty_routes",
        ] {
            is_figure(row, figure);
        }
    }
    let of = |scenario: &str, tuning: &str, detector: &str| {
        let is = |row: &&Value| row["scenario"] == scenario && row["tuning"] == tuning && row["detector"] == detector;
        rows.iter().filter(is).count()
    };
    for scenario in SOME {
        let lines =
            TUNINGS.map(|tuning| ["quorate", "ceph", "any_witness"].map(|detector| of(scenario, tuning, detector)));
        assert_eq!(lines, [[1, 1, 0], [1, 0, 1]], "{scenario}");
    }
    let blames = |row: &&Value| row["detector"] == "any_witness" && row["wrong_side"].as_f64() > Some(0.0);
    assert!(rows.iter().any(|row| row["scenario"] == "S3a" && blames(&row)), "who believes anyone is wrong at times");
    assert!(board["cpu_s"]["tapes"].as_f64().unwrap() > 0.0);
}

/// A number or null, and an interval of the same beside it that holds it.
fn is_figure(within: &Value, name: &str) {
    let (value, interval) = (&within[name], within[format!("{name}_95")].as_array());
    let interval = interval.unwrap_or_else(|| panic!("{name} has no interval in {within}"));
    assert!(within.get(name).is_some_and(|value| value.is_number() || value.is_null()), "{name} in {within}");
    if let (Some(value), Some(low), Some(high)) = (value.as_f64(), interval[0].as_f64(), interval[1].as_f64()) {
        assert!(low <= value && value <= high, "{name}: {value} is not within {low} to {high}");
    }
}

#[test]
fn the_lines_are_the_same_on_one_processor_and_on_three() {
    let mut courses = Course::scenarios(2);
    courses.retain(|course| course.name == "S2a");
    let lines = |threads| {
        let mut rows: Vec<Value> = run(&courses, &few, threads, &|_, _| ()).rows.iter().map(Row::to_json).collect();
        for row in &mut rows {
            row["cpu_s"] = Value::Null;
        }
        rows
    };
    assert_eq!(lines(1), lines(3));
}

#[test]
fn a_scenario_is_meant_by_its_name_and_by_that_of_its_kind() {
    let courses = Course::scenarios(1);
    let meant = |wanted: &str| {
        courses
            .iter()
            .filter(|course| course.is_meant_by(wanted))
            .map(|course| course.name.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(meant("S1"), ["S1a", "S1b"]);
    assert_eq!(meant("S1b"), ["S1b"]);
    assert_eq!(meant("S4"), ["S4"]);
    assert!(meant("S").is_empty() && meant("1").is_empty());
}
