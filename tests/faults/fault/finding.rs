//! What came of a fault: what was lost, what was said wrongly, how long it took to be well again, and what it took up.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

/// Lines shown of a long list.
const SHOWN_MAX: usize = 20;

/// Of one thing that was done to the processes, any number of times.
#[derive(Debug, Default)]
pub struct Finding {
    /// What was done.
    pub done: String,
    /// How often.
    pub times: usize,
    /// Reports that were acknowledged and are gone, or were counted twice.
    pub lost: Vec<String>,
    /// What was said of a server, a way in or a route that was not so.
    pub wrong: Vec<String>,
    /// A bound that was not kept: memory, descriptors, time, lines of a log.
    pub beyond: Vec<String>,
    /// From each end of the fault, or from a kill, until reports flowed again and were answered.
    pub well: Vec<Duration>,
    /// What else was measured: a name with its unit, and a number.
    pub figures: Vec<(String, f64)>,
}

impl Finding {
    /// Of something that is to be done so often.
    pub fn of(done: impl Into<String>, times: usize) -> Self {
        Self { done: done.into(), times, ..Self::default() }
    }

    /// Notes a measure; one that is beyond what is promised is a finding.
    pub fn at_most(&mut self, name: &str, value: f64, most: f64) {
        self.figures.push((name.to_owned(), value));
        if value > most {
            self.beyond.push(format!("{name}: {value} is more than {most}"));
        }
    }

    /// Whether all is as promised.
    pub fn is_good(&self) -> bool {
        self.lost.is_empty() && self.wrong.is_empty() && self.beyond.is_empty()
    }

    /// As people read it.
    pub fn shown(&self) -> String {
        let nothing_or = |list: &[String]| if list.is_empty() { "nothing".to_owned() } else { list.len().to_string() };
        let mut text = format!("{}, {} times: lost {}", self.done, self.times, nothing_or(&self.lost));
        let _ = write!(text, ", said wrongly {}", nothing_or(&self.wrong));
        if let (Some(median), Some(longest)) = (self.median(), self.well.iter().max()) {
            let _ = write!(
                text,
                ", well again after {:.1} s ({:.1} s at most)",
                median.as_secs_f64(),
                longest.as_secs_f64()
            );
        }
        for (name, value) in &self.figures {
            let _ = write!(text, ", {name} {value}");
        }
        for line in self.lost.iter().chain(&self.wrong).chain(&self.beyond).take(SHOWN_MAX) {
            let _ = write!(text, "\n    {line}");
        }
        text
    }

    /// As a row of the table.
    pub fn to_json(&self, fault: &str) -> Value {
        let seconds = |span: Duration| (span.as_secs_f64() * 1000.0).round() / 1000.0;
        let figures: serde_json::Map<String, Value> =
            self.figures.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "fault": fault,
            "done": self.done,
            "times": self.times,
            "lost": self.lost,
            "said_wrongly": self.wrong,
            "beyond": self.beyond,
            "well_s": { "p50": self.median().map(seconds), "max": self.well.iter().max().copied().map(seconds) },
            "figures": figures,
        })
    }

    fn median(&self) -> Option<Duration> {
        let mut sorted = self.well.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}
