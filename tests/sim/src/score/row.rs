//! The figures of one detector in one scenario, with their intervals, from what it did in all runs.

use serde_json::{Map, Value, json};

use super::tally::Tally;
use crate::stat::{self, Estimate};

/// Milliseconds of the month that rates are told for: thirty days.
const MONTH_MS: f64 = 30.0 * 86_400_000.0;

/// Which quantiles of a time are told, and by which word.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

/// A line of the scoreboard. A figure is none where there is nothing that it could be of: no detection time without a fault.
#[derive(Debug, Clone)]
pub struct Row {
    /// What was played, `S1` or the name of a recorded mesh.
    pub scenario: String,
    /// Who was scored.
    pub detector: String,
    /// `documented` or `equal_detection`.
    pub tuning: &'static str,
    /// How many runs, each from a seed of its own.
    pub seeds: u64,
    /// Faults of all runs, and those of them that were never found.
    pub faults: u64,
    /// Of the faults.
    pub undetected: u64,
    /// Of all runs.
    pub incidents: u64,
    /// p50, p95 and p99 in seconds; a fault that was never found took longer than every one that was.
    pub detection_s: [Option<Estimate>; 3],
    /// Share of incidents in which somebody was taken away who was well.
    pub wrong_side: Option<Estimate>,
    /// How many were, for each run.
    pub wrong_removals: Option<Estimate>,
    /// Entry points taken away while they were well, in an incident or not, for each month of a server.
    pub false_removals_per_server_month: Option<Estimate>,
    /// For each run.
    pub healthy_minutes_withheld: Option<Estimate>,
    /// For each run.
    pub dead_minutes_served: Option<Estimate>,
    /// Share of incidents in which nothing was taken away.
    pub abstained: Option<Estimate>,
    /// Share of incidents in which something was doubted aloud.
    pub doubted: Option<Estimate>,
    /// Times that something was taken away or given back.
    pub flips_per_incident: Option<Estimate>,
    /// Median and p99, in seconds; what was never given back took longer than everything that was.
    pub heal_s: [Option<Estimate>; 2],
    /// For each run.
    pub empty_routes: Option<Estimate>,
    /// Processor time of the detector alone, all runs together, in seconds.
    pub cpu_s: f64,
}

impl Row {
    /// From what a detector did in each run.
    #[allow(clippy::cast_precision_loss, reason = "counts and milliseconds far below 2^52")]
    pub fn new(scenario: &str, detector: &str, tuning: &'static str, runs: &[&Tally], cpu_s: f64) -> Self {
        let all = |count: fn(&Tally) -> u64| -> Vec<f64> { runs.iter().map(|run| count(run) as f64).collect() };
        let sum = |count: fn(&Tally) -> u64| runs.iter().map(|run| count(run)).sum::<u64>();
        let ones = vec![1.0; runs.len()];
        let minutes = |ms: fn(&Tally) -> u64| all(ms).into_iter().map(|ms| ms / 60_000.0).collect::<Vec<f64>>();
        let detection = times(runs, |run| &run.detection_ms, |run| run.undetected);
        let healing = times(runs, |run| &run.heal_ms, |run| run.unhealed);
        let incidents = sum(|run| run.incidents);
        let months: Vec<f64> = all(|run| run.server_ms).into_iter().map(|ms| ms / MONTH_MS).collect();
        Self {
            scenario: scenario.to_owned(),
            detector: detector.to_owned(),
            tuning,
            seeds: runs.len() as u64,
            faults: sum(|run| run.detection_ms.len() as u64 + run.undetected),
            undetected: sum(|run| run.undetected),
            incidents,
            detection_s: QUANTILES.map(|(_, q)| stat::quantile_of_runs(&detection, q)),
            wrong_side: stat::share(sum(|run| run.blamed), incidents),
            wrong_removals: stat::rate(&all(|run| run.wrong_removals), &ones),
            false_removals_per_server_month: stat::rate(&all(|run| run.false_removals), &months),
            healthy_minutes_withheld: stat::ratio(&minutes(|run| run.withheld_ms), &ones),
            dead_minutes_served: stat::ratio(&minutes(|run| run.dead_served_ms), &ones),
            abstained: stat::share(sum(|run| run.abstained), incidents),
            doubted: stat::share(sum(|run| run.doubted), incidents),
            flips_per_incident: stat::rate(&all(|run| run.flips), &all(|run| run.incidents)),
            heal_s: [0.5, 0.99].map(|q| stat::quantile_of_runs(&healing, q)),
            empty_routes: stat::rate(&all(|run| run.empty_routes), &ones),
            cpu_s,
        }
    }

    /// The row as JSON: each figure a number or null, and beside it, under its name and `_95`, its interval.
    pub fn to_json(&self) -> Value {
        let mut detection = Map::new();
        for ((name, _), estimate) in QUANTILES.iter().zip(self.detection_s) {
            put(&mut detection, name, estimate);
        }
        let mut row = Map::new();
        row.insert("scenario".into(), json!(self.scenario));
        row.insert("detector".into(), json!(self.detector));
        row.insert("tuning".into(), json!(self.tuning));
        row.insert("seeds".into(), json!(self.seeds));
        row.insert("faults".into(), json!(self.faults));
        row.insert("undetected".into(), json!(self.undetected));
        row.insert("incidents".into(), json!(self.incidents));
        row.insert("detection_s".into(), Value::Object(detection));
        for (name, estimate) in [
            ("wrong_side", self.wrong_side),
            ("wrong_removals", self.wrong_removals),
            ("false_removals_per_server_month", self.false_removals_per_server_month),
            ("healthy_minutes_withheld", self.healthy_minutes_withheld),
            ("dead_minutes_served", self.dead_minutes_served),
            ("abstained", self.abstained),
            ("doubted", self.doubted),
            ("flips_per_incident", self.flips_per_incident),
            ("heal_s", self.heal_s[0]),
            ("heal_p99_s", self.heal_s[1]),
            ("empty_routes", self.empty_routes),
        ] {
            put(&mut row, name, estimate);
        }
        row.insert("cpu_s".into(), number(self.cpu_s));
        Value::Object(row)
    }
}

/// In seconds by run; what never ended is infinite.
#[allow(clippy::cast_precision_loss, reason = "milliseconds far below 2^52")]
fn times(runs: &[&Tally], ended: fn(&Tally) -> &Vec<u64>, never: fn(&Tally) -> u64) -> Vec<Vec<f64>> {
    let of = |run: &&Tally| {
        let ended = ended(run).iter().map(|ms| *ms as f64 / 1000.0);
        ended.chain((0..never(run)).map(|_| f64::INFINITY)).collect()
    };
    runs.iter().map(of).collect()
}

fn put(map: &mut Map<String, Value>, name: &str, estimate: Option<Estimate>) {
    let [value, low, high] =
        estimate.map_or([Value::Null, Value::Null, Value::Null], |e| [e.value, e.low, e.high].map(number));
    map.insert(name.to_owned(), value);
    map.insert(format!("{name}_95"), json!([low, high]));
}

/// To a thousandth, or four digits of what is smaller; infinite is null.
fn number(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let digits = if value == 0.0 { 3 } else { (3 - value.abs().log10().floor() as i32).max(3) };
    let scale = 10_f64.powi(digits.min(12));
    json!((value * scale).round() / scale)
}
