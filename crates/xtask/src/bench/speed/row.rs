//! One row: a figure of ours, what others need for the same, and whether the goal is met.

use serde_json::{Value, json};

/// A row of the table.
pub struct Row {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    /// The size at which it was measured, for rows that grow with one.
    pub n: Option<u64>,
    /// The first is what `ratio` is to.
    pub against: Vec<Against>,
    pub goal: Option<Goal>,
    /// What else must be known to read it: what was measured how, and why a goal is missed.
    pub notes: Vec<String>,
}

/// The same thing done with something else, in the same unit and run.
pub struct Against {
    pub name: String,
    pub version: String,
    pub value: f64,
}

/// What is good enough.
#[derive(Clone, Copy)]
pub enum Goal {
    /// Of the value, in its unit.
    AtMost(f64),
    /// Of the value, in its unit.
    AtLeast(f64),
    /// Of the ratio to the first of the others.
    RatioAtMost(f64),
}

impl Row {
    pub fn new(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, n: None, against: Vec::new(), goal: None, notes: Vec::new() }
    }

    pub fn at(mut self, n: u64) -> Self {
        self.n = Some(n);
        self
    }

    pub fn against(mut self, name: impl Into<String>, version: impl Into<String>, value: f64) -> Self {
        self.against.push(Against { name: name.into(), version: version.into(), value });
        self
    }

    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Why it is missed, if it is.
    pub fn if_missed(self, why: &str) -> Self {
        if self.met() == Some(false) { self.note(why) } else { self }
    }

    /// How much of what the first of the others needs.
    pub fn ratio(&self) -> Option<f64> {
        self.against.first().map(|first| self.value / first.value)
    }

    /// Whether the goal is met; nothing without a goal.
    pub fn met(&self) -> Option<bool> {
        Some(self.missed_by()? <= 0.0)
    }

    /// How far the value is beyond the goal, as a share of the goal; not above zero if it is met.
    pub fn missed_by(&self) -> Option<f64> {
        Some(match self.goal? {
            Goal::AtMost(goal) => self.value / goal - 1.0,
            Goal::AtLeast(goal) => 1.0 - self.value / goal,
            Goal::RatioAtMost(goal) => self.ratio()? / goal - 1.0,
        })
    }

    /// The goal in words.
    pub fn goal_text(&self) -> Option<String> {
        let unit = self.unit;
        Some(match self.goal? {
            Goal::AtMost(goal) => format!("at most {} {unit}", number(goal)),
            Goal::AtLeast(goal) => format!("at least {} {unit}", number(goal)),
            Goal::RatioAtMost(goal) => format!("ratio at most {}", number(goal)),
        })
    }

    /// The notes, led by how much the goal is missed by, if it is.
    pub fn note_text(&self) -> String {
        let missed =
            self.missed_by().filter(|by| *by > 0.0).map(|by| format!("missed by {:.0} %", (by * 100.0).max(1.0)));
        missed.into_iter().chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
    }

    pub fn to_json(&self) -> Value {
        let against = |other: &Against| json!({"name": other.name, "version": other.version, "value": other.value});
        json!({
            "name": self.name, "value": self.value, "unit": self.unit, "n": self.n,
            "against": self.against.iter().map(against).collect::<Vec<_>>(),
            "ratio": self.ratio(), "goal": self.goal_text(), "met": self.met(), "note": self.note_text(),
        })
    }
}

/// Three digits that mean something, thousands apart.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        0.0 => 0,
        small if small < 0.1 => 4,
        small if small < 1.0 => 3,
        small if small < 10.0 => 2,
        small if small < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        let left = whole.len() - at;
        if at > 0 && left % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}
