//! What the scoreboard must show of Quorate, and by how much it does or does not.

use std::time::Duration;

use quorate_core::probe::ProbeKind;
use serde_json::{Value, json};

use super::row::Row;
use crate::tape::Setting;

/// The detector that the goals are about.
pub const OURS: &str = "quorate";
/// Before the names of the detectors that are Quorate without one of its rules.
pub const ABLATION: &str = "quorate-";

/// Scenarios in which nobody may be blamed who is well: single pairs, blind witnesses, islands, blocks.
const NO_BLAME: [&str; 6] = ["S2", "S3", "S8", "S11", "S12", "S21"];
/// Scenarios with a crash or a block that must be found in time.
const CRASH_OR_BLOCK: [&str; 5] = ["S1", "S4", "S11", "S12", "S21"];
/// The crashes that all are tuned on.
const CRASH: &str = "S1";
/// Of the best rival's false removals.
const AT_MOST: f64 = 0.1;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// No route that has an active entry point is ever delivered empty.
    NoEmptyRoute,
    /// Nobody is taken away who is well, on single pairs, islands, blocks and blind witnesses.
    NoWrongSide,
    /// False removals: at most a tenth of the best rival's that is as quick, or none where that one has none.
    FewFalseRemovals,
    /// A crash or a block is found within one round more than must fail, a probe's budget and a second, 99 times in 100.
    QuickDetection,
}

impl Aim {
    /// The word in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoEmptyRoute => "no_empty_route",
            Self::NoWrongSide => "no_wrong_side",
            Self::FewFalseRemovals => "few_false_removals",
            Self::QuickDetection => "quick_detection",
        }
    }
}

/// A goal in one scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// What is asked.
    pub aim: Aim,
    /// Where.
    pub scenario: String,
    /// What came of it; infinite is never.
    pub measured: f64,
    /// What may come of it.
    pub allowed: f64,
    /// Whom it is measured against, if somebody.
    pub rival: Option<String>,
}

impl Goal {
    /// Whether it is met.
    pub fn is_met(&self) -> bool {
        self.measured <= self.allowed
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let measured = if self.measured.is_finite() { json!(self.measured) } else { Value::Null };
        json!({
            "goal": self.aim.name(),
            "scenario": self.scenario,
            "measured": measured,
            "allowed": self.allowed,
            "rival": self.rival,
            "met": self.is_met(),
        })
    }
}

/// How long a crash or a block may go unnoticed under the policy of a tape.
pub fn detection_allowed(setting: &Setting) -> Duration {
    let kinds = setting.fleet.entry_points().iter().filter_map(|entry_point| entry_point.probe.as_ref());
    let budget = kinds.map(|probe| probe.kind.budget()).max().unwrap_or_else(|| ProbeKind::Tls.budget());
    setting.interval * (u32::from(setting.policy.sustain_rounds) + 1) + budget + Duration::from_secs(1)
}

/// All goals that these lines can be held to; `allowed` is [`detection_allowed`] by scenario.
pub fn judge(rows: &[Row], allowed: impl Fn(&str) -> Duration) -> Vec<Goal> {
    let mut goals = Vec::new();
    for row in rows.iter().filter(|row| row.detector == OURS && row.tuning == "equal_detection") {
        let goal =
            |aim, measured, allowed| Goal { aim, scenario: row.scenario.clone(), measured, allowed, rival: None };
        goals.extend(row.empty_routes.map(|empty| goal(Aim::NoEmptyRoute, empty.value, 0.0)));
        let scenario = row.scenario.as_str();
        if is_one_of(scenario, &NO_BLAME)
            && let Some(blame) = row.wrong_side
        {
            goals.push(goal(Aim::NoWrongSide, blame.value, 0.0));
        }
        if let (Some(ours), Some((rival, theirs))) = (row.false_removals_per_server_month, best_rival(rows, row)) {
            let goal = goal(Aim::FewFalseRemovals, ours.value, AT_MOST * theirs);
            goals.push(Goal { rival: Some(rival.to_owned()), ..goal });
        }
        if is_one_of(scenario, &CRASH_OR_BLOCK)
            && let Some(p99) = row.detection_s[2]
        {
            goals.push(goal(Aim::QuickDetection, p99.value, allowed(scenario).as_secs_f64()));
        }
    }
    goals
}

/// Whether a scenario is of one of these kinds: `S1b` is of `S1`, `S12` is not.
fn is_one_of(scenario: &str, kinds: &[&str]) -> bool {
    kinds
        .iter()
        .any(|kind| scenario.strip_prefix(kind).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())))
}

/// The rival with the fewest false removals in the scenario, and how many, among those whose median detection of crashes came
/// within a round of ours: to wait for longer is no merit here. Where no crash was played, among all.
fn best_rival<'a>(rows: &'a [Row], ours: &Row) -> Option<(&'a str, f64)> {
    let of = |row: &&Row| row.tuning == ours.tuning && row.scenario == ours.scenario && is_rival(&row.detector);
    let rivals = rows.iter().filter(of).filter(|row| is_as_quick(rows, row, ours));
    let removals = rivals.filter_map(|row| Some((row.detector.as_str(), row.false_removals_per_server_month?.value)));
    removals.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Whether it is neither Quorate nor a part of it.
pub fn is_rival(detector: &str) -> bool {
    detector != OURS && !detector.starts_with(ABLATION)
}

fn is_as_quick(rows: &[Row], rival: &Row, ours: &Row) -> bool {
    const ROUND_S: f64 = 60.0;
    let medians = |detector: &str| -> Vec<f64> {
        let crashes = rows.iter().filter(|row| row.tuning == ours.tuning && row.detector == detector);
        let crashes = crashes.filter(|row| is_one_of(&row.scenario, &[CRASH]));
        crashes.filter_map(|row| Some(row.detection_s[0]?.value)).collect()
    };
    let (theirs, ours) = (medians(&rival.detector), medians(&ours.detector));
    theirs.iter().zip(&ours).all(|(theirs, ours)| *theirs <= ours + ROUND_S)
}

#[cfg(test)]
mod tests;
