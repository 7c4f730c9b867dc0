//! From reports to points: what was measured within one step becomes one number, its mean.

use std::time::Duration;

use quorate_core::outcome::Outcome;
use quorate_core::time::Moment;
use quorate_proto::v1;

use crate::lines::{median, share};

/// What one report measured, in the order of [`Measured::NAMES`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measured([Option<f32>; Self::NAMES.len()]);

impl Measured {
    /// As the API names them.
    pub const NAMES: [&str; 10] = [
        "cpu_percent",
        "load_per_core",
        "memory_used_share",
        "disk_used_share",
        "network_received_bytes_per_s",
        "network_sent_bytes_per_s",
        "open_files",
        "agent_memory_bytes",
        "latency_ms",
        "failed_share",
    ];

    /// What a report says of its server, and how the knocks in it ended.
    #[allow(clippy::cast_precision_loss, reason = "numbers for a line of pixels")]
    pub fn of(report: &v1::Report, knocks: impl Iterator<Item = Outcome>) -> Self {
        let metrics = report.self_check.as_ref().and_then(|check| check.metrics).unwrap_or_default();
        let share = |used: Option<u64>, total: Option<u64>| share(used?, total?);
        let (mut reached, mut failed) = (Vec::new(), 0);
        for knock in knocks {
            match knock {
                Outcome::Reached { latency } => reached.push(latency.as_secs_f32() * 1000.0),
                Outcome::Failed(_) => failed += 1,
                Outcome::Inconclusive(_) => {}
            }
        }
        let told = reached.len() + failed;
        Self([
            metrics.cpu_percent,
            metrics.load_per_core,
            share(metrics.memory_used_bytes, metrics.memory_total_bytes),
            share(metrics.disk_used_bytes, metrics.disk_total_bytes),
            metrics.network_received_bytes_per_s,
            metrics.network_sent_bytes_per_s,
            metrics.open_files.map(|files| files as f32),
            metrics.agent_memory_bytes.map(|bytes| bytes as f32),
            median(&reached),
            (told > 0).then(|| failed as f32 / told as f32),
        ])
    }
}

/// Sums and counts, step by step.
#[derive(Debug)]
pub(super) struct Steps {
    begin: Moment,
    step: Duration,
    sums: Vec<[(f64, u32); Measured::NAMES.len()]>,
}

impl Steps {
    /// `points` steps that end with `end` and cover `span`.
    pub fn new(end: Moment, span: Duration, points: usize) -> Self {
        let step = Duration::from_millis((span.as_millis() as u64 / points as u64).max(1));
        // Steps begin at multiples of themselves, so that a page that asks again moves by whole points.
        let step_ms = step.as_millis() as u64;
        let last = end.as_ms() / step_ms;
        let begin = Moment::from_ms((last + 1).saturating_sub(points as u64) * step_ms);
        Self { begin, step, sums: vec![[(0.0, 0); Measured::NAMES.len()]; points] }
    }

    /// When the first one begins.
    pub fn begin(&self) -> Moment {
        self.begin
    }

    /// How long each is, in milliseconds.
    pub fn step_ms(&self) -> u64 {
        self.step.as_millis() as u64
    }

    /// When each begins.
    pub fn begins(&self) -> impl Iterator<Item = u64> {
        let (begin, step) = (self.begin.as_ms(), self.step_ms());
        (0..self.sums.len() as u64).map(move |n| begin + n * step)
    }

    /// Adds what was measured at `at`; what lies outside is left out.
    pub fn add(&mut self, at: Moment, measured: &Measured) {
        if at < self.begin {
            return;
        }
        let place = at.since(self.begin).as_millis() / self.step.as_millis();
        let Some(sums) = usize::try_from(place).ok().and_then(|place| self.sums.get_mut(place)) else { return };
        for ((sum, count), value) in sums.iter_mut().zip(measured.0) {
            // A number that is none says nothing, and JSON has no word for it.
            if let Some(value) = value.filter(|value| value.is_finite()) {
                *sum += f64::from(value);
                *count += 1;
            }
        }
    }

    /// The means of one measure; none if there are none.
    #[allow(clippy::cast_possible_truncation, reason = "pixels need no more than an f32")]
    pub fn means(&self, which: usize) -> Option<Vec<Option<f32>>> {
        let mean = |sums: &[(f64, u32); Measured::NAMES.len()]| {
            let (sum, count) = sums[which];
            (count > 0).then(|| (sum / f64::from(count)) as f32)
        };
        let means: Vec<Option<f32>> = self.sums.iter().map(mean).collect();
        means.iter().any(Option::is_some).then_some(means)
    }
}

#[cfg(test)]
mod tests;
