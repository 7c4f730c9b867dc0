//! The figures that are compared: less is better in all of them.

use serde_json::Value;

/// A figure of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// Where it stands in a row's JSON, by keys from outside in.
    path: &'static [&'static str],
    /// At the head of a column.
    pub title: &'static str,
    /// How it is called in a sentence.
    pub name: &'static str,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Seconds,
    Share,
    Minutes,
    Count,
}

/// A figure's value and its interval. Infinite is what never happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

pub const DETECTION_P50: Figure =
    Figure::new(&["detection_s", "p50"], "found p50", "median detection time", Unit::Seconds);
pub const DETECTION_P99: Figure =
    Figure::new(&["detection_s", "p99"], "found p99", "detection time at p99", Unit::Seconds);
pub const WRONG_SIDE: Figure = Figure::new(&["wrong_side"], "wrong side", "wrong-side blame", Unit::Share);
pub const FALSE_REMOVALS: Figure =
    Figure::new(&["false_removals_per_server_month"], "false / month", "false removals per server-month", Unit::Count);
pub const WITHHELD: Figure =
    Figure::new(&["healthy_minutes_withheld"], "well withheld", "healthy minutes withheld", Unit::Minutes);
pub const SERVED: Figure = Figure::new(&["dead_minutes_served"], "dead served", "dead minutes served", Unit::Minutes);
pub const FLIPS: Figure = Figure::new(&["flips_per_incident"], "flips", "flips per incident", Unit::Count);
pub const HEALING: Figure = Figure::new(&["heal_s"], "healed p50", "median healing time", Unit::Seconds);
pub const EMPTY: Figure = Figure::new(&["empty_routes"], "empty routes", "empty routes", Unit::Count);

/// In the order of the columns.
pub const ALL: [Figure; 9] =
    [DETECTION_P50, DETECTION_P99, WRONG_SIDE, FALSE_REMOVALS, WITHHELD, SERVED, FLIPS, HEALING, EMPTY];

impl Figure {
    const fn new(path: &'static [&'static str], title: &'static str, name: &'static str, unit: Unit) -> Self {
        Self { path, title, name, unit }
    }

    /// Its value in a row; none where there is nothing that it could be of.
    pub fn of(self, row: &Value) -> Option<Measured> {
        let (last, outer) = self.path.split_last()?;
        let within = outer.iter().fold(row, |within, key| &within[*key]);
        let interval = &within[format!("{last}_95")];
        let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
        if let Some(value) = within[*last].as_f64() {
            return Some(Measured { value, low: number(&interval[0]), high: number(&interval[1]) });
        }
        // What is null while there was something to find was never found.
        let is_never = self.path[0] == "detection_s" && row["faults"].as_u64().is_some_and(|faults| faults > 0);
        let never = Measured { value: f64::INFINITY, low: number(&interval[0]), high: f64::INFINITY };
        is_never.then_some(never)
    }

    /// A value for people.
    pub fn shown(self, value: f64) -> String {
        if value.is_infinite() {
            return "never".to_owned();
        }
        match self.unit {
            Unit::Seconds => format!("{} s", digits(value)),
            Unit::Share => format!("{} %", digits(100.0 * value)),
            Unit::Minutes => format!("{} min", digits(value)),
            Unit::Count => digits(value),
        }
    }

    /// With the interval, where it says more than the value.
    pub fn shown_with_interval(self, measured: Measured) -> String {
        let Measured { value, low, high } = measured;
        let (low, value, high) = (self.shown(low), self.shown(value), self.shown(high));
        if low == value && high == value { value } else { format!("{value} ({low} to {high})") }
    }
}

/// Three digits that count, or all of a larger number.
fn digits(value: f64) -> String {
    let places = match value.abs() {
        0.0 => 0,
        small if small < 0.01 => 4,
        small if small < 0.1 => 3,
        small if small < 10.0 => 2,
        small if small < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
