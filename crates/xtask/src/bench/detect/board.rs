//! What `quorate-sim` printed, by rows.

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::figure::{Figure, Measured};

/// Ours, in the table.
pub const OURS: &str = "quorate";
/// The tuning under which detectors are as quick as one another.
pub const EQUAL: &str = "equal_detection";
/// Both, in the order of the tables, and what they are to people.
pub const TUNINGS: [(&str, &str); 2] =
    [("documented", "as documented"), (EQUAL, "tuned to Quorate's median detection time on crashes")];

/// Everything.
pub struct Board {
    pub rows: Vec<Row>,
    pub scenarios: Vec<Scenario>,
    pub goals: Vec<Goal>,
    /// As it was printed.
    pub json: Value,
}

/// A detector in a scenario.
pub struct Row {
    pub scenario: String,
    pub detector: String,
    pub tuning: String,
    /// As it was printed.
    pub json: Value,
}

/// What was played.
pub struct Scenario {
    pub name: String,
    pub title: String,
    pub about: String,
}

/// What Quorate is held to in a scenario, and what came of it; none is never.
pub struct Goal {
    pub name: String,
    pub scenario: String,
    pub measured: Option<f64>,
    pub allowed: f64,
    pub rival: Option<String>,
    pub met: bool,
}

impl Board {
    /// From what was printed last.
    pub fn read(printed: &str) -> Result<Self> {
        let line = printed.lines().next_back().context("the scoreboard printed nothing")?;
        let json: Value = serde_json::from_str(line).context("what the scoreboard printed is no JSON")?;
        let list = |key: &str| json[key].as_array().with_context(|| format!("the scoreboard printed no {key}"));
        let rows = list("rows")?.iter().map(Row::read).collect::<Option<_>>();
        let scenarios = list("scenarios")?.iter().map(Scenario::read).collect::<Option<_>>();
        let goals = list("goals")?.iter().map(Goal::read).collect::<Option<_>>();
        Ok(Self {
            rows: rows.context("a row of the scoreboard lacks its names")?,
            scenarios: scenarios.context("a scenario of the scoreboard lacks its words")?,
            goals: goals.context("a goal of the scoreboard lacks a number")?,
            json,
        })
    }

    /// All rows of a scenario under a tuning, ours first.
    pub fn of<'a>(&'a self, scenario: &'a str, tuning: &'a str) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.scenario == scenario && row.tuning == tuning)
    }

    /// One row.
    pub fn row<'a>(&'a self, scenario: &'a str, tuning: &'a str, detector: &str) -> Option<&'a Row> {
        self.of(scenario, tuning).find(|row| row.detector == detector)
    }

    /// Processor time of a detector and its name, most first.
    pub fn cpu(&self) -> Vec<(&str, f64)> {
        let detectors = self.json["cpu_s"]["detectors"].as_object();
        let cpu = detectors.into_iter().flatten().filter_map(|(name, cpu)| Some((name.as_str(), cpu.as_f64()?)));
        let mut cpu: Vec<(&str, f64)> =
            cpu.chain(self.json["cpu_s"]["tapes"].as_f64().map(|s| ("the tapes", s))).collect();
        cpu.sort_by(|a, b| b.1.total_cmp(&a.1));
        cpu
    }
}

impl Row {
    fn read(json: &Value) -> Option<Self> {
        let word = |key: &str| json[key].as_str().map(str::to_owned);
        Some(Self {
            scenario: word("scenario")?,
            detector: word("detector")?,
            tuning: word("tuning")?,
            json: json.clone(),
        })
    }

    /// One of its figures.
    pub fn figure(&self, figure: Figure) -> Option<Measured> {
        figure.of(&self.json)
    }

    /// A count.
    pub fn count(&self, key: &str) -> u64 {
        self.json[key].as_u64().unwrap_or_default()
    }

    /// Neither Quorate nor Quorate without one of its rules.
    pub fn is_rival(&self) -> bool {
        self.detector != OURS && !self.is_ablation()
    }

    /// Quorate without one of its rules.
    pub fn is_ablation(&self) -> bool {
        self.detector.strip_prefix(OURS).is_some_and(|rest| rest.starts_with('-'))
    }
}

impl Scenario {
    fn read(json: &Value) -> Option<Self> {
        let word = |key: &str| json[key].as_str().map(str::to_owned);
        Some(Self { name: word("name")?, title: word("title")?, about: word("about")? })
    }
}

impl Goal {
    fn read(json: &Value) -> Option<Self> {
        let word = |key: &str| json[key].as_str().map(str::to_owned);
        Some(Self {
            name: word("goal")?,
            scenario: word("scenario")?,
            measured: json["measured"].as_f64(),
            allowed: json["allowed"].as_f64()?,
            rival: word("rival"),
            met: json["met"].as_bool()?,
        })
    }
}
